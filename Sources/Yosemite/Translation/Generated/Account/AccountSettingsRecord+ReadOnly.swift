// Made by Scripts/generate from Sources/Networking/Models/Account/AccountSettings.swift: change that, not this.
public import Networking
public import Storage

extension AccountSettingsRecord: ReadOnlyConvertible {
    public init(_ model: AccountSettings) {
        self.init(
            userID: model.userID,
            tracksOptOut: model.tracksOptOut,
            firstName: model.firstName,
            lastName: model.lastName)
    }

    public func toReadOnly() throws -> AccountSettings {
        AccountSettings(userID: userID, tracksOptOut: tracksOptOut, firstName: firstName, lastName: lastName)
    }
}

extension AccountSettings: ReadOnlyType {
    public typealias Record = AccountSettingsRecord

    public func isReadOnlyRepresentation(of record: AccountSettingsRecord) -> Bool {
        userID == record.userID
    }
}
