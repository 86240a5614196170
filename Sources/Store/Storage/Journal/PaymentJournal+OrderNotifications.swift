public import Determinism
public import Payments

/// The order of a store site that a payment is for.
public struct OrderToPay: Hashable, Sendable {
    public let siteID: Int64
    /// The site's address: a later login may be for another site.
    public let siteAddress: String
    /// The store's name, for receipts.
    public let storeName: String?
    public let orderID: Int64
    /// The order's number as the customer sees it.
    public let orderNumber: String
    /// The payment gateway to notify: `woocommerce-payments` or `woocommerce-stripe`; ``till`` when the till completes
    /// the order itself.
    public let gateway: String

    /// The word for an order that the till completes itself.
    public static let till = "till"

    /// Describes an order by its IDs and its number as customers see it. `gateway` completes it, or the word `till`.
    public init(
        siteID: Int64, siteAddress: String, storeName: String?, orderID: Int64, orderNumber: String, gateway: String
    ) {
        (self.siteID, self.siteAddress, self.storeName) = (siteID, siteAddress, storeName)
        (self.orderID, self.orderNumber, self.gateway) = (orderID, orderNumber, gateway)
    }
}

extension PaymentJournal {
    /// Returns the order notification of a payment; nil when no site needs one.
    ///
    /// - Throws: ``JournalError/storage(_:)``
    public func notification(of id: PaymentID) throws(JournalError) -> OrderPaymentNotification? {
        try read { try $0.loadObject(ofType: OrderPaymentNotification.self, with: id) }
    }

    /// Returns the open notifications of this journal, and of processes that have ended, which this journal takes over
    /// in the same commit. Excludes the notifications of running processes, and payments whose host must still be
    /// advised. Oldest first.
    ///
    /// - Throws: ``JournalError/storage(_:)``
    public func openNotifications() throws(JournalError) -> [OrderPaymentNotification] {
        let open = try read { try openNotifications(in: $0) }
        guard open.contains(where: { $0.lease != lease.number }) else { return open }
        // An open notification may have been taken over or completed in the meantime.
        return try write { storage in try openNotifications(in: storage).map { try take($0, in: storage) } }
    }

    /// Takes over a payment's notification in any state, to check the site again.
    ///
    /// - Throws: ``JournalError/nothingToNotify(_:)``, ``JournalError/notificationNotOurs(_:lease:)``,
    ///   ``JournalError/paymentNotFound(_:)``, ``JournalError/storage(_:)``
    public func claimNotification(of id: PaymentID) throws(JournalError) -> OrderPaymentNotification {
        try write { storage in
            _ = try load(id, from: storage)
            guard let capture = try storage.loadObject(ofType: OrderPaymentNotification.self, with: id),
                capture.state != .planned
            else { throw JournalError.nothingToNotify(id) }
            return try claim(capture, in: storage)
        }
    }

    /// Records that the site is about to be notified. Call it again before each retry.
    ///
    /// - Throws: ``JournalError/refundedBeforeNotification(_:)`` when the payment was refunded, because a refunded
    ///   payment must not pay an order; and the errors of ``recordNotification(of:as:orderStatus:reason:at:saving:)``.
    @discardableResult
    public func markNotificationSent(of id: PaymentID, at moment: Timestamp) throws(JournalError)
        -> OrderPaymentNotification
    {
        try write { storage in
            guard try load(id, from: storage).state != .refunded else {
                throw JournalError.refundedBeforeNotification(id)
            }
            return try move(id, to: .sent, at: moment, in: storage) { $0.tries += 1 }
        }
    }

