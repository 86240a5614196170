import Determinism
import Money
import Payments
import Text

/// The result of the settlement of a batch.
struct SettlementOutcome: Sendable {
    let batch: SettlementBatch
    /// Whether an earlier message was repeated.
    let isRepeat: Bool
    /// The host's code in words.
    let meaning: String?
    /// The number of transactions in the batch.
    let transactions: Int
    /// The number of transactions since. They belong to the next batch, or to this one when it is added up again.
    let later: Int
    /// Whether the host compared nothing.
    var isRefused = false
    /// Why there is no answer.
    var trouble: PaymentHostError?

    private enum Word: String {
        case agreed, accepted, differs, refused, unanswered
        case notSent = "not-sent"
    }

    private var word: Word {
        switch (trouble, batch.state) {
        case (.notSent?, .open): .notSent
        case (.some, _): .unanswered
        case (nil, .closed): batch.isHostAccepted ? .accepted : .agreed
        case (nil, _): isRefused ? .refused : .differs
        }
    }

    private var codeInWords: String { (batch.responseCode ?? "") + (meaning.map { " (\($0))" } ?? "") }

    /// Why the batch is not closed; nil when it is.
    var failure: CommandFailure? {
        let name = "batch \(batch.number)"
        let again = "run 'cardpresent host settle' again"
        switch word {
        case .agreed, .accepted: return nil
        case .differs:
            let differences = batch.differences.map { $0.words(batch.currency) }.joined(separator: "; ")
            let totals = batch.hostTotals == nil ? "the host does not tell its totals" : differences
            return CommandFailure(
                .differs, code: "out_of_balance",
                message: "the host has other totals for \(name), with the code \(codeInWords): \(totals)",
                fix: "the batch stays open: find the transaction that one side lacks, and \(again); or close it with "
                    + "the host's totals with --accept-host")
        case .refused:
            return CommandFailure(
                .unavailable, code: "settlement_refused",
                message: "the host refused to settle \(name), with the code \(codeInWords)",
                fix: "the batch stays open: ask the acquirer, and \(again)")
        case .unanswered:
            return CommandFailure(
                .outcomeUnknown, code: "settlement_unanswered",
                message: "\(name) has no answer: \(batch.lastError ?? "")",
                fix: "\(again): it repeats the same totals")
        case .notSent:
            return CommandFailure(
                .unavailable, code: "host_unreachable", message: "\(name) was not sent: \(batch.lastError ?? "")",
                fix: "check the way to the host with 'cardpresent host check', and \(again)")
        }
    }

    var json: JSONObject {
        let object: JSONObject = [
            "number": batch.number, "state": batch.state.rawValue, "result": word.rawValue, "repeated": isRepeat,
            "transactions": transactions, "later": later, "traceNumber": batch.request[11],
            "responseCode": batch.responseCode, "meaning": meaning, "openedAt": batch.openedAt.description,
            "sentAt": batch.sentAt.description, "closedAt": batch.closedAt?.description,
            "totals": batch.totals.json, "hostTotals": batch.hostTotals?.json,
            "differences": batch.differences.map(\.json), "error": failure?.json,
        ]
        return object.amounts(in: batch.currency)
    }

    var text: String {
        let totals = batch.totals
        let currency = batch.currency
        let rows = [
            ("debits", totals.debits), ("debits reversed", totals.debitReversals), ("credits", totals.credits),
            ("credits reversed", totals.creditReversals),
        ].map { name, line in [name, "\(line.count)", MoneyText.of(line.amount, currency.code, zero: currency)] }
        let owner =
            totals.net == 0 ? "nothing is owed" : totals.net < 0 ? "owed to the acquirer" : "owed to the merchant"
        let net = ["net", "", MoneyText.of(abs(totals.net), currency.code, zero: currency), owner]
        var text = "batch \(batch.number)  \(transactions == 1 ? "1 transaction" : "\(transactions) transactions")"
        text += (isRepeat ? "  (repeated)" : "") + "\n"
        text += TextTable.text(rows + [net], right: [1, 2])
        if !batch.differences.isEmpty {
            text += TextTable.text(
                [["FIELD", "TOTAL", "OURS", "HOST"]] + batch.differences.map { $0.cells(currency) }, right: [2, 3])
        }
        switch word {
        case .agreed: text += WordColor.good.onOutput("AGREED") + "  \(codeInWords)\n"
        case .accepted: text += WordColor.doubtful.onOutput("CLOSED") + "  with the totals of the host\n"
        case .differs: text += WordColor.bad.onOutput("DIFFERS") + "  \(codeInWords)\n"
        case .refused: text += WordColor.bad.onOutput("REFUSED") + "  \(codeInWords)\n"
        case .unanswered: text += WordColor.doubtful.onOutput("NO ANSWER") + "\n"
        case .notSent: text += WordColor.bad.onOutput("NOT SENT") + "\n"
        }
        if later > 0 {
            let place =
                switch batch.state {
                // It is added up again, with what came since.
                case .open: " in this batch with the next 'host settle'\n"
                // Its totals are repeated. When the host has others, it is added up again.
                case .sent: " not in these totals: in the next batch, or in this one when the host has other totals\n"
                case .closed: " in the next batch\n"
                }
            text += (later == 1 ? "1 transaction since is" : "\(later) transactions since are") + place
        }
        return text
    }
}

