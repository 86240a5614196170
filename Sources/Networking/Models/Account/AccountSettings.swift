/// What the user has chosen (`rest/v1.1/me/settings`).
public struct AccountSettings: Codable, Hashable, Sendable {
    /// The user does not want to be measured.
    public let tracksOptOut: Bool
    public let firstName: String?
    public let lastName: String?
}