    /// Records the result of a notification in one commit. With `.confirmed` the notification gets the receipt of the
    /// sale. `orderStatus` is the order's status, if known; `reason` says why it is not confirmed, human-readable;
    /// `saving` writes additional data in the same commit: the order as the site returned it.
    ///
    /// - Throws: ``JournalError/nothingToNotify(_:)``, ``JournalError/notificationNotOurs(_:lease:)``,
    ///   ``JournalError/illegalNotification(_:from:to:)``, ``JournalError/storage(_:)``
    @discardableResult
    public func recordNotification(
        of id: PaymentID, as state: OrderPaymentNotification.State, orderStatus: String? = nil, reason: String? = nil,
        at moment: Timestamp, saving: (any StorageType) throws -> Void = { _ in }
    ) throws(JournalError) -> OrderPaymentNotification {
        try write { storage in
            let receipt =
                state == .confirmed
                ? try storage.allObjects(
                    ofType: Receipt.self, matching: StoragePredicate("paymentID = ? AND kind = 'sale'", id),
                    sortedBy: "id DESC", limit: 1
                ).first?.id : nil
            try saving(storage)
            return try move(id, to: state, at: moment, in: storage) { capture in
                capture.orderStatus = orderStatus ?? capture.orderStatus
                capture.receiptID = receipt ?? capture.receiptID
                capture.lastError = reason
            }
        }
    }

    private func move(
        _ id: PaymentID, to state: OrderPaymentNotification.State, at moment: Timestamp, in storage: any StorageType,
        change: (inout OrderPaymentNotification) -> Void
    ) throws -> OrderPaymentNotification {
        guard let capture = try storage.loadObject(ofType: OrderPaymentNotification.self, with: id) else {
            throw JournalError.nothingToNotify(id)
        }
        let moved = try move(capture, to: state, at: moment, in: storage, change: change)
        if state == .confirmed { try makeRefundsDue(of: moved, in: storage) }
        return moved
    }

    /// Moves a notification of this journal to its next state.
    func move<Notice: SiteNotification>(
        _ notice: Notice, to state: OrderPaymentNotification.State, at moment: Timestamp, in storage: any StorageType,
        change: (inout Notice) -> Void
    ) throws -> Notice {
        guard notice.lease == lease.number else {
            throw JournalError.notificationNotOurs(notice.paymentID, lease: notice.lease)
        }
        guard notice.state.successors.contains(state) else {
            throw JournalError.illegalNotification(notice.paymentID, from: notice.state, to: state)
        }
        var moved = notice
        (moved.state, moved.updatedAt) = (state, moment)
        change(&moved)
        try storage.updateObject(moved)
        return moved
    }

    /// The site gets refunds only after its order shows the payment, so they become due in the same commit.
    private func makeRefundsDue(of capture: OrderPaymentNotification, in storage: any StorageType) throws {
        let refunds = try storage.allObjects(
            ofType: OrderRefundNotification.self,
            matching: StoragePredicate("paymentID = ? AND state = 'planned'", capture.id))
        for var refund in refunds {
            (refund.state, refund.lease, refund.updatedAt) = (.due, lease.number, capture.updatedAt)
            try storage.updateObject(refund)
        }
    }

    private func openNotifications(in storage: any StorageType) throws -> [OrderPaymentNotification] {
        try storage.allObjects(
            ofType: OrderPaymentNotification.self,
            matching: StoragePredicate(
                """
                state IN ('due', 'sent', 'unknown')
                AND attemptID IN (SELECT id FROM paymentAttempt WHERE state = 'captured')
                """)
        ).filter { try $0.lease == lease.number || !lease.isAlive($0.lease) }
    }

    /// Takes over a notification of a process that has ended.
    func take<Notice: SiteNotification>(_ notice: Notice, in storage: any StorageType) throws -> Notice {
        guard notice.lease != lease.number else { return notice }
        var taken = notice
        taken.lease = lease.number
        try storage.updateObject(taken)
        return taken
    }

    /// Takes over a notification in any state.
    ///
    /// - Throws: ``JournalError/notificationNotOurs(_:lease:)`` when another process that is alive sends it.
    func claim<Notice: SiteNotification>(_ notice: Notice, in storage: any StorageType) throws -> Notice {
        guard try notice.lease == lease.number || !lease.isAlive(notice.lease) else {
            throw JournalError.notificationNotOurs(notice.paymentID, lease: notice.lease)
        }
        return try take(notice, in: storage)
    }
}

/// A row for a notification of a site.
protocol SiteNotification: IdentifiedObject {
    var paymentID: PaymentID { get }
    var state: OrderPaymentNotification.State { get set }
    var lease: Int64 { get set }
    var updatedAt: Timestamp { get set }
}

extension OrderPaymentNotification: SiteNotification {
    var paymentID: PaymentID { id }
}

extension OrderRefundNotification: SiteNotification {}
