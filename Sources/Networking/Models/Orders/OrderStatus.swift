/// A status that orders of a store can have, and how many have it (`wc/v3/reports/orders/totals`).
public struct OrderStatus: Codable, Hashable, Sendable {
    public let siteID: Int64
    public let slug: OrderStatusEnum
    public let name: String
    public let total: Int64
}
