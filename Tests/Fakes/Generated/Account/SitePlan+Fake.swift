// Made by Scripts/generate from Sources/Networking/Models/Account/SitePlan.swift: change that, not this.
public import Networking

extension SitePlan: Fakeable {
    public static func fake(from source: inout FakeSource) -> SitePlan {
        SitePlan(productSlug: .fake(from: &source), productNameShort: .fake(from: &source))
    }
}
