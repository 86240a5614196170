internal import ArgumentParser
internal import Yosemite

/// `receipts jobs`
struct ListPrints: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "jobs", abstract: "Shows what became of prints, newest first, with every state and its time.",
        discussion: """
            The print server is asked about jobs whose program has ended. A job that nobody can tell of any more is \
            unknown: there may be paper.
            """)

    @Argument(help: "The payment, for example P000001. Default: every payment.")
    var payment: PaymentName?
    @Flag(help: "Show all of them. Without it, and without a payment, the last twenty are shown.")
    var all = false
    @OptionGroup var configurationOptions: ConfigurationOptions
    @OptionGroup var data: DatabaseOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await output.reporting {
            let till = try await Till.open(settings: try configurationOptions.load(), data: data)
            till.announceRecovery()
            await till.resolvePrints()
            let prints = try await till.prints(of: payment?.id, limit: all || payment != nil ? nil : 20)
            guard !output.json else { return try StandardOutput.write(json: prints.map { ReceiptPrintView($0) }) }
            if prints.isEmpty { StandardError.write("Nothing was printed yet.\n") }
            try StandardOutput.write(prints.map(\.text).joined())
        }
    }
}
