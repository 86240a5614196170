// Made by Scripts/generate from Sources/Networking/Models/Account/SiteCapabilities.swift: change that, not this.
public import Networking

extension SiteCapabilities: Fakeable {
    public static func fake(from source: inout FakeSource) -> SiteCapabilities {
        SiteCapabilities(ownSite: .fake(from: &source), manageOptions: .fake(from: &source))
    }
}
