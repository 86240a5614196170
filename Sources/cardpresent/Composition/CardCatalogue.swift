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
            throw CommandFailure(error)
        }
    }

    /// What the card that comes with the program under this name is for.
    ///
    /// - Throws: `CommandFailure`
    static func summary(of name: String) throws(CommandFailure) -> String {
        do throws(CardProfileError) {
            return try CardProfileLibrary.summary(of: name) ?? ""
        } catch {
            throw CommandFailure(error)
        }
    }
}

extension CommandFailure {
    fileprivate init(_ error: CardProfileError) {
        switch error {
        case .unknownProfile(let name, let known, let nearest):
            self.init(
                .usage, code: "unknown_card_profile", message: "there is no card profile '\(name)'",
                fix: (nearest.map { "did you mean '\($0)'? " } ?? "") + "profiles: " + known.joined(separator: ", "))
        case .malformed(let error):
            self.init(.badData, code: "malformed_card_profile", message: error.located, fix: error.fix)
        }
    }
}
