internal import Networking
internal import Storage

extension SearchResult {
    /// Keeps what a page of a search found. It takes the place of what was found there and behind it before.
    static func save(
        _ ids: [Int64], of entity: String, keyword: String, siteID: Int64, page: PageRequest,
        in storage: any StorageType
    ) throws {
        let first = Int64(page.number - 1) * Int64(page.size)
        _ = try storage.delete(
            SearchResult.self,
            matching: {
                $0.siteID == siteID && $0.entity == entity && $0.keyword == keyword && $0.position >= first
            })
        try storage.save(
            ids.enumerated().map { index, id in
                SearchResult(
                    siteID: siteID, entity: entity, keyword: keyword, position: first + Int64(index), elementID: id)
            })
    }

    /// What a search found, in its order.
    static func elements(
        of entity: String, keyword: String, siteID: Int64, in storage: any StorageType
    ) throws -> [Int64] {
        try storage.models(
            SearchResult.self,
            matching: { $0.siteID == siteID && $0.entity == entity && $0.keyword == keyword },
            sortedBy: { [$0.position.ascending] }
        ).map(\.elementID)
    }
}
