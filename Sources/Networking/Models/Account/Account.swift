// @record key(id)
/// The user of a WordPress.com account (`rest/v1.1/me`).
public struct Account: Codable, Hashable, Sendable {
    public let id: Int64
    public let displayName: String
    public let email: String
    public let username: String
    public let avatarURL: String?

    // Made by Scripts/generate.
    public init(id: Int64, displayName: String, email: String, username: String, avatarURL: String?) {
        self.id = id
        self.displayName = displayName
        self.email = email
        self.username = username
        self.avatarURL = avatarURL
    }
    // End of what was made.
}
