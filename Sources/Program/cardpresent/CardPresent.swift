internal import ArgumentParser

/// The command-line program.
@main
enum CardPresent {
    static func main() async {
        ProcessSetup.prepare()
        do {
            try NegativeAmount.refuse(CommandLine.arguments.dropFirst())
            var command = try await RootCommand.asyncParseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch let failure as CommandFailure {
            FailureReport(arguments: CommandLine.arguments.dropFirst()).tell(failure)
            RootCommand.exit(withError: ExitCode(failure.status.rawValue))
        } catch {
            // A bare exit code comes from a command that has already reported its failure.
            if !(error is ExitCode), RootCommand.exitCode(for: error) == .validationFailure {
                let failure = CommandFailure(.usage, code: "usage", message: RootCommand.message(for: error))
                FailureReport(arguments: CommandLine.arguments.dropFirst()).tellPrograms(failure)
            }
            RootCommand.exit(withError: error)
        }
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

            For testing and development only: no EMVCo approval, no PCI assessment. The payment host is a simulated \
            issuer, and no money moves.

            Exit codes: 0 approved or done, 1 internal error, 2 declined, 3 canceled, 4 outcome unknown, 5 reader or \
            card, 6 printer, 7 comparison found differences, 64 usage, 65 bad data, 69 unavailable, 75 try again, 78 \
            configuration.
            """,
        version: Version.text,
        subcommands: [
            PayCommand.self, RefundCommand.self, PaymentsCommand.self, ReceiptsCommand.self, PrintersCommand.self,
            DrawerCommand.self, ReadersCommand.self, LoginCommand.self, LogoutCommand.self, SitesCommand.self,
            OrdersCommand.self, CustomersCommand.self, StatsCommand.self, SettingsCommand.self, TaxesCommand.self,
            ShipmentsCommand.self, CommentsCommand.self, NotificationsCommand.self, CardsCommand.self,
            SimulateCommand.self, ExceptionsCommand.self, IssuerCommand.self, ConfigCommand.self,
            FeaturesCommand.self, EMVCommand.self, DebugCommand.self, DoctorCommand.self,
        ])
}

/// Rejects a negative amount before the parser mistakes it for an unknown option.
enum NegativeAmount {
    /// - Throws: `CommandFailure` when a negative number is given as the amount.
    static func refuse(_ arguments: some Collection<String>) throws(CommandFailure) {
        guard arguments.first == "pay" else { return }
        for (previous, argument) in zip(arguments, arguments.dropFirst()) where isNegativeNumber(argument) {
            // After an option it is that option's value, which may be a PIN.
            guard !previous.hasPrefix("-") || flags.contains(previous) else { continue }
            throw CommandFailure(
                .usage, code: "invalid_amount", message: "'\(argument)' is negative: the amount must be more than zero",
                fix: "give a decimal such as 12.50; to refund a payment use 'cardpresent refund'")
        }
    }

    /// Options that take no value.
    private static let flags: Set<String> = ["--json", "--force-online"]

    private static func isNegativeNumber(_ argument: String) -> Bool {
        let digits = argument.dropFirst().drop { $0 == "." }
        return argument.first == "-" && digits.first?.isNumber == true
    }
}

/// The version that `--version` shows: `0.2.0`, or `0.2.0 (abc1234)` when `Scripts/build-release` built the program.
enum Version: BuildInformation {
    static let number = "0.2.0"

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
