// Made by Scripts/generate from Sources/Networking/Models/Account/AccountSettings.swift: change that, not this.
public import Networking

extension AccountSettings: Fakeable {
    public static func fake(from source: inout FakeSource) -> AccountSettings {
        AccountSettings(
            userID: .fake(from: &source),
            tracksOptOut: .fake(from: &source),
            firstName: .fake(from: &source),
            lastName: .fake(from: &source))
    }
}