/// The result of `host settle`.
struct SettlementReport: CommandResult {
    let place: SettlementPlace
    let outcomes: [SettlementOutcome]

    var json: JSONObject {
        [
            "host": place.hostName, "address": place.destination, "terminal": place.terminal,
            "batches": outcomes.map(\.json),
        ]
    }

    var text: String {
        outcomes.isEmpty
            ? "host \(place.hostName): nothing to settle\n" : outcomes.map(\.text).joined(separator: "\n")
    }
}

/// A total that the host has otherwise.
struct SettlementDifference: Hashable, Sendable {
    /// The field of 1987 and 1993 with the total.
    let field: Int
    let name: String
    /// Whether the total is an amount, in minor units.
    let isAmount: Bool
    let ours: Int64
    let host: Int64

    var json: JSONObject { ["field": field, "total": name, "ours": ours, "host": host] }

    private func text(_ value: Int64, _ currency: Currency) -> String {
        isAmount ? MoneyText.of(value, currency.code, zero: currency) : "\(value)"
    }

    func cells(_ currency: Currency) -> [String] { ["\(field)", name, text(ours, currency), text(host, currency)] }

    /// For example `field 88 (debits, amount): ours 12.50 USD, the host's 25.00 USD`.
    func words(_ currency: Currency) -> String {
        "field \(field) (\(name)): ours \(text(ours, currency)), the host's \(text(host, currency))"
    }
}

extension SettlementBatch {
    /// The totals of which the host has others; empty while it has told none. What one side counts as a transaction
    /// and its reversal, and the other one not at all, is no difference.
    var differences: [SettlementDifference] {
        guard state != .closed || isHostAccepted, let host = hostTotals else { return [] }
        typealias Line = SettlementTotals.Line
        typealias Names = (count: (Int, String), amount: (Int, String))
        func compare(_ own: Line, _ other: Line, _ names: Names) -> [SettlementDifference] {
            let count = SettlementDifference(
                field: names.count.0, name: names.count.1, isAmount: false, ours: own.count, host: other.count)
            let amount = SettlementDifference(
                field: names.amount.0, name: names.amount.1, isAmount: true, ours: own.amount, host: other.amount)
            return [count, amount]
        }
        func pair(
            _ own: (line: Line, reversed: Line), _ other: (line: Line, reversed: Line), _ names: Names,
            _ reversed: Names
        ) -> [SettlementDifference] {
            let isSame =
                own.line.count - own.reversed.count == other.line.count - other.reversed.count
                && own.line.amount - own.reversed.amount == other.line.amount - other.reversed.amount
            guard !isSame else { return [] }
            return compare(own.line, other.line, names) + compare(own.reversed, other.reversed, reversed)
        }
        let credits = pair(
            (totals.credits, totals.creditReversals), (host.credits, host.creditReversals),
            ((74, "credits"), (86, "credits, amount")), ((75, "credits reversed"), (87, "credits reversed, amount")))
        let debits = pair(
            (totals.debits, totals.debitReversals), (host.debits, host.debitReversals),
            ((76, "debits"), (88, "debits, amount")), ((77, "debits reversed"), (89, "debits reversed, amount")))
        let net = SettlementDifference(
            field: 97, name: "net amount", isAmount: true, ours: totals.net, host: host.net)
        return (credits + debits + [net]).filter { $0.ours != $0.host }.sorted { $0.field < $1.field }
    }
}

extension SettlementTotals {
    var json: JSONObject {
        func object(_ line: Line) -> JSONObject { ["count": line.count, "amount": line.amount] }
        return [
            "debits": object(debits), "debitReversals": object(debitReversals), "credits": object(credits),
            "creditReversals": object(creditReversals), "net": net,
        ]
    }
}

extension MoneyText {
    /// Formats an amount that may be negative or zero.
    fileprivate static func of(_ minorUnits: Int64, _ code: String, zero currency: Currency) -> String {
        guard minorUnits == 0 else { return of(minorUnits, code) }
        return "\(Int64(0).decimalText(scale: currency.exponent)) \(code)"
    }
}
