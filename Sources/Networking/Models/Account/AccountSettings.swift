// @record key(userID)
/// What the user has chosen (`rest/v1.1/me/settings`).
public struct AccountSettings: Codable, Hashable, Sendable {
    /// Of the ``Account``.
    public let userID: Int64
    /// The user does not want to be measured.
    public let tracksOptOut: Bool
    public let firstName: String?
    public let lastName: String?

    // Made by Scripts/generate.
    public init(userID: Int64, tracksOptOut: Bool, firstName: String?, lastName: String?) {
        self.userID = userID
        self.tracksOptOut = tracksOptOut
        self.firstName = firstName
        self.lastName = lastName
    }
    // End of what was made.
}
