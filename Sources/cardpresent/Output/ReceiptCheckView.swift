internal import Hardware
internal import Receipts

/// What the rules say of a receipt, as JSON and for people.
struct ReceiptCheckView: Encodable, Sendable {
    struct Finding: Encodable, Sendable {
        var field: String
        var problem: String
        var demand: String
        /// `merchant`, `customer`: the copies that it is about.
        var copies: [String]
        var source: String
        var origin: String
        var remedy: String
    }

    var payment: String
    var kind: String
    var outcome: String
    @Nullable var brand: String? = nil
    var region: String
    /// Whether nothing that is required is missing, and nothing forbidden is there.
    var isComplete: Bool
    var findings: [Finding]

    init(_ content: ReceiptContent, style: ReceiptStyle) {
        (payment, kind, outcome) = (content.payment, content.kind.rawValue, content.outcome.rawValue)
        (brand, region) = (content.card?.brand, style.region.rawValue)
        let found = ReceiptCopy.allCases.flatMap {
            ReceiptRules.check(ReceiptDocument(content, copy: $0).styled(by: style))
        }
        isComplete = !found.contains { $0.isFault }
        findings = []
        for finding in found {
            let copy = finding.copy.rawValue
            let isSame = { (other: Finding) in
                other.field == finding.field.rawValue && other.problem == finding.problem.rawValue
                    && other.source == finding.source.title
            }
            if let index = findings.firstIndex(where: isSame) {
                findings[index].copies.append(copy)
            } else {
                findings.append(
                    Finding(
                        field: finding.field.rawValue, problem: finding.problem.rawValue,
                        demand: finding.demand.rawValue, copies: [copy], source: finding.source.title,
                        origin: finding.origin, remedy: finding.remedy))
            }
        }
        findings = findings.filter { $0.demand != "recommended" } + findings.filter { $0.demand == "recommended" }
    }

    var text: String {
        var text = "\(payment)  \(kind) \(outcome)  \(brand ?? "no card")  rules of region \(region)\n"
        for finding in findings {
            let word = finding.demand == "recommended" ? "recommended" : finding.problem
            let copies = finding.copies.joined(separator: " and ") + (finding.copies.count == 1 ? " copy" : " copies")
            text += """
                \(word.uppercased())  \(finding.field)  (\(copies))
                  wanted by:   \(finding.source)
                  comes from:  \(finding.origin)
                  what to do:  \(finding.remedy)

                """
        }
        return text + (isComplete ? "Nothing that is required is missing.\n" : "")
    }
}
