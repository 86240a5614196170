import ArgumentParser
import Glibc

/// The command-line program.
@main
enum CardPresent {
    static func main() async {
        ProcessSetup.prepare()
        let status = await run()
        OpenDatabases.close()
        // Not exit(3): it would run the handlers of libraries, such as OpenSSL's, which free what other threads still
        // use.
        fflush(nil)
        _exit(status)
    }

    /// Runs the command.
    ///
    /// - Returns: The exit code.
    private static func run() async -> Int32 {
        do {
            let arguments = Array(CommandLine.arguments.dropFirst())
            try MistypedArguments.refuse(arguments)
            var command: any ParsableCommand =
                GuideCommand.isMeant(by: arguments)
                ? try GuideCommand.parse(arguments) : try await RootCommand.asyncParseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
            return EXIT_SUCCESS
        } catch var failure as CommandFailure {
            Display.begin(arguments: CommandLine.arguments)
            failure.message = TypedCardNumber.masked(failure.message, CommandLine.arguments)
            return FailureReport(arguments: CommandLine.arguments.dropFirst()).tell(failure).rawValue
        } catch {
            return tell(error)
        }
    }

    /// Reports an error of the argument parser, which can also be a request for help, or a bare exit code of a command
    /// that has already reported its failure.
    ///
    /// The parser's own `exit(withError:)` would write what was typed without masking it.
    ///
    /// - Returns: The exit code.
    private static func tell(_ error: any Error) -> Int32 {
        let (status, arguments) = (RootCommand.exitCode(for: error), CommandLine.arguments)
        let text = RootCommand.fullMessage(for: error)
        guard !status.isSuccess else {
            if !text.isEmpty { try? StandardOutput.write(text + "\n") }
            return status.rawValue
        }
        Display.begin(arguments: arguments)
        let report = FailureReport(arguments: arguments.dropFirst())
        let message = TypedCardNumber.masked(RootCommand.message(for: error), arguments)
        if let better = MistypedArguments.failure(insteadOf: message, arguments) { return report.tell(better).rawValue }
        let label = "Error:"
        let told = TypedCardNumber.masked(text, arguments)
        if told.hasPrefix(label) {
            StandardError.write(WordColor.bad.onError(label) + told.dropFirst(label.count) + "\n")
        } else if !told.isEmpty {
            StandardError.write(told + "\n")
        }
        if !(error is ExitCode), status == .validationFailure {
            report.tellPrograms(
                CommandFailure(.usage, code: "usage", message: message))
        }
        return status.rawValue
    }
}

/// `cardpresent`
struct RootCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cardpresent",
        abstract: "Take card-present payments, record them, and print receipts.",
        discussion: """
            EXAMPLES:
              cardpresent pay 12.50
              cardpresent payments list
              cardpresent receipts print P000001
              cardpresent doctor

            For testing and development only: no EMVCo approval, no PCI assessment. Without a payment host in \
            the configuration, a simulated issuer answers, and no money moves.

            Exit codes: 0 approved or done, 1 internal error, 2 declined, 3 canceled, 4 outcome unknown, 5 reader or \
            card, 6 printer, 7 comparison found differences, 64 usage, 65 bad data, 66 no such database, 69 \
            unavailable, 75 try again, 78 configuration.
            """,
        version: Version.text,
        subcommands: [
            PayCommand.self, RefundCommand.self, PaymentsCommand.self, ReceiptsCommand.self, PrintersCommand.self,
            DrawerCommand.self, ReadersCommand.self, TerminalCommand.self, LoginCommand.self, LogoutCommand.self,
            SitesCommand.self,
            OrdersCommand.self, CustomersCommand.self, StatsCommand.self, SettingsCommand.self, TaxesCommand.self,
            ShipmentsCommand.self, CommentsCommand.self, NotificationsCommand.self, CardsCommand.self,
            SimulateCommand.self, ExceptionsCommand.self, IssuerCommand.self, HostCommand.self, FleetCommand.self,
            InitCommand.self, ConfigCommand.self, FeaturesCommand.self, EMVCommand.self, DebugCommand.self,
            DoctorCommand.self, BackupCommand.self, RestoreCommand.self, MetricsCommand.self, ManPagesCommand.self,
        ])
}

/// The version that `--version` shows: `0.2.0`, or `0.2.0 (abc1234)` when `Scripts/build-release` built the program.
enum Version: BuildInformation {
    static let number = "0.2.0"
    /// The day of its release, for the manual.
    static let date = "2026-11-23"

    /// The version number, with the commit when it is known.
    static var text: String { commit.map { "\(number) (\($0))" } ?? number }
}

/// The properties of the build, set by a build script.
///
/// `Scripts/build-release` adds a file to this target for the time of the build. It declares `commit` on ``Version``
/// itself, which takes precedence over the default here.
protocol BuildInformation {}

extension BuildInformation {
    /// The abbreviated Git commit; nil when `swift build` built the program.
    static var commit: String? { nil }
}
