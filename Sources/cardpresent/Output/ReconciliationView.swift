internal import Amounts
internal import Hardware
internal import Simulator

/// What a comparison of the two books found, as JSON and for people.
struct ReconciliationView: Encodable, Sendable {
    struct Difference: Encodable, Sendable {
        var kind: String
        var key: String
        var payment: String?
        var direction: String
        var till: Side?
        var issuer: Side?
    }

    struct Side: Encodable, Sendable {
        var amount: Int64
        var currency: String
        var state: String
    }

    struct Total: Encodable, Sendable {
        var currency: String
        var till: Int64
        var issuer: Int64
    }

    var agree: Bool
    var open: Int
    var attempts: Int
    var differences: [Difference]
    var totals: [Total]

    init(_ result: IssuerReconciliation) {
        agree = result.agrees
        open = result.differences.count { $0.kind == .open }
        attempts = result.attemptCount
        differences = result.differences.map { difference in
            Difference(
                kind: difference.kind.rawValue, key: difference.key.rawValue, payment: difference.till?.payment,
                direction: difference.till?.kind.rawValue ?? (difference.issuer?.isRefund == true ? "refund" : "sale"),
                till: difference.till.map(Side.init), issuer: difference.issuer.map(Side.init))
        }
        totals = result.totals.map { Total(currency: $0.currency, till: $0.till, issuer: $0.issuer) }
    }

    /// For people.
    var text: String {
        var text = ""
        for difference in differences {
            text += "\((difference.payment ?? "").padded(to: 8))  \(difference.direction.padded(to: 6))  "
            text += "\(difference.key)  \(difference.kind.padded(to: 17))  "
            text += "till: \(difference.till?.text ?? "nothing")  issuer: \(difference.issuer?.text ?? "nothing")\n"
        }
        for total in totals {
            text += "\(total.currency)  till \(MoneyText.of(total.till, total.currency))  "
            text += "issuer \(MoneyText.of(total.issuer, total.currency))\n"
        }
        let count = differences.count - open
        let verdict = agree ? "the books agree" : count == 1 ? "1 difference" : "\(count) differences"
        return text + "\(attempts) attempts, \(open) still open: \(verdict)\n"
    }
}

extension ReconciliationView.Side {
    fileprivate init(_ attempt: TillAttempt) {
        self.init(
            amount: attempt.amount.minorUnits, currency: attempt.amount.currency.code, state: "\(attempt.outcome)")
    }

    fileprivate init(_ standing: IssuerStanding) {
        self.init(
            amount: standing.minorUnits, currency: standing.currency,
            state: standing.isReversed ? "reversed" : standing.responseCode ?? "none")
    }

    fileprivate var text: String {
        amount == 0 ? state : "\(MoneyText.of(amount, currency)) (\(state))"
    }
}
