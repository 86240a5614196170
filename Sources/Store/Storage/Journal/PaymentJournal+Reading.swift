public import Determinism
public import Payments

extension PaymentJournal {
    /// Returns payments.
    ///
    /// - Parameters:
    ///   - filter: The payments to return.
    ///   - limit: The maximum number of payments; nil for all.
    ///   - hasNotifications: Whether to read ``Payment/notification`` as well.
    /// - Returns: The payments, newest first.
    /// - Throws: ``JournalError/storage(_:)``
    public func payments(
        matching filter: PaymentFilter = PaymentFilter(), limit: Int? = nil,
        withNotifications hasNotifications: Bool = false
    ) throws(JournalError) -> [Payment] {
        try read { storage in
            let payments = try storage.allObjects(
                ofType: Payment.self, matching: filter.predicate, sortedBy: "id DESC", limit: limit)
            return hasNotifications ? try payments.map { try addNotification(to: $0, from: storage) } : payments
        }
    }

    /// Returns one payment, without its notification.
    ///
    /// - Throws: ``JournalError/paymentNotFound(_:)``, ``JournalError/storage(_:)``
    public func payment(_ id: PaymentID) throws(JournalError) -> Payment {
        try read { try load(id, from: $0) }
    }

    /// Returns one payment with its notification.
    ///
    /// - Throws: ``JournalError/paymentNotFound(_:)``, ``JournalError/storage(_:)``
    public func paymentWithNotification(_ id: PaymentID) throws(JournalError) -> Payment {
        try addNotification(to: try payment(id))
    }

    /// Returns a payment with its order notification.
    ///
    /// - Throws: ``JournalError/storage(_:)``
    public func addNotification(to payment: Payment) throws(JournalError) -> Payment {
        try read { try addNotification(to: payment, from: $0) }
    }

    private func addNotification(to payment: Payment, from storage: any StorageType) throws -> Payment {
        guard payment.orderID != nil else { return payment }
        var payment = payment
        let notification = try storage.loadObject(ofType: OrderPaymentNotification.self, with: payment.id)
        payment.notification = notification?.state == .planned ? nil : notification
        return payment
    }

    /// Returns a payment with its notification and the history of its attempts.
    ///
    /// - Throws: ``JournalError/paymentNotFound(_:)``, ``JournalError/storage(_:)``
    public func history(of id: PaymentID) throws(JournalError) -> PaymentHistory {
        let payment = try paymentWithNotification(id)
        var attempts: [PaymentHistory.Attempt] = []
        for attempt in try self.attempts(of: id) {
            attempts.append(PaymentHistory.Attempt(attempt, steps: try transitions(of: attempt.id)))
        }
        return PaymentHistory(payment: payment, attempts: attempts)
    }

    /// Returns the attempts of a payment, oldest first.
    public func attempts(of id: PaymentID) throws(JournalError) -> [PaymentAttempt] {
        try read { try attempts(of: id, in: $0) }
    }

    /// Returns the history of an attempt, oldest entry first.
    public func transitions(of attempt: Int64) throws(JournalError) -> [AttemptTransition] {
        try read { storage in
            try storage.allObjects(
                ofType: AttemptTransition.self, matching: StoragePredicate("attemptID = ?", attempt),
                sortedBy: "sequence", limit: nil)
        }
    }
}

/// A filter for payments. Nil conditions are ignored.
public struct PaymentFilter: Hashable, Sendable {
    public var siteID: Int64?
    public var orderID: Int64?
    public var state: PaymentState?
    /// Payments that began at this moment or later.
    public var since: Timestamp?
    /// Payments older than this one, for the next page of a list.
    public var before: PaymentID?

    public init(
        siteID: Int64? = nil, orderID: Int64? = nil, state: PaymentState? = nil, since: Timestamp? = nil,
        before: PaymentID? = nil
    ) {
        (self.siteID, self.orderID, self.state) = (siteID, orderID, state)
        (self.since, self.before) = (since, before)
    }

    var predicate: StoragePredicate? {
        let conditions = [
            siteID.map { StoragePredicate("siteID = ?", $0) },
            orderID.map { StoragePredicate("orderID = ?", $0) },
            state.map { StoragePredicate("state = ?", $0) },
            since.map { StoragePredicate("createdAt >= ?", $0.milliseconds) },
            before.map { StoragePredicate("id < ?", $0) },
        ].compactMap(\.self)
        guard let first = conditions.first else { return nil }
        return conditions.dropFirst().reduce(first) { $0.and($1) }
    }
}
