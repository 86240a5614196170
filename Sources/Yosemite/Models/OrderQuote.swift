public import Amounts

/// What an order costs.
public struct OrderQuote: Hashable, Sendable {
    public let orderID: Int64
    /// As the customer sees it.
    public let orderNumber: String
    /// What is to be paid, as the store says now.
    public let amount: Money
    /// What it cost when it was kept here last; nil when it was not kept, or its total was no amount.
    public let keptAmount: Money?
}
