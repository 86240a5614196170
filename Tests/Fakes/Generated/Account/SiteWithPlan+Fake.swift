// Made by Scripts/generate from Sources/Networking/Models/Account/SiteWithPlan.swift: change that, not this.
public import Networking

extension SiteWithPlan: Fakeable {
    public static func fake(from source: inout FakeSource) -> SiteWithPlan {
        SiteWithPlan(id: .fake(from: &source), plan: .fake(from: &source))
    }
}
