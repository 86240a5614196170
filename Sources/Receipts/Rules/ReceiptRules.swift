/// What brands, regions and laws want of a receipt. Acquirers have more to say: ask yours before you call a receipt
/// compliant.
public enum ReceiptRules {
    /// Holds a receipt against every rule that counts for its card, its region and its copy.
    ///
    /// - Returns: what is missing or forbidden, faults first; of several rules about one field the strictest.
    public static func check(_ document: ReceiptDocument) -> [ReceiptFinding] {
        var findings: [ReceiptFinding] = []
        for rule in ReceiptRule.all where rule.applies(to: document) {
            let isShown = document.shows(rule.field)
            guard isShown == (rule.demand == .forbidden) else { continue }
            let finding = ReceiptFinding(rule, isShown ? .forbidden : .missing, on: document.copy)
            if let index = findings.firstIndex(where: { $0.field == finding.field }) {
                if finding.isFault, !findings[index].isFault { findings[index] = finding }
            } else {
                findings.append(finding)
            }
        }
        return findings.filter(\.isFault) + findings.filter { !$0.isFault }
    }

    /// Whether a rule that counts for the receipt wants the field on it, much or little.
    static func wants(_ field: ReceiptField, on document: ReceiptDocument) -> Bool {
        ReceiptRule.all.contains { $0.field == field && $0.demand != .forbidden && $0.applies(to: document) }
    }
}
