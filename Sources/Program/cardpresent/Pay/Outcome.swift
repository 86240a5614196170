import ArgumentParser
import Payments
import Yosemite

/// The result of a command that moves money. Its exit code reports the payment only.
enum Outcome {
    /// Writes the result. A failure to write is reported, but does not change the exit code.
    static func tell(_ write: () throws(CommandFailure) -> Void) {
        do throws(CommandFailure) {
            try write()
        } catch {
            error.report()
        }
    }

    /// Ends the command with the exit code of a failure.
    ///
    /// - Parameter failure: Why the payment failed; nil when it succeeded.
    /// - Throws: `ExitCode`
    static func end(_ failure: CommandFailure?) throws {
        guard let failure else { return }
        failure.report()
        throw ExitCode(failure.status.rawValue)
    }
}

extension WordColor {
    /// The color of a payment's outcome.
    init(_ outcome: Payment.Outcome) {
        self =
            switch outcome {
            case .approved: .good
            case .declined, .failed: .bad
            case .canceled, .unknown, .pending: .doubtful
            }
    }
}

extension PaymentState {
    /// The color of the state; nil when it says neither good nor bad.
    var color: WordColor? {
        switch self {
        case .authorized, .captured: .good
        case .declined, .failed: .bad
        case .pending, .canceled, .reversed, .unknown: .doubtful
        case .partiallyRefunded, .refunded: nil
        }
    }
}

extension AttemptState {
    /// The color of the state; nil when it says neither good nor bad.
    var color: WordColor? {
        switch self {
        case .authorized, .authorizedOnly, .captured: .good
        case .declined, .failed: .bad
        case .authorizing, .canceled, .reversing, .reversed, .unknown: .doubtful
        case .created: nil
        }
    }
}

/// A warning that a payment succeeded but the store does not show it yet.
struct CaptureWarning: Sendable {
    let message: String
    let fix: String

    /// Creates the warning; nil when the store has confirmed the payment.
    init?(_ payment: Payment) {
        guard let capture = payment.notification else { return nil }
        let reason = capture.lastError.map { ": \($0)" } ?? ""
        let order = "order \(capture.orderNumber)"
        switch capture.state {
        case .planned, .accepted: return nil
        case .confirmed:
            guard let reason = capture.lastError else { return nil }
            (message, fix) = ("\(payment.name) is paid and the store has it, but \(reason)", "check \(order)")
        case .due, .sent, .unknown:
            let verb = capture.state == .due ? "has not" : "may not have"
            message = "\(payment.name) is paid, but the store \(verb) been notified yet (\(order))\(reason)"
            fix = "do not charge again; run 'cardpresent payments sync' while signed in to \(capture.siteAddress)"
        case .refused:
            message = "\(payment.name) is paid, but the store rejected it for \(order)\(reason)"
            fix = Self.decision(payment)
        case .conflict:
            message = "\(payment.name) is paid, but does not match \(order)\(reason)"
            fix = Self.decision(payment)
        }
    }

    /// Creates the warning about a refund; nil when the store has it.
    init?(_ refund: OrderRefundNotification, of payment: Payment) {
        guard let capture = payment.notification else { return nil }
        let reason = refund.lastError.map { ": \($0)" } ?? ""
        let (order, what) = ("order \(capture.orderNumber)", "the refund of \(refund.amount) of \(payment.name)")
        switch refund.state {
        case .planned, .confirmed, .accepted: return nil
        case .due, .sent, .unknown:
            let verb = refund.state == .due ? "has not" : "may not have"
            message = "\(what) is made, but the store \(verb) been notified of it yet (\(order))\(reason)"
            fix = "do not refund again; run 'cardpresent payments sync' while signed in to \(capture.siteAddress)"
        case .refused, .conflict:
            let verb = refund.state == .refused ? "was rejected by the store for" : "does not match"
            message = "\(what) is made, but \(verb) \(order)\(reason)"
            fix =
                "do not refund again; correct the refunds of the order and run "
                + "'cardpresent payments sync \(payment.name)', or "
                + Self.acceptance(of: payment)
        }
    }

    /// Writes the warnings about a payment and its refunds to stderr.
    static func report(_ payment: Payment) {
        CaptureWarning(payment)?.report()
        reportRefunds(of: payment)
    }

    /// Writes the warnings about the refunds of a payment to stderr.
    static func reportRefunds(of payment: Payment) {
        for refund in payment.refundNotifications { CaptureWarning(refund, of: payment)?.report() }
    }

    private static func decision(_ payment: Payment) -> String {
        payment.state == .refunded
            ? "the payment was refunded; nothing to do"
            : "run 'cardpresent refund \(payment.name)', or correct the order and run "
                + "'cardpresent payments sync \(payment.name)', or " + acceptance(of: payment)
    }

    /// For an order that cannot be corrected any more.
    private static func acceptance(of payment: Payment) -> String {
        "accept it with 'cardpresent payments sync \(payment.name) --accept --reason TEXT'"
    }

    /// Writes the warning to stderr.
    func report() { StandardError.write("cardpresent: \(message)\n  \(fix)\n") }
}
