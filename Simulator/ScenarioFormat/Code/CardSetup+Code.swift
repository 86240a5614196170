public import Simulator

extension CardSetup {
    /// A card in code: `CardSetup("pin-required") { $0.types([.wrong, .right]) }`.
    ///
    /// - Parameters:
    ///   - profile: the name of a built-in profile, or the path of one.
    ///   - name: what the scenario calls it, since one name is one piece of plastic; nil for the profile's own name.
    ///   - change: makes the card and its holder otherwise than the profile.
    /// - Throws: `CardProfileError` when there is no such profile, or it cannot be read.
    public init(
        _ profile: String, named name: String? = nil, change: (inout CardProfile) -> Void = { _ in }
    ) throws(CardProfileError) {
        var card = try CardProfileLibrary.profile(profile)
        change(&card)
        self.init(name: name ?? profile, profile: card)
    }
}
