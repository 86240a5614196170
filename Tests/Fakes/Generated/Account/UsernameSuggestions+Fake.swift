// Made by Scripts/generate from Sources/Networking/Models/Account/UsernameSuggestions.swift: change that, not this.
public import Networking

extension UsernameSuggestions: Fakeable {
    public static func fake(from source: inout FakeSource) -> UsernameSuggestions {
        UsernameSuggestions(suggestions: .fake(from: &source))
    }
}
