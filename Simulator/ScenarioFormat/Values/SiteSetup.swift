public import Amounts
public import StoreSite

/// The simulated store that orders come from.
public struct SiteSetup: Hashable, Sendable {
    /// How many orders of all kinds it has at first.
    public var orders: Int
    /// Orders that wait for their payment at the till, which steps pay.
    public var unpaid: [Money]
    /// What goes wrong with requests.
    public var faults: [FaultRule]

    public init(orders: Int = 0, unpaid: [Money] = [], faults: [FaultRule] = []) {
        (self.orders, self.unpaid, self.faults) = (orders, unpaid, faults)
    }
}
