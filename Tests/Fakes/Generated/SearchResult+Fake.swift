// Made by Scripts/generate from Sources/Yosemite/Models/SearchResult.swift: change that, not this.
public import Yosemite

extension SearchResult: Fakeable {
    public static func fake(from source: inout FakeSource) -> SearchResult {
        SearchResult(
            siteID: .fake(from: &source),
            entity: .fake(from: &source),
            keyword: .fake(from: &source),
            position: .fake(from: &source),
            elementID: .fake(from: &source))
    }
}
