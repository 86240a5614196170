internal import ArgumentParser
internal import CardSecrets
internal import Simulator

/// Which reader, card and cardholder a payment runs with.
struct WorldOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "usb, usb:ID, simulated or simulated:MODEL.",
            discussion: "'cardpresent readers list' shows the readers that are plugged in."))
    var reader = ReaderChoice.simulated(model: SimulatedReaderModel.tpdu.name)
    @Option(
        help: "The card in a simulated reader: the name of a profile or the path of a profile file.",
        completion: CardCatalogue.completion)
    var card = "visa-credit"
    @Option(
        help: ArgumentHelp(
            "The PIN that the cardholder types; '-' reads it from standard input.",
            discussion: """
                Without it a simulated cardholder types what the profile says, and at a real reader the program asks at \
                the terminal. A PIN on the command line can be seen by other users of the machine.
                """, valueName: "digits"))
    var pin: String?
    @OptionGroup var determinism: DeterminismOptions
    @Option(
        help: "Write every exchange with the card to this file, a JSON object a line, card data masked.",
        completion: .file())
    var trace: String?
}
