import Determinism
public import Money
public import Payments
public import Terminal
import Yosemite

extension SimulatedSession {
    /// Captures, releases, or gives back what a payment has taken, as a terminal does without a card.
    ///
    /// - Parameters:
    ///   - operation: what to do.
    ///   - id: the payment.
    /// - Returns: the payment afterward, and whether it was changed so.
    /// - Throws: ``SimulatedSessionError``, also for an operation of another kind.
    public func carryOut(
        _ operation: TerminalOperation, of id: PaymentID
    ) async throws(SimulatedSessionError) -> (payment: Payment, isDone: Bool) {
        switch operation {
        case .capture(_, let part):
            let amount: Money? = if case .part(let money) = part { money } else { nil }
            return try await carryOut(.capture(amount), of: id)
        case .release: return try await carryOut(.release, of: id)
        case .giveBack(_, let amount): return try await carryOut(.refund(amount), of: id)
        default: throw .plan("a terminal does not do this without a card")
        }
    }

    /// Captures, releases, or gives back what a payment has taken.
    ///
    /// - Parameters:
    ///   - change: what to do.
    ///   - id: the payment.
    /// - Returns: the payment afterward, and whether it was changed so.
    /// - Throws: ``SimulatedSessionError``
    public func carryOut(
        _ change: CounterChange, of id: PaymentID
    ) async throws(SimulatedSessionError) -> (payment: Payment, isDone: Bool) {
        switch change {
        case .capture(let amount):
            let payment = try await capture(id, amount: amount)
            return (payment, payment.state.isCaptured)
        case .release:
            let payment = try await cancelPreauthorization(id)
            return (payment, payment.state == .reversed || payment.state == .canceled)
        case .refund(let amount):
            let before = try payments().first { $0.id == id.rawValue }?.refundedMinorUnits ?? 0
            // What was given back in part can't be taken back as a whole.
            guard amount != nil || before == 0 else { throw .plan("a part was given back") }
            let payment = try await refund(id, amount: amount)
            let expected = before + (amount ?? payment.amount).minorUnits
            return (payment, payment.refundedAmount.minorUnits == expected)
        }
    }

    /// Takes a payment, and asks for its result when the host did not give it.
    ///
    /// - Parameters:
    ///   - amount: the amount.
    ///   - options: how it is taken.
    /// - Returns: the payment, whose result may still be unknown.
    /// - Throws: ``SimulatedSessionError``
    public func takePayment(
        _ amount: Money, _ options: PaymentOptions
    ) async throws(SimulatedSessionError) -> Payment {
        if readersInPause.first?.isConnected != true { try await connect() }
        var payment = try await pay(amount, options)
        for _ in 0..<3 where payment.outcome == .unknown || payment.outcome == .pending {
            let report = try await recover()
            payment = report.finished.first { $0.id == payment.id } ?? payment
        }
        return payment
    }
}

extension SimulatedSessionError {
    /// Whether the till has no reader to take a payment with.
    public var isAboutReader: Bool {
        switch self {
        case .readerNotFound, .noSuchReader, .payments(.reader): true
        default: false
        }
    }
}

extension TerminalOutcome {
    /// Says how a payment ended; nil while the result is not known.
    ///
    /// - Parameters:
    ///   - payment: the payment as the journal has it.
    ///   - amount: the amount that the till asked for.
    ///   - number: the number of the transaction at this terminal, from 1.
    ///   - offset: the local time of the terminal, in seconds east of UTC.
    public init?(_ payment: Payment, amount: Money, number: Int, offset: Int) {
        switch payment.outcome {
        case .approved:
            self = .approved(TerminalTransaction(payment, amount: amount, number: number, offset: offset))
        case .declined:
            let code = payment.card?.authorizationResponseCode
            // A code that the terminal made says nothing of an issuer.
            self = .declined(
                TerminalDecline(
                    responseCode: code?.first == "Z" ? nil : code,
                    date: payment.updatedAt.civil(offsetSeconds: offset), card: payment.card))
        case .canceled: self = .canceled(.byCardholder)
        case .failed where payment.errorCode == "card_timeout": self = .canceled(.timedOut)
        case .failed: self = .failed(TerminalFailure(errorCode: payment.errorCode))
        case .unknown, .pending: return nil
        }
    }
}

extension TerminalTransaction {
    /// Takes the data of an approved payment; see ``Terminal/TerminalOutcome/init(_:amount:number:offset:)``.
    public init(_ payment: Payment, amount: Money, number: Int, offset: Int) {
        self.init(
            receiptNumber: Int((payment.id.rawValue - 1) % 9999) + 1, trace: (max(1, number) - 1) % 999_999 + 1,
            amount: amount, date: payment.updatedAt.civil(offsetSeconds: offset), card: payment.card,
            isOnline: payment.card?.authorizationResponseCode?.first != "Y")
    }
}

extension TerminalFailure {
    /// The failure that a payment's error code of the journal tells, such as `card_removed`.
    ///
    /// - Parameter code: `Payment.errorCode`.
    public init(errorCode code: String?) {
        self =
            switch code {
            case "card_removed": .cardRemoved
            case "card_not_read", "swipe_not_read", "chip_card_swiped", "card_timeout": .cardUnreadable
            case "host_failed", "host_unreachable", "host_timeout": .hostUnreachable
            case "reader_failed", "reader_unplugged", "reader_not_found", "no_reader": .readerDefective
            default: .internalError
            }
    }
}
