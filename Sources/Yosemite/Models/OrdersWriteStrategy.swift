/// What becomes of orders that were fetched by a filter.
public enum OrdersWriteStrategy: String, Hashable, Sendable, Codable, CaseIterable {
    /// They are saved beside those that are there.
    case save
    /// They take the place of all orders of the site, in one transaction.
    case deleteAllBeforeSaving
    /// The database stays as it is.
    case doNotSave
}
