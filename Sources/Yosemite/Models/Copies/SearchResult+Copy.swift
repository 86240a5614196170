// Made by Scripts/generate from Sources/Yosemite/Models/SearchResult.swift: change that, not this.
extension SearchResult {
    /// The same with other values for what is given; what is nil stays.
    public func copy(
        siteID: Int64? = nil,
        entity: String? = nil,
        keyword: String? = nil,
        position: Int64? = nil,
        elementID: Int64? = nil
    ) -> SearchResult {
        SearchResult(
            siteID: siteID ?? self.siteID,
            entity: entity ?? self.entity,
            keyword: keyword ?? self.keyword,
            position: position ?? self.position,
            elementID: elementID ?? self.elementID)
    }
}
