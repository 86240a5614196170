internal import ArgumentParser
internal import CardSecrets
internal import FoundationEssentials
internal import Simulator

/// Which reader, card and cardholder a payment runs with.
struct WorldOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The first USB reader, usb:ID for another one, pcsc:NAME for one of pcscd's, or a simulated reader.",
            discussion: """
                'cardpresent readers list' shows the readers that are plugged in, with --pcsc those that pcscd has. A \
                part of NAME will do.
                """),
        completion: .custom { _, _, _ in await PCSCReaderCatalogue.completions() })
    var reader = ReaderChoice.simulated(model: SimulatedReaderModel.tpdu.name)
    @Option(
        help: ArgumentHelp(
            "The card in a simulated reader: the name of a profile or the path of a profile file.",
            discussion: "'cardpresent cards list' shows the profiles.", valueName: "profile"),
        completion: CardCatalogue.completion)
    var card = "visa-credit"
    // Whatever comes next is the PIN: as an unknown option it would be repeated in an error message.
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The PIN that the cardholder types; '-' reads it from standard input.",
            discussion: """
                Without it a simulated cardholder types what the profile says, and at a real reader the program asks at \
                the terminal. A PIN on the command line can be seen by other users of the machine.
                """, valueName: "digits"))
    var pin: String?
    @OptionGroup var determinism: DeterminismOptions
    @Option(
        help: ArgumentHelp(
            "Write every exchange with the card to this file, a JSON object a line, card data masked.",
            valueName: "file"),
        completion: .file())
    var trace: String?

    /// What a scenario calls the card: a path that holds from anywhere, or a name.
    var cardName: String {
        guard card.contains("/") || card.hasSuffix(".yaml") || card.hasSuffix(".yml") else { return card }
        return URL(filePath: card).standardizedFileURL.path
    }

    /// The recorder of a trace; nil when none is wanted.
    ///
    /// - Throws: `CommandFailure`
    func traceFile() throws(CommandFailure) -> TraceFile? {
        if let trace { try TraceFile(path: trace) } else { nil }
    }
}
