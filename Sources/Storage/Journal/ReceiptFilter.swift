public import Amounts
public import Determinism

/// Which receipts a list shows. What is nil does not matter.
public struct ReceiptFilter: Hashable, Sendable {
    public var paymentID: PaymentID?
    public var orderID: Int64?
    /// Receipts that were issued at this moment or later.
    public var since: Timestamp?
    /// Receipts that were issued before this moment.
    public var before: Timestamp?
    /// The last four digits of the card's number.
    public var last4: String?
    /// What was asked for, in its currency.
    public var amount: Money?
    /// DE 38, in letters of any case.
    public var authCode: String?
    /// Receipts that were issued before this one: its number.
    public var olderThan: Int64?

    public init(
        paymentID: PaymentID? = nil, orderID: Int64? = nil, since: Timestamp? = nil, before: Timestamp? = nil,
        last4: String? = nil, amount: Money? = nil, authCode: String? = nil, olderThan: Int64? = nil
    ) {
        (self.paymentID, self.orderID, self.since, self.before) = (paymentID, orderID, since, before)
        (self.last4, self.amount, self.authCode, self.olderThan) = (last4, amount, authCode, olderThan)
    }

    var predicate: StoragePredicate? {
        let conditions = [
            paymentID.map { StoragePredicate("paymentID = ?", $0) },
            orderID.map { StoragePredicate("orderID = ?", $0) },
            since.map { StoragePredicate("createdAt >= ?", $0.milliseconds) },
            before.map { StoragePredicate("createdAt < ?", $0.milliseconds) },
            last4.map { StoragePredicate("last4 = ?", $0) },
            amount.map { StoragePredicate("amount = ? AND currency = ?", $0.minorUnits, $0.currency.code) },
            authCode.map { StoragePredicate("authCode = ?", $0) },
            olderThan.map { StoragePredicate("id < ?", $0) },
        ].compactMap(\.self)
        guard let first = conditions.first else { return nil }
        return conditions.dropFirst().reduce(first) { $0.and($1) }
    }
}
