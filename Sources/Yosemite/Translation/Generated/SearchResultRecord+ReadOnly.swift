// Made by Scripts/generate from Sources/Yosemite/Models/SearchResult.swift: change that, not this.
public import Storage

extension SearchResultRecord: ReadOnlyConvertible {
    public init(_ model: SearchResult) {
        self.init(
            siteID: model.siteID,
            entity: model.entity,
            keyword: model.keyword,
            position: model.position,
            elementID: model.elementID)
    }

    public func toReadOnly() throws -> SearchResult {
        SearchResult(siteID: siteID, entity: entity, keyword: keyword, position: position, elementID: elementID)
    }
}

extension SearchResult: ReadOnlyType {
    public typealias Record = SearchResultRecord

    public func isReadOnlyRepresentation(of record: SearchResultRecord) -> Bool {
        siteID == record.siteID && entity == record.entity && keyword == record.keyword && position == record.position
    }
}
