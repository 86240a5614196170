/// Money to give back.
public struct RefundAction: Sendable {
    /// In minor units of the payment's currency; nil for all that is left of it.
    public var minorUnits: Int64?
    /// Which payment of the scenario, counting from 1; nil for the last one.
    public var payment: Int?
    /// What the customer presents; nil for the scenario's own.
    public var card: CardSetup?
}
