public import Amounts
public import StoreSite

/// The store site of a simulated session. It is reached in this process, without sockets; its clock is the session's.
public struct PlannedStore: Sendable {
    /// How many orders of all kinds it has at first.
    public var orders: Int
    /// Orders that wait for their payment at the till, made when the session begins, in this order. Their currency must
    /// be the store's, US dollars.
    public var unpaid: [Money]
    /// Which requests go wrong. Those that make the unpaid orders are not among them.
    public var faults: [FaultRule]
    /// It has the Stripe extension beside WooPayments.
    public var hasStripe: Bool

    /// A store without orders and faults, unless something else is said.
    public init(orders: Int = 0, unpaid: [Money] = [], faults: [FaultRule] = [], hasStripe: Bool = false) {
        (self.orders, self.unpaid, self.faults, self.hasStripe) = (orders, unpaid, faults, hasStripe)
    }
}
