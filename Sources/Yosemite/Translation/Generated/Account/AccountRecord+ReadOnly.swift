// Made by Scripts/generate from Sources/Networking/Models/Account/Account.swift: change that, not this.
public import Networking
public import Storage

extension AccountRecord: ReadOnlyConvertible {
    public init(_ model: Account) {
        self.init(
            id: model.id,
            displayName: model.displayName,
            email: model.email,
            username: model.username,
            avatarURL: model.avatarURL)
    }

    public func toReadOnly() throws -> Account {
        Account(id: id, displayName: displayName, email: email, username: username, avatarURL: avatarURL)
    }
}

extension Account: ReadOnlyType {
    public typealias Record = AccountRecord

    public func isReadOnlyRepresentation(of record: AccountRecord) -> Bool {
        id == record.id
    }
}
