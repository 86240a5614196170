public import Amounts
public import Determinism

/// Which of the stored receipts are wanted; what is nil says nothing.
public struct ReceiptQuery: Hashable, Sendable {
    public var paymentID: Int64?
    public var orderID: Int64?
    /// Issued then or later.
    public var since: Timestamp?
    /// Issued before then.
    public var before: Timestamp?
    /// The last four digits of the card's number.
    public var lastFour: String?
    /// What was asked for, in its currency.
    public var amount: Money?
    /// In letters of any case.
    public var authorizationCode: String?
    /// Issued before the receipt with this id: what follows on a page of receipts.
    public var olderThan: Int64?
    public var limit: Int?

    public init(
        paymentID: Int64? = nil, orderID: Int64? = nil, since: Timestamp? = nil, before: Timestamp? = nil,
        lastFour: String? = nil, amount: Money? = nil, authorizationCode: String? = nil, olderThan: Int64? = nil,
        limit: Int? = nil
    ) {
        (self.paymentID, self.orderID, self.since, self.before) = (paymentID, orderID, since, before)
        (self.lastFour, self.amount, self.authorizationCode) = (lastFour, amount, authorizationCode)
        (self.olderThan, self.limit) = (olderThan, limit)
    }
}
