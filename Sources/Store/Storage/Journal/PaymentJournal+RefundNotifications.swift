public import Determinism
public import Payments

extension PaymentJournal {
    /// Returns the notifications about the refunds of a payment, oldest first.
    ///
    /// - Throws: ``JournalError/storage(_:)``
    public func refundNotifications(of id: PaymentID) throws(JournalError) -> [OrderRefundNotification] {
        try read { try refundNotifications(of: id, in: $0) }
    }

    func refundNotifications(of id: PaymentID, in storage: any StorageType) throws -> [OrderRefundNotification] {
        try storage.allObjects(
            ofType: OrderRefundNotification.self, matching: StoragePredicate("paymentID = ?", id), sortedBy: "id",
            limit: nil)
    }

    /// Returns the open refund notifications of this journal, and of processes that have ended, which this journal
    /// takes over in the same commit. Oldest first.
    ///
    /// - Throws: ``JournalError/storage(_:)``
    public func openRefundNotifications() throws(JournalError) -> [OrderRefundNotification] {
        let open = try read { try openRefundNotifications(in: $0) }
        guard open.contains(where: { $0.lease != lease.number }) else { return open }
        // An open notification may have been taken over or completed in the meantime.
        return try write { storage in
            try openRefundNotifications(in: storage).map { try take($0, in: storage) }
        }
    }

    /// Takes over the notification of a refund in any state, to check the site again.
    ///
    /// - Throws: ``JournalError/attemptNotFound(_:)``, ``JournalError/notificationNotOurs(_:lease:)``,
    ///   ``JournalError/storage(_:)``
    public func claimRefundNotification(_ attempt: Int64) throws(JournalError) -> OrderRefundNotification {
        try write { try claim(try loadRefundNotification(attempt, from: $0), in: $0) }
    }

    /// Records that the site is about to be notified of a refund. Call it again before each retry.
    ///
    /// - Throws: the errors of ``recordRefundNotification(_:as:refundID:reason:at:saving:)``.
    @discardableResult
    public func markRefundNotificationSent(
        _ attempt: Int64, at moment: Timestamp
    ) throws(JournalError) -> OrderRefundNotification {
        try write { storage in
            try move(
                try loadRefundNotification(attempt, from: storage), to: .sent, at: moment, in: storage
            ) { $0.tries += 1 }
        }
    }

    /// Records the result of a refund notification in one commit. `refundID` is the refund at the site, if it was seen;
    /// `reason` says why it is not confirmed, human-readable; `saving` writes additional data in the same commit.
    ///
    /// - Throws: ``JournalError/attemptNotFound(_:)``, ``JournalError/notificationNotOurs(_:lease:)``,
    ///   ``JournalError/illegalNotification(_:from:to:)``, ``JournalError/storage(_:)``
    @discardableResult
    public func recordRefundNotification(
        _ attempt: Int64, as state: OrderPaymentNotification.State, refundID: Int64? = nil, reason: String? = nil,
        at moment: Timestamp, saving: (any StorageType) throws -> Void = { _ in }
    ) throws(JournalError) -> OrderRefundNotification {
        try write { storage in
            try saving(storage)
            return try move(
                try loadRefundNotification(attempt, from: storage), to: state, at: moment, in: storage
            ) { refund in
                refund.refundID = refundID ?? refund.refundID
                refund.lastError = reason
            }
        }
    }

    /// Records what the site has to know of a refund, in the commit that records the refund. A site whose order does
    /// not show the payment need not know yet.
    func planRefundNotification(
        of attempt: PaymentAttempt, at moment: Timestamp, in storage: any StorageType
    ) throws {
        guard attempt.kind == .refund, attempt.state == .captured,
            let capture = try storage.loadObject(ofType: OrderPaymentNotification.self, with: attempt.paymentID),
            capture.state != .planned
        else { return }
        try storage.insertNewObject(
            OrderRefundNotification(
                id: attempt.id, paymentID: attempt.paymentID, amount: attempt.amount, lines: attempt.lines,
                intentID: OrderRefundNotification.intentID(of: attempt),
                state: capture.state == .confirmed ? .due : .planned, lease: attempt.lease, createdAt: moment,
                updatedAt: moment))
    }

    private func loadRefundNotification(
        _ attempt: Int64, from storage: any StorageType
    ) throws -> OrderRefundNotification {
        guard let refund = try storage.loadObject(ofType: OrderRefundNotification.self, with: attempt) else {
            throw JournalError.attemptNotFound(attempt)
        }
        return refund
    }

    private func openRefundNotifications(in storage: any StorageType) throws -> [OrderRefundNotification] {
        try storage.allObjects(
            ofType: OrderRefundNotification.self, matching: StoragePredicate("state IN ('due', 'sent', 'unknown')")
        ).filter { try $0.lease == lease.number || !lease.isAlive($0.lease) }
    }
}
