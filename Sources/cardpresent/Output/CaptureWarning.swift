internal import Yosemite

/// What a clerk has to know of a payment that the store does not show: the money is taken all the same.
struct CaptureWarning: Sendable {
    let message: String
    let fix: String

    /// Nil when there is nothing to warn of.
    init?(_ payment: Payment) {
        guard let capture = payment.capture else { return nil }
        let reason = capture.reason.map { ": \($0)" } ?? ""
        let order = "order \(capture.orderNumber)"
        switch capture.state {
        case .confirmed:
            guard let reason = capture.reason else { return nil }
            (message, fix) = ("\(payment.name) is paid and the store knows it, but \(reason)", "look at \(order)")
        case .due, .sent, .unknown:
            message =
                "\(payment.name) is paid, and the store \(capture.state == .due ? "does not know it" : "may not know it") "
                + "yet (\(order))\(reason)"
            fix =
                "do not charge again: the next command signed in to \(capture.siteAddress) tells the store, or "
                + "'cardpresent payments settle'"
        case .refused:
            message = "\(payment.name) is paid, and the store does not take it for \(order)\(reason)"
            fix = Self.decision(payment)
        case .conflict:
            message = "\(payment.name) is paid, and does not fit \(order)\(reason)"
            fix = Self.decision(payment)
        }
    }

    private static func decision(_ payment: Payment) -> String {
        payment.state == "refunded"
            ? "the money was given back: there is nothing to do"
            : "give the money back with 'cardpresent refund \(payment.name)', or put the order right and type: "
                + "cardpresent payments settle \(payment.name)"
    }

    /// Tells a person.
    func report() { StandardError.write("cardpresent: \(message)\n  \(fix)\n") }
}
