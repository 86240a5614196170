// Made by Scripts/generate from Sources/Networking/Models/Account/Account.swift: change that, not this.
public import Networking

extension Account: Fakeable {
    public static func fake(from source: inout FakeSource) -> Account {
        Account(
            id: .fake(from: &source),
            displayName: .fake(from: &source),
            email: .fake(from: &source),
            username: .fake(from: &source),
            avatarURL: .fake(from: &source))
    }
}
