public import Determinism
public import Money
public import Payments

extension PaymentJournal {
    /// Records that an amount is about to be added to what a pre-authorization holds, before anything is sent. The
    /// increment is an attempt of its own, and what is held stays as it is until the host has approved it:
    /// ``finish(_:as:amount:details:hostReference:receipt:detail:advice:offlineCard:heldUntil:identity:at:)`` with
    /// `authorizedOnly` raises it in the same commit.
    ///
    /// - Parameters:
    ///   - id: the payment.
    ///   - amount: what is added.
    ///   - hostName: the host, which is that of the pre-authorization.
    ///   - moment: now.
    /// - Returns: what was written, and the attempt that holds the amount.
    /// - Throws: ``JournalError/notCapturable(_:_:)``, ``JournalError/incrementOpen(_:)``,
    ///   ``JournalError/holdExpired(_:_:)``; ``JournalError/money(_:)`` when the currency differs, or the sum is too
    ///   large.
    public func beginIncrement(
        of id: PaymentID, amount: Money, hostName: String, at moment: Timestamp
    ) throws(JournalError) -> (entry: JournalEntry, held: PaymentAttempt) {
        try write { storage in
            let (payment, sale) = try held(id, in: storage)
            guard try increments(of: id, in: storage).allSatisfy({ !$0.state.needsRecovery }) else {
                throw JournalError.incrementOpen(id)
            }
            guard amount.minorUnits > 0 else { throw JournalError.notCapturable(id, payment.standing) }
            _ = try sale.amount.adding(amount)
            if let expiry = payment.preauthorization?.expiresAt, expiry <= moment {
                throw JournalError.holdExpired(id, expiry)
            }
            let attempt = try add(.increment, of: amount, to: payment, hostName: hostName, at: moment, in: storage)
            return (JournalEntry(payment: payment, attempt: attempt, receipt: nil), sale)
        }
    }

    private func increments(of id: PaymentID, in storage: any StorageType) throws -> [PaymentAttempt] {
        try attempts(of: id, in: storage).filter { $0.kind == .increment }
    }

    /// Fails while a running process waits for the answer to an increment, which would raise what is captured or
    /// canceled meanwhile. One that is taken back never does.
    func checkNothingRaises(_ id: PaymentID, in storage: any StorageType) throws {
        let waits = try increments(of: id, in: storage).contains { attempt in
            guard attempt.state == .created || attempt.state == .authorizing else { return false }
            return try attempt.lease != lease.number && lease.isAlive(attempt.lease)
        }
        guard !waits else { throw JournalError.incrementOpen(id) }
    }

    /// Adds an approved increment to what its sale holds. What is captured or canceled already stays as it is.
    func raise(
        _ payment: Payment, by increment: PaymentAttempt, among attempts: [PaymentAttempt], heldUntil: Timestamp?,
        at moment: Timestamp, in storage: any StorageType
    ) throws -> Payment {
        guard var sale = attempts.last(where: { $0.kind == .sale }), sale.state == .authorizedOnly,
            var hold = payment.preauthorization
        else { return payment }
        sale.amount = try sale.amount.adding(increment.amount)
        try storage.updateObject(sale)
        hold.authorized = sale.amount
        hold.expiresAt = heldUntil ?? hold.expiresAt
        hold.increments.append(HoldIncrement(amount: increment.amount, approvedAt: moment))
        var raised = payment
        (raised.amount, raised.preauthorization) = (sale.amount, hold)
        // Of an approval of a part, what was asked for grows, too.
        raised.requestedAmount = try payment.requestedAmount.map { try $0.adding(increment.amount) }
        try storage.updateObject(raised)
        return raised
    }

    /// Records why a message about an attempt was not confirmed, and `advice`, which must still be sent, in place of
    /// the one before; nil keeps that one. The state stays.
    ///
    /// - Throws: As ``keepAdvice(_:identity:for:)``.
    public func noteFailure(_ reason: String, advice: String? = nil, for attempt: Int64) throws(JournalError) {
        try change(attempt) { attempt in
            attempt.lastError = reason
            attempt.advice = advice ?? attempt.advice
        }
    }

    /// Returns whether increments have raised what a payment holds, so that its first message has not all of the
    /// amount.
    ///
    /// - Throws: ``JournalError/storage(_:)``
    public func isRaised(_ id: PaymentID) throws(JournalError) -> Bool {
        try read { try load(id, from: $0).preauthorization?.increments.isEmpty == false }
    }
}
