public import Determinism
public import Money
public import Payments

extension PaymentJournal {
    /// Records that all or a part of a pre-authorization is about to be captured, before anything is sent: the attempt
    /// becomes `authorized`, its amount what is captured, and `advice` must reach the host, now or by recovery.
    ///
    /// - Parameters:
    ///   - id: the payment.
    ///   - amount: what to capture; nil for all.
    ///   - advice: the advice to the host, as JSON text.
    ///   - receipt: the receipt of the sale, which is stored in the same commit.
    ///   - moment: now.
    /// - Returns: what was written.
    /// - Throws: ``JournalError/notCapturable(_:_:)``, ``JournalError/captureTooLarge(_:requested:authorized:)``,
    ///   ``JournalError/money(_:)`` when the currency differs.
    public func beginCapture(
        of id: PaymentID, amount: Money?, advice: String, receipt: ReceiptDraft? = nil, at moment: Timestamp
    ) throws(JournalError) -> JournalEntry {
        try write { storage in
            let (payment, attempt) = try held(id, in: storage)
            try checkNothingRaises(id, in: storage)
            let part = amount ?? attempt.amount
            guard part.currency == attempt.amount.currency else {
                throw MoneyError.currencyMismatch(part.currency.code, attempt.amount.currency.code)
            }
            guard part.minorUnits > 0 else { throw JournalError.notCapturable(id, payment.standing) }
            guard part.minorUnits <= attempt.amount.minorUnits else {
                throw JournalError.captureTooLarge(id, requested: part, authorized: attempt.amount)
            }
            return try move(
                attempt.id, to: .authorized, amount: part, details: PaymentDetails(), receipt: receipt, advice: advice,
                at: moment, in: storage)
        }
    }

    /// Records that a pre-authorization is about to be taken back, before anything is sent. The payment counts as
    /// canceled when the host has confirmed it.
    ///
    /// - Throws: ``JournalError/notCapturable(_:_:)``
    public func beginCancellation(of id: PaymentID, at moment: Timestamp) throws(JournalError) -> JournalEntry {
        try write { storage in
            let (_, attempt) = try held(id, in: storage)
            try checkNothingRaises(id, in: storage)
            let details = PaymentDetails(errorCode: PaymentErrorCode.canceled, errorMessage: Self.canceledWords)
            return try move(
                attempt.id, to: .reversing, amount: nil, details: details,
                detail: ReversalRequest.Reason.canceled.rawValue, at: moment, in: storage)
        }
    }

    /// The reason of a canceled pre-authorization, as a human-readable sentence.
    public static let canceledWords = "the pre-authorization was canceled"

    func held(
        _ id: PaymentID, in storage: any StorageType
    ) throws -> (payment: Payment, attempt: PaymentAttempt) {
        let payment = try load(id, from: storage)
        let attempt = try attempts(of: id, in: storage).last { $0.kind == .sale }
        guard let attempt, attempt.state == .authorizedOnly else {
            throw JournalError.notCapturable(id, payment.standing)
        }
        return (payment, attempt)
    }

    /// A completion has a trace number of its own, so it takes the number that the next attempt would have had.
    func newCompletion(in storage: any StorageType) throws -> CompletionMessage {
        var identity = try DatabaseIdentity.load(from: storage)
        let (_, _, stan) = identity.nextAttempt()
        try storage.updateObject(identity)
        return CompletionMessage(stan: stan)
    }
}

extension Payment {
    /// Takes over the amount that an attempt of the sale moves or holds.
    mutating func takeAmount(of attempt: PaymentAttempt) {
        if attempt.state == .created {
            (amount, requestedAmount) = (attempt.amount, nil)
            preauthorization?.captured = nil
            preauthorization?.authorized = amount
        } else if attempt.completion != nil {
            amount = attempt.amount
            preauthorization?.captured = amount
        } else if attempt.amount != amount {
            (requestedAmount, amount) = (amount, attempt.amount)
            preauthorization?.authorized = amount
        }
    }
}

extension Preauthorization {
    /// Makes it that of another attempt: it lasts as long from `moment` as it was to last from `start`.
    mutating func begin(at moment: Timestamp, after start: Timestamp) {
        let (length, isTooLong) = expiresAt.milliseconds.subtractingReportingOverflow(start.milliseconds)
        if !isTooLong { expiresAt = moment.advanced(by: .milliseconds(max(0, length))) }
        increments = []
    }
}
