internal import Amounts
internal import Determinism
internal import Yosemite

/// A payment with its attempts, as JSON and for people.
struct PaymentHistoryView: Encodable, Sendable {
    struct Attempt: Encodable, Sendable {
        var kind: String
        var amount: Int64
        var state: String
        var stan: UInt32
        var host: String
        var hostReference: String?
        var steps: [Step]
    }

    struct Step: Encodable, Sendable {
        var state: String
        var at: String
        var detail: String?
    }

    var payment: PaymentView
    var emv: EMVView?
    var attempts: [Attempt]
    private let amountText: String
    private let refundedText: String?

    private enum CodingKeys: String, CodingKey { case payment, emv, attempts }

    init(_ history: PaymentHistory) {
        payment = PaymentView(history.payment)
        emv = history.payment.card.map(EMVView.init)
        let (amount, refunded) = (history.payment.amount, history.payment.refundedMinorUnits)
        amountText = amount.description
        refundedText = refunded == 0 ? nil : try? Money(minorUnits: refunded, currency: amount.currency).description
        attempts = history.attempts.map { attempt in
            Attempt(
                kind: attempt.kind, amount: attempt.amount.minorUnits, state: attempt.state, stan: attempt.stan,
                host: attempt.host, hostReference: attempt.hostReference,
                steps: attempt.steps.map { Step(state: $0.state, at: $0.at.description, detail: $0.detail) })
        }
    }

    var text: String {
        var lines = ["\(payment.id)  \(amountText)  \(payment.state)"]
        func add(_ name: String, _ value: String?) {
            if let value { lines.append("  " + name.padded(to: 14) + value) }
        }
        add("order", payment.order.map(String.init))
        add("card", emv?.applicationName.map { $0 + (payment.last4.map { " **** \($0)" } ?? "") })
        add("AID", emv?.aid)
        add("verification", payment.cvm)
        add("auth code", payment.authCode)
        add("response", emv?.responseCode)
        add("cryptogram", emv?.cryptogram.map { $0 + " " + (emv?.cryptogramType ?? "") })
        add("TVR", emv?.tvr)
        add("TSI", emv?.tsi)
        add("ODA", emv.map { "\($0.oda) \($0.odaResult)" + ($0.odaReason.map { ": " + $0 } ?? "") })
        add("refunded", refundedText)
        if let capture = payment.capture {
            add("store", capture.state + (capture.orderStatus.map { ", order is \($0)" } ?? ""))
            add("intent", capture.intent)
            add("because", capture.reason)
        }
        for attempt in attempts {
            lines.append("  \(attempt.kind), STAN \(attempt.stan), host \(attempt.host): \(attempt.state)")
            for step in attempt.steps {
                lines.append("    \(step.at)  \(step.state)" + (step.detail.map { ": " + $0 } ?? ""))
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }
}

/// The result of `payments recover`.
struct RecoveryView: Encodable, Sendable {
    var finished: [PaymentView]
    var open: [PaymentView]
    /// Payments whose records could not be read or written, and why.
    var failed: [Failure]

    struct Failure: Encodable, Sendable {
        var payment: String
        var message: String
    }
}
