internal import ArgumentParser
internal import Simulator

/// `cards`
struct CardsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cards", abstract: "Shows the simulated cards.",
        subcommands: [ListCards.self, ShowCard.self])
}

/// `cards list`
struct ListCards: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "Lists the simulated cards.")

    @OptionGroup var output: OutputOptions

    // On the main thread: a list is not worth a thread of its own.
    func run() throws {
        try output.reporting {
            let names = CardProfileLibrary.names
            guard !output.json else {
                return try StandardOutput.write(json: names.map { try CardView(CardCatalogue.profile($0)) })
            }
            let width = names.map(\.count).max() ?? 0
            var text = ""
            for name in names {
                text += name.padded(to: width) + "  " + (try CardCatalogue.summary(of: name)) + "\n"
            }
            try StandardOutput.write(text)
        }
    }
}

/// `cards show`
struct ShowCard: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Shows what a simulated card is made of.")

    @Argument(help: "The name of a profile, or the path of a profile file.", completion: CardCatalogue.completion)
    var card: String
    @OptionGroup var output: OutputOptions

    func run() throws {
        try output.reporting {
            let card = try CardView(CardCatalogue.profile(card))
            guard !output.json else { return try StandardOutput.write(json: card) }
            try StandardOutput.write(card.text)
        }
    }
}
