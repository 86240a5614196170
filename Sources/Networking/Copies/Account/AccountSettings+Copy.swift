// Made by Scripts/generate from Sources/Networking/Models/Account/AccountSettings.swift: change that, not this.
extension AccountSettings {
    /// The same with other values for what is given; what is nil stays. An optional one becomes nil by `.some(nil)`.
    public func copy(
        userID: Int64? = nil,
        tracksOptOut: Bool? = nil,
        firstName: String?? = nil,
        lastName: String?? = nil
    ) -> AccountSettings {
        AccountSettings(
            userID: userID ?? self.userID,
            tracksOptOut: tracksOptOut ?? self.tracksOptOut,
            firstName: firstName ?? self.firstName,
            lastName: lastName ?? self.lastName)
    }
}
