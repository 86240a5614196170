internal import ArgumentParser
internal import SettingsFile
internal import Simulator

/// How the simulated issuer answers.
struct IssuerOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Rules of the simulated issuer: the name of built-in ones or the path of a YAML file.",
            discussion: """
                They go before what the card's profile says. 'cents' lets the cents of the amount pick the answer: 10.51 is \
                declined with 51.
                """, valueName: "rules"),
        completion: .list(IssuerRulesLibrary.names))
    var issuerRules: String?

    /// The rules in force; none when none are named.
    ///
    /// - Throws: `CommandFailure`
    func rules() throws(CommandFailure) -> IssuerRules {
        guard let issuerRules else { return IssuerRules() }
        do throws(IssuerRulesError) {
            return try IssuerRulesLibrary.rules(issuerRules)
        } catch {
            switch error {
            case .unknownRules(let name, let known, let nearest):
                throw CommandFailure(
                    .usage, code: "unknown_issuer_rules", message: "there are no issuer rules '\(name)'",
                    fix: (nearest.map { "did you mean '\($0)'? " } ?? "")
                        + "give the path of a YAML file, or one of: " + known.joined(separator: ", "))
            case .malformed(let error):
                throw CommandFailure(
                    .badData, code: "malformed_issuer_rules", message: error.located, fix: error.fix)
            }
        }
    }
}
