// @model
/// What a site says about itself (`wp/v2/settings`).
public struct WordPressSiteSettings: Codable, Hashable, Sendable {
    public let title: String
    public let description: String
    public let url: String

    // Made by Scripts/generate.
    public init(title: String, description: String, url: String) {
        self.title = title
        self.description = description
        self.url = url
    }
    // End of what was made.
}
