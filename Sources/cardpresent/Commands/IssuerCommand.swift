internal import ArgumentParser
internal import Simulator

/// `issuer`
struct IssuerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "issuer", abstract: "Shows the book of the simulated issuer, and compares it with the till's.",
        subcommands: [ShowIssuerLedger.self, ReconcileIssuer.self])
}

/// `issuer ledger`
struct ShowIssuerLedger: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ledger", abstract: "Lists the issuer's book of a database, oldest entry first.",
        discussion: "The book is the file beside the database whose name ends in '.issuer'.")

    @OptionGroup var data: DatabaseOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        try output.reporting {
            let book = try HostFactory.book(beside: try data.path())
            let views = book.entries.enumerated().map { IssuerEntryView($1, number: $0 + 1) }
            guard !output.json else { return try StandardOutput.write(json: views) }
            if views.isEmpty { StandardError.write("No entries yet.\n") }
            try StandardOutput.write(IssuerEntryView.table(views))
        }
    }
}

/// `issuer reconcile`
struct ReconcileIssuer: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reconcile", abstract: "Compares the issuer's book with the till's journal, attempt by attempt.",
        discussion: """
            Attempts that a killed process left in the middle are brought to an end first. Exits with 0 when both books \
            say the same, with 7 when they differ, and with 4 when they agree but for attempts that have not come to \
            an end.
            """)

    @OptionGroup var issuer: IssuerOptions
    @OptionGroup var configurationOptions: ConfigurationOptions
    @OptionGroup var data: DatabaseOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await output.reporting {
            let till = try await Till.open(
                settings: try configurationOptions.load(), data: data, rules: try issuer.rules())
            till.announceRecovery()
            let result = IssuerReconciliation(
                till: try await till.attemptsAtIssuer(), issuer: try HostFactory.book(beside: try data.path()))
            let view = ReconciliationView(result)
            if output.json { try StandardOutput.write(json: view) } else { try StandardOutput.write(view.text) }
            guard result.agrees else { throw ExitCode(ExitStatus.differs.rawValue) }
            guard !result.hasOpen else { throw ExitCode(ExitStatus.outcomeUnknown.rawValue) }
        }
    }
}
