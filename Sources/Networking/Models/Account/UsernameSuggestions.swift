// @model
/// Names that are free (`rest/v1.1/users/username/suggestions`).
public struct UsernameSuggestions: Codable, Hashable, Sendable {
    public let suggestions: [String]

    // Made by Scripts/generate.
    public init(suggestions: [String]) {
        self.suggestions = suggestions
    }
    // End of what was made.
}
