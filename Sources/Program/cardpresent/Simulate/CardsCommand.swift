import ArgumentParser
import CardSecrets
import Money
import Simulator
import Text

/// `cards`
struct CardsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cards", abstract: "List and show simulated cards.",
        subcommands: [ListCards.self, ShowCard.self])
}

/// `cards list`
struct ListCards: SynchronousReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the simulated cards.",
        discussion: """
            EXAMPLES:
              cardpresent cards list
              cardpresent cards list --json
            """)

    @OptionGroup var output: OutputOptions

    // Synchronous: the list needs no other thread.
    func execute() throws {
        let names = CardProfileLibrary.allNames
        guard !output.json else {
            return try StandardOutput.write(json: names.map { try CardSummary(CardCatalog.profile($0)).json })
        }
        let width = names.map(\.count).max() ?? 0
        var text = "NAME".padded(to: width) + "  DESCRIPTION\n"
        for name in names {
            text += name.padded(to: width) + "  " + (try CardCatalog.summary(of: name)) + "\n"
        }
        try StandardOutput.write(text)
    }
}

/// `cards show`
struct ShowCard: SynchronousReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show a simulated card.",
        discussion: """
            EXAMPLES:
              cardpresent cards show visa-credit
            """)

    @Argument(help: "Profile name or path of a profile file.", completion: CardCatalog.completion)
    var card: String
    @OptionGroup var output: OutputOptions

    func execute() throws {
        try output.write(try CardSummary(CardCatalog.profile(card)))
    }
}

/// A simulated card.
private struct CardSummary: CommandResult {
    private let profile: CardProfile
    /// The references of the card's accounts in the issuer's ledger and rules.
    private let accountReferences: [String]

    /// - Throws: `CommandFailure`
    init(_ profile: CardProfile) throws(CommandFailure) {
        self.profile = profile
        do {
            accountReferences = try profile.accountReferences(keys: TestKeys.embedded())
        } catch {
            throw CommandFailure(
                .internalError, code: "internal", message: "cannot compute the card's account reference: \(error)")
        }
    }

    private var answerToReset: String { profile.reset.answer(warm: false).hexadecimal }

    var json: JSONObject {
        let applications = zip(profile.applications, accountReferences).map { application, reference -> JSONObject in
            [
                "aid": application.aid.hexadecimal, "label": application.label, "last4": application.last4,
                "accountReference": reference, "currency": application.currency.code,
                "cryptogram": "\(application.cryptogram)", "cvm": application.cvm,
            ]
        }
        return [
            "name": profile.name, "description": profile.summary, "interfaces": profile.interfaces,
            "answerToReset": answerToReset,
            "applications": applications,
        ]
    }

    var text: String {
        var lines = [profile.name, "  " + profile.summary]
        lines.append("  interfaces    " + (profile.interfaces.joined(separator: ", ").nonEmpty ?? "none"))
        lines.append("  ATR           " + (answerToReset.nonEmpty ?? "none: the card is mute"))
        for (application, reference) in zip(profile.applications, accountReferences) {
            lines.append("  application   \(application.label) (\(application.aid.hexadecimal))")
            lines.append("    PAN         **** **** **** \(application.last4)")
            lines.append("    account     \(reference)")
            lines.append("    currency    \(application.currency.code)")
            lines.append("    cryptogram  \(application.cryptogram)")
            lines.append("    CVM         " + (application.cvm.joined(separator: ", ").nonEmpty ?? "none"))
        }
        return lines.joined(separator: "\n") + "\n"
    }
}

extension ApplicationProfile {
    fileprivate var last4: String {
        pan.bytes.withUnsafeBytes { digits in
            String(decoding: digits.suffix(4).map { $0 % 10 + 0x30 }, as: UTF8.self)
        }
    }

    fileprivate var cvm: [String] { cardholderVerification?.rules.map { "\($0.method)" } ?? [] }
}
