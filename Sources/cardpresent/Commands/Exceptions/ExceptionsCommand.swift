internal import ArgumentParser

/// `exceptions`
struct ExceptionsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "exceptions", abstract: "Keeps the list of cards that are not to be taken.",
        discussion: """
            A card on the list sets a bit of the TVR (byte 1, bit 5), and the action codes decide what becomes of the \
            payment. Card numbers are read from standard input alone, and a keyed hash is all that is kept of them, \
            with the last four digits.
            """,
        subcommands: [AddExceptions.self, ListExceptions.self, RemoveExceptions.self])
}
