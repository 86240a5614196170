/// The user of a WordPress.com account (`rest/v1.1/me`).
public struct Account: Codable, Hashable, Sendable {
    public let id: Int64
    public let displayName: String
    public let email: String
    public let username: String
    public let avatarURL: String?
}
