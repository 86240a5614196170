// Made by Scripts/generate from Sources/Networking/Models/Account/UsernameSuggestions.swift: change that, not this.
extension UsernameSuggestions {
    /// The same with other values for what is given; what is nil stays.
    public func copy(suggestions: [String]? = nil) -> UsernameSuggestions {
        UsernameSuggestions(suggestions: suggestions ?? self.suggestions)
    }
}
