// Made by Scripts/generate from Sources/Networking/Models/Account/Account.swift: change that, not this.
extension Account {
    /// The same with other values for what is given; what is nil stays. An optional one becomes nil by `.some(nil)`.
    public func copy(
        id: Int64? = nil,
        displayName: String? = nil,
        email: String? = nil,
        username: String? = nil,
        avatarURL: String?? = nil
    ) -> Account {
        Account(
            id: id ?? self.id,
            displayName: displayName ?? self.displayName,
            email: email ?? self.email,
            username: username ?? self.username,
            avatarURL: avatarURL ?? self.avatarURL)
    }
}
