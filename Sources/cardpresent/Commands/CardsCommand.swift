internal import ArgumentParser
internal import Simulator

/// `cards`
struct CardsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cards", abstract: "Shows the simulated cards.",
        subcommands: [ListCards.self, ShowCard.self])
}

/// `cards list`
struct ListCards: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "Lists the simulated cards.")

    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await output.reporting {
            let cards = try CardProfileLibrary.names.map { CardView(try CardCatalogue.profile($0)) }
            guard !output.json else { return try StandardOutput.write(json: cards) }
            let width = cards.map(\.name.count).max() ?? 0
            for card in cards {
                try StandardOutput.write(card.name.padded(to: width) + "  " + card.description + "\n")
            }
        }
    }
}

/// `cards show`
struct ShowCard: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Shows what a simulated card is made of.")

    @Argument(help: "The name of a profile, or the path of a profile file.", completion: CardCatalogue.completion)
    var card: String
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await output.reporting {
            let card = CardView(try CardCatalogue.profile(card))
            guard !output.json else { return try StandardOutput.write(json: card) }
            try StandardOutput.write(card.text)
        }
    }
}
