// @record key(siteID, slug)
/// A status that orders of a store can have, and how many have it (`wc/v3/reports/orders/totals`).
public struct OrderStatus: Codable, Hashable, Sendable {
    public let siteID: Int64
    public let slug: OrderStatusEnum
    public let name: String
    public let total: Int64

    // Made by Scripts/generate.
    public init(siteID: Int64, slug: OrderStatusEnum, name: String, total: Int64) {
        self.siteID = siteID
        self.slug = slug
        self.name = name
        self.total = total
    }
    // End of what was made.
}
