internal import ArgumentParser
internal import SettingsFile
internal import Simulator

/// Finds card profiles for commands.
enum CardCatalogue {
    static var completion: CompletionKind { .list(CardProfileLibrary.names) }

    /// - Throws: `CommandFailure`
    static func profile(_ nameOrPath: String) throws(CommandFailure) -> CardProfile {
        do throws(CardProfileError) {
            return try CardProfileLibrary.profile(nameOrPath)
        } catch {
            switch error {
            case .unknownProfile(let name, let known, let nearest):
                throw CommandFailure(
                    .usage, code: "unknown_card_profile", message: "there is no card profile '\(name)'",
                    fix: (nearest.map { "did you mean '\($0)'? " } ?? "") + "profiles: " + known.joined(separator: ", ")
                )
            case .malformed(let error):
                throw CommandFailure(
                    .badData, code: "malformed_card_profile", message: error.located, fix: error.fix)
            }
        }
    }
}
