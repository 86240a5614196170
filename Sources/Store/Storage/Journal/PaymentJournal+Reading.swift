public import Determinism
public import Money
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

    /// Returns the payments that people have to decide about, with their notifications, newest first: the site rejects
    /// the payment or one of its refunds, or shows something else. A payment that was given back needs no decision.
    ///
    /// - Throws: ``JournalError/storage(_:)``
    public func paymentsToReview() throws(JournalError) -> [Payment] {
        try read { storage in
            try storage.allObjects(
                ofType: Payment.self,
                matching: StoragePredicate(ReviewRule.payments), sortedBy: "id DESC", limit: nil
            ).map { try addNotification(to: $0, from: storage) }
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

    /// Returns a payment with its order and refund notifications.
    ///
    /// - Throws: ``JournalError/storage(_:)``
    public func addNotification(to payment: Payment) throws(JournalError) -> Payment {
        try read { try addNotification(to: payment, from: $0) }
    }

    func addNotification(to payment: Payment, from storage: any StorageType) throws -> Payment {
        guard payment.orderID != nil else { return payment }
        var payment = payment
        let notification = try storage.loadObject(ofType: OrderPaymentNotification.self, with: payment.id)
        payment.notification = notification?.state == .planned ? nil : notification
        if payment.notification != nil, payment.refundedAmount.minorUnits > 0 {
            payment.refundNotifications = try refundNotifications(of: payment.id, in: storage)
                .filter { $0.state != .planned }
        }
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
    /// Payments in one of these states; empty for all.
    public var states: [PaymentState]
    /// Payments that began at this moment or later.
    public var since: Timestamp?
    /// Payments that began before this moment.
    public var until: Timestamp?
    /// The last four digits of the card's number.
    public var lastFour: String?
    /// The requested amount, in its currency.
    public var amount: Money?
    /// Payments older than this one, for the next page of a list.
    public var before: PaymentID?

    /// Combines conditions: all that are not nil must hold, and any of `states` if there are some.
    public init(
        siteID: Int64? = nil, orderID: Int64? = nil, states: [PaymentState] = [], since: Timestamp? = nil,
        until: Timestamp? = nil, lastFour: String? = nil, amount: Money? = nil, before: PaymentID? = nil
    ) {
        (self.siteID, self.orderID, self.states) = (siteID, orderID, states)
        (self.since, self.until, self.before) = (since, until, before)
        (self.lastFour, self.amount) = (lastFour, amount)
    }

    var predicate: StoragePredicate? {
        let conditions = [
            siteID.map { StoragePredicate("siteID = ?", $0) },
            orderID.map { StoragePredicate("orderID = ?", $0) },
            states.map { StoragePredicate("state = ?", $0) }.reduce(nil) { $0?.or($1) ?? $1 },
            since.map { StoragePredicate("createdAt >= ?", $0.milliseconds) },
            until.map { StoragePredicate("createdAt < ?", $0.milliseconds) },
            lastFour.map { StoragePredicate("last4 = ?", $0) },
            amount.map { StoragePredicate("amount = ? AND currency = ?", $0.minorUnits, $0.currency.code) },
            before.map { StoragePredicate("id < ?", $0) },
        ].compactMap(\.self)
        guard let first = conditions.first else { return nil }
        return conditions.dropFirst().reduce(first) { $0.and($1) }
    }
}
