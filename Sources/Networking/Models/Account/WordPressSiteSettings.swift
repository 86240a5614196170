/// What a site says about itself (`wp/v2/settings`).
public struct WordPressSiteSettings: Codable, Hashable, Sendable {
    public let title: String
    public let description: String
    public let url: String
}
