// @record key(siteID, entity, keyword, position)
/// A place in what a site has found for a keyword. What is found there is kept by itself.
public struct SearchResult: Hashable, Sendable {
    public let siteID: Int64
    /// What was looked for: `order`, `customer`, `analytics-customer`.
    public let entity: String
    public let keyword: String
    /// 0 and up, in the site's order.
    public let position: Int64
    /// Of the order or customer.
    public let elementID: Int64

    // Made by Scripts/generate.
    public init(siteID: Int64, entity: String, keyword: String, position: Int64, elementID: Int64) {
        self.siteID = siteID
        self.entity = entity
        self.keyword = keyword
        self.position = position
        self.elementID = elementID
    }
    // End of what was made.
}
