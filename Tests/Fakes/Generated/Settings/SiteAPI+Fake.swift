// Made by Scripts/generate from Sources/Networking/Models/Settings/SiteAPI.swift: change that, not this.
public import Networking

extension SiteAPI: Fakeable {
    public static func fake(from source: inout FakeSource) -> SiteAPI {
        SiteAPI(siteID: .fake(from: &source), namespaces: .fake(from: &source), authentication: .fake(from: &source))
    }
}
