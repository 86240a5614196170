internal import Amounts
internal import Hardware
internal import Simulator

/// A line of the issuer's book, as JSON and for people.
struct IssuerEntryView: Encodable, Sendable {
    struct ScriptReport: Encodable, Sendable {
        var commands: Int
        var failed: Bool
    }

    /// 1 and up.
    var number: Int
    var kind: String
    var key: String
    var original: String?
    var account: String?
    var last4: String?
    var amount: Int64
    var currency: String
    var reference: String?
    var responseCode: String?
    var authCode: String?
    var reason: String?
    var rule: String?
    var message: String?
    var atc: UInt16?
    var scripts: Int?
    var scriptReport: ScriptReport?
    var scriptResults: String?

    init(_ entry: IssuerLedgerEntry, number: Int) {
        self.number = number
        (kind, key, original) = (entry.kind.rawValue, entry.key.rawValue, entry.original?.rawValue)
        (account, last4, amount, currency) = (entry.account, entry.lastFour, entry.minorUnits, entry.currency)
        (reference, responseCode) = (entry.answer?.reference, entry.answer?.responseCode)
        authCode = entry.answer?.authorisationCode
        (reason, rule, message) = (entry.reason?.rawValue, entry.rule, entry.message?.rawValue)
        atc = entry.counter
        scripts = entry.answer.flatMap { $0.scriptCount > 0 ? $0.scriptCount : nil }
        scriptReport = entry.scriptReport.map { ScriptReport(commands: $0.commands, failed: $0.hasFailed) }
        scriptResults = entry.scriptResults
    }

    /// A line for each entry.
    static func table(_ entries: [IssuerEntryView]) -> String {
        let width = String(entries.count).count
        return entries.map { entry in
            let number = String(entry.number)
            return String(repeating: " ", count: width - number.count) + number + "  " + entry.line + "\n"
        }.joined()
    }

    private var line: String {
        let card = last4.map { "**** \($0)" } ?? ""
        let answer = (responseCode ?? "").padded(to: 2) + "  " + (authCode ?? "").padded(to: 6)
        var text =
            kind.padded(to: 13) + "  " + key + "  " + card.padded(to: 9) + "  "
            + MoneyText.of(amount, currency).padded(to: 16) + "  " + answer
        if let reason { text += "  " + reason }
        if let message { text += "  " + message }
        if let original { text += "  of \(original)" }
        if let rule { text += "  rule '\(rule)'" }
        if let scripts { text += "  scripts \(scripts)" }
        if let scriptReport {
            text +=
                "  card processed \(scriptReport.commands) script commands" + (scriptReport.failed ? ", failed" : "")
        }
        if let scriptResults { text += "  script results \(scriptResults)" }
        while text.last == " " { text.removeLast() }
        return text
    }
}

/// Amounts that may be negative, or of a currency that is none.
enum MoneyText {
    static func of(_ minorUnits: Int64, _ currency: String) -> String {
        guard let known = try? Currency(code: currency),
            let money = try? Money(minorUnits: Int64(clamping: minorUnits.magnitude), currency: known)
        else { return minorUnits == 0 ? "" : "\(minorUnits) \(currency)" }
        return (minorUnits < 0 ? "-" : "") + money.description
    }
}
