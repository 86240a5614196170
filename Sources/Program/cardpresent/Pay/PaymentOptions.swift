public import ArgumentParser
import FoundationEssentials
import Payments
import Settings
import Simulator

/// The reader, card, and cardholder of a payment.
struct EnvironmentOptions: ParsableArguments {
    @Option(
        name: .customLong("reader"),
        help: ArgumentHelp(
            "Card reader: usb (the first one), usb:ID, pcsc:NAME (through pcscd), or a simulated reader.",
            discussion: """
                Default: simulated:tpdu; with --tap simulated:contactless. 'cardpresent readers list' lists the \
                connected readers, and 'cardpresent readers list --pcsc' those of pcscd. NAME may be part of the \
                reader's name.
                """, valueName: "reader"),
        completion: .custom { _, _, _ in await PCSCReaderCatalog.completions() })
    var chosenReader: ReaderChoice?
    @Option(
        name: .customLong("card"),
        help: ArgumentHelp(
            "Card in the simulated reader: a profile name or the path of a profile file.",
            discussion: """
                Default: visa-credit; with --tap k8-credit. 'cardpresent cards list' lists the profiles.
                """, valueName: "profile"),
        completion: CardCatalog.completion)
    var chosenCard: String?
    @Flag(help: "Tap the card on a simulated reader.")
    var tap = false
    @Flag(help: "Insert the card into a simulated reader.")
    var insert = false
    // Takes the next word as the PIN in any case: an error about an unknown option would print it.
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "PIN of the cardholder; '-' reads it from standard input.",
            discussion: """
                Default: the PIN in the card profile for a simulated reader, or a prompt on the terminal for a real \
                reader. Other users of this machine can see a PIN on the command line.
                """, valueName: "digits"))
    var pin: String?
    @OptionGroup var determinism: DeterminismOptions
    @Option(
        help: ArgumentHelp(
            "Write each card exchange to this file as JSON lines, with card data masked.",
            valueName: "file"),
        completion: .file())
    var trace: String?
    @Flag(
        help: ArgumentHelp(
            "Write the trace of a simulated card without masking, so that 'emv replay' can play it.",
            discussion: "Only with a simulated reader. The PIN is left out."))
    var traceClear = false

    func validate() throws {
        guard !tap || !insert else { throw ValidationError("--tap and --insert cannot be used together") }
        if tap || insert {
            guard case .simulated(let name) = reader else {
                throw ValidationError("--tap and --insert require a simulated reader: present the card yourself")
            }
            if let model = SimulatedReader.all.first(where: { $0.name == name }) { try validate(model) }
        }
        guard !traceClear || trace != nil else { throw ValidationError("--trace-clear requires --trace") }
    }

    private func validate(_ model: SimulatedReader) throws {
        if tap, !model.takesTappedCards {
            throw ValidationError(
                "--tap: no card can be tapped on simulated:\(model.name); use --reader simulated:contactless or "
                    + "simulated:dual-interface")
        }
        if insert, !model.takesInsertedCards {
            throw ValidationError(
                "--insert: simulated:\(model.name) has no slot for chips; use --reader simulated:dual-interface or "
                    + "simulated:tpdu")
        }
    }

    var reader: ReaderChoice {
        chosenReader
            ?? .simulated(model: tap ? SimulatedReaderModel.contactless.name : SimulatedReaderModel.tpdu.name)
    }

    /// A profile name, or the path of a profile file.
    var card: String { chosenCard ?? (tap ? "k8-credit" : "visa-credit") }

    /// How the simulated cardholder presents the card.
    var habit: PresentationHabit { tap ? .tap : insert ? .insert : .asTheCardAllows }

    /// The card's name in a scenario: an absolute path or a profile name.
    var cardName: String {
        guard card.contains("/") || card.hasSuffix(".yaml") || card.hasSuffix(".yml") else { return card }
        return URL(filePath: card).standardizedFileURL.path
    }

    /// Opens the trace file; returns nil without `--trace`.
    ///
    /// - Throws: `CommandFailure`
    func traceFile() throws(CommandFailure) -> TraceFile? {
        if let trace { try TraceFile(path: trace) } else { nil }
    }
}

/// The reader that takes the payment.
enum ReaderChoice: Hashable, Sendable, ExpressibleByArgument {
    /// The first USB reader, or the one with this identifier.
    case usb(id: String?)
    /// The first reader of pcscd, or the one whose name contains `name`.
    case pcsc(name: String?)
    /// A simulated reader of this model.
    case simulated(model: String)

    init?(argument: String) {
        let parts = argument.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        switch parts.first {
        case "usb": self = .usb(id: parts.count == 2 ? parts[1] : nil)
        case "pcsc": self = .pcsc(name: parts.count == 2 && !parts[1].isEmpty ? parts[1] : nil)
        case "simulated": self = .simulated(model: parts.count == 2 ? parts[1] : SimulatedReaderModel.tpdu.name)
        default: return nil
        }
    }

    var defaultValueDescription: String {
        switch self {
        case .usb(let id): id.map { "usb:\($0)" } ?? "usb"
        case .pcsc(let name): name.map { "pcsc:\($0)" } ?? "pcsc"
        case .simulated(let model): "simulated:\(model)"
        }
    }

    static var allValueStrings: [String] {
        ["usb", "pcsc", "simulated"] + SimulatedReader.all.map { "simulated:\($0.name)" }
    }
}

extension AccountType: ExpressibleByArgument {}

/// The random seed and clock of a simulated run.
struct DeterminismOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Random seed. The same seed gives the same bytes.",
            discussion: """
                The simulated clock starts at 2026-01-02 12:00 UTC and advances only while the program waits. A new \
                database gets the same rows, except for the key of the exception file and the hashes made with it.
                """,
            valueName: "number"))
    var seed: UInt64?

    var repeatability: Repeatability { Repeatability(seed: seed) }
}

/// The rules of the simulated issuer.
struct IssuerOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Rules of the simulated issuer: a built-in name or the path of a YAML file.",
            discussion: """
                They take precedence over the card profile. With 'cents', the cents of the amount select the response \
                code: 10.51 is declined with 51.
                """, valueName: "rules"),
        completion: .list(IssuerRulesLibrary.names))
    var issuerRules: String?

    /// Returns the rules; empty rules without `--issuer-rules`.
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
                    .usage, code: "unknown_issuer_rules", message: "unknown issuer rules '\(name)'",
                    fix: (nearest.map { "did you mean '\($0)'? " } ?? "")
                        + "give the path of a YAML file or one of: " + known.joined(separator: ", "))
            case .malformed(let error):
                throw CommandFailure(
                    .badData, code: "malformed_issuer_rules", message: error.located, fix: error.fix)
            }
        }
    }
}
