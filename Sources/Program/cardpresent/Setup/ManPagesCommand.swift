import ArgumentParser
import CardSecrets
import FoundationEssentials
import ManualPages

/// `man-pages`, for those who package the program; not in the list of commands.
struct ManPagesCommand: SynchronousReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "man-pages", abstract: "Write a manual page for each command.",
        discussion: """
            EXAMPLES:
              cardpresent man-pages /usr/local/share/man/man1

            The pages are made from the commands themselves. The same version writes the same bytes.
            """, shouldDisplay: false)

    @Argument(help: "Folder for the pages. It is created if it does not exist.", completion: .directory)
    var directory: String
    @OptionGroup var output: OutputOptions

    func execute() throws {
        let facts = ManualFacts(
            source: "cardpresent \(Version.number)", date: Version.date, environment: Self.environment,
            exitCodes: Self.exitCodes)
        let pages: [ManualPage]
        do { pages = try ManualPage.pages(dump: RootCommand._dumpHelp(), facts) } catch {
            throw CommandFailure(.internalError, code: "internal", message: "cannot describe the commands: \(error)")
        }
        do {
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        } catch {
            throw CommandFailure(
                .unavailable, code: "output_failed", message: "cannot create the folder '\(directory)'",
                fix: "choose a writable folder")
        }
        for page in pages { try OutputFile(path: directory + "/" + page.fileName).write(Array(page.text.utf8)) }
        try output.write(
            ["pages": pages.map(\.fileName)], text: "\(pages.count) pages in \(CardNumberMask.masked(directory))\n")
    }

    private static let environment: [(name: String, meaning: String)] = [
        ("CARDPRESENT_CONFIG", "The configuration file without --config."),
        ("CARDPRESENT_DATABASE", "The database file without --database."),
        ("CARDPRESENT_FEATURES", "Features to enable and disable."), ("CUPS_SERVER", "The print server."),
        ("CARDPRESENT_QUEUE", "The database of 'simulate work' without --queue."),
        ("CARDPRESENT_FLEET", "The database of the back office without --office."),
        ("NO_COLOR", "No color on a terminal, when it is set and not empty."),
        ("XDG_CONFIG_HOME", "The folder of the configuration; without it ~/.config."),
        ("XDG_DATA_HOME", "The folder of the database; without it ~/.local/share."),
    ]

    private static let exitCodes: [(code: Int32, meaning: String)] = [
        (0, "Approved or done."), (1, "Internal error."), (2, "Declined."), (3, "Canceled."),
        (4, "The outcome is unknown: the card may have been charged, or a receipt printed."),
        (5, "The reader or the card."), (6, "The printer."),
        (7, "A comparison found differences, or the clerk has to decide."), (64, "The command line."),
        (65, "Bad data."), (66, "The database does not exist."), (69, "A file, host, or store is unavailable."),
        (75, "Try again."), (78, "The configuration, or a missing sign-in."),
    ]
}
