public import Determinism
public import Money
public import Payments

extension PaymentJournal {
    /// Issues a new version of a payment's newest receipt of this kind. A first receipt belongs to the payment's last
    /// attempt.
    ///
    /// - Throws: ``JournalError/paymentNotFound(_:)``, ``JournalError/storage(_:)``
    public func saveReceipt(
        _ draft: ReceiptDraft, of id: PaymentID, at moment: Timestamp
    ) throws(JournalError) -> Receipt {
        try write { storage in
            let payment = try load(id, from: storage)
            let attempts = try attempts(of: id, in: storage)
            let newest = try storage.allObjects(
                ofType: Receipt.self, matching: StoragePredicate("paymentID = ? AND kind = ?", id, draft.kind),
                sortedBy: "id DESC", limit: 1
            ).first
            guard let attempt = attempts.first(where: { $0.id == newest?.attemptID }) ?? attempts.last else {
                throw UnreadableRow(table: PaymentAttempt.entityName, column: "paymentID")
            }
            return try issue(draft, of: payment, attempt, at: moment, in: storage)
        }
    }

    /// Inserts a receipt. Receipts are never changed or deleted.
    func issue(
        _ draft: ReceiptDraft, of payment: Payment, _ attempt: PaymentAttempt, at moment: Timestamp,
        in storage: any StorageType
    ) throws -> Receipt {
        let earlier = try storage.countObjects(
            ofType: Receipt.self,
            matching: StoragePredicate(
                "paymentID = ? AND kind = ? AND attemptID = ?", payment.id, draft.kind, attempt.id))
        return try storage.insertNewObject(
            Receipt(draft, of: payment, attempt, version: Int64(earlier) + 1, createdAt: moment))
    }

    /// Returns the receipts that match a query, newest first.
    ///
    /// - Throws: ``JournalError/storage(_:)``
    public func receipts(matching query: ReceiptQuery) throws(JournalError) -> [Receipt] {
        try read { storage in
            try storage.allObjects(
                ofType: Receipt.self, matching: query.predicate, sortedBy: "id DESC", limit: query.limit)
        }
    }

    /// Returns the number of receipts that match a query, without its limit.
    ///
    /// - Throws: ``JournalError/storage(_:)``
    public func countReceipts(matching query: ReceiptQuery) throws(JournalError) -> Int {
        try read { try $0.countObjects(ofType: Receipt.self, matching: query.predicate ?? .all) }
    }

    /// Returns the receipts of a payment, or of every payment when `id` is nil, newest first.
    ///
    /// - Throws: ``JournalError/storage(_:)``
    public func receipts(of id: PaymentID? = nil, limit: Int? = nil) throws(JournalError) -> [Receipt] {
        try receipts(matching: ReceiptQuery(paymentID: id, limit: limit))
    }

    /// Returns one receipt.
    ///
    /// - Throws: ``JournalError/receiptNotFound(_:)``, ``JournalError/storage(_:)``
    public func receipt(_ id: Int64) throws(JournalError) -> Receipt { try read { try loadReceipt(id, from: $0) } }

    func loadReceipt(_ id: Int64, from storage: any StorageType) throws -> Receipt {
        guard let receipt = try storage.loadObject(ofType: Receipt.self, with: id) else {
            throw JournalError.receiptNotFound(id)
        }
        return receipt
    }
}

/// A query for receipts. Nil conditions are ignored.
public struct ReceiptQuery: Hashable, Sendable {
    public var paymentID: PaymentID?
    public var orderID: Int64?
    /// Receipts that were issued at this moment or later.
    public var since: Timestamp?
    /// Receipts that were issued before this moment.
    public var before: Timestamp?
    /// The last four digits of the card's number.
    public var lastFour: String?
    /// The requested amount, in its currency.
    public var amount: Money?
    /// DE 38, in uppercase or lowercase.
    public var authorizationCode: String?
    /// Receipts with a lower number than this one: the next page.
    public var olderThan: Int64?
    /// The largest number of receipts; nil for all.
    public var limit: Int?

    /// Combines conditions: all that are not nil must hold. `limit` is the largest number of receipts.
    public init(
        paymentID: PaymentID? = nil, orderID: Int64? = nil, since: Timestamp? = nil, before: Timestamp? = nil,
        lastFour: String? = nil, amount: Money? = nil, authorizationCode: String? = nil, olderThan: Int64? = nil,
        limit: Int? = nil
    ) {
        (self.paymentID, self.orderID, self.since, self.before) = (paymentID, orderID, since, before)
        (self.lastFour, self.amount, self.authorizationCode) = (lastFour, amount, authorizationCode)
        (self.olderThan, self.limit) = (olderThan, limit)
    }

    var predicate: StoragePredicate? {
        let conditions = [
            paymentID.map { StoragePredicate("paymentID = ?", $0) },
            orderID.map { StoragePredicate("orderID = ?", $0) },
            since.map { StoragePredicate("createdAt >= ?", $0.milliseconds) },
            before.map { StoragePredicate("createdAt < ?", $0.milliseconds) },
            lastFour.map { StoragePredicate("last4 = ?", $0) },
            amount.map { StoragePredicate("amount = ? AND currency = ?", $0.minorUnits, $0.currency.code) },
            authorizationCode.map { StoragePredicate("authCode = ?", $0) },
            olderThan.map { StoragePredicate("id < ?", $0) },
        ].compactMap(\.self)
        guard let first = conditions.first else { return nil }
        return conditions.dropFirst().reduce(first) { $0.and($1) }
    }
}
