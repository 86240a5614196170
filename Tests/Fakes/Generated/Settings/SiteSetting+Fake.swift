// Made by Scripts/generate from Sources/Networking/Models/Settings/SiteSetting.swift: change that, not this.
public import Networking

extension SiteSetting: Fakeable {
    public static func fake(from source: inout FakeSource) -> SiteSetting {
        SiteSetting(
            siteID: .fake(from: &source),
            id: .fake(from: &source),
            label: .fake(from: &source),
            description: .fake(from: &source),
            type: .fake(from: &source),
            value: .fake(from: &source),
            groupID: .fake(from: &source))
    }
}
