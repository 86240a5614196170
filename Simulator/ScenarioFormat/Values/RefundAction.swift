public import Amounts

/// Money to give back.
public struct RefundAction: Hashable, Sendable {
    /// Nil for all that is left.
    public var amount: Money?
    /// Which payment of the scenario, counting from 1; nil for the last one.
    public var payment: Int?

    public init(amount: Money? = nil, payment: Int? = nil) { (self.amount, self.payment) = (amount, payment) }
}
