public import Networking

/// Orders that a site listed, and how long it took.
public struct FetchedOrders: Sendable, Equatable {
    public let page: Page<Order>
    public let elapsed: Duration

    public init(page: Page<Order>, elapsed: Duration) { (self.page, self.elapsed) = (page, elapsed) }
}
