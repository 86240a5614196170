internal import Amounts
internal import ArgumentParser
internal import Storage
internal import Yosemite

/// `payments`
struct PaymentsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "payments", abstract: "Shows payments, and finishes what was left in the middle.",
        subcommands: [ListPayments.self, ShowPayment.self, RecoverPayments.self, SettlePayments.self])
}

/// `payments list`
struct ListPayments: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Lists payments, newest first.",
        discussion: """
            Attempts that a killed process left in the middle are brought to an end first, and the store is told of \
            payments that it does not know of yet.
            """)

    @Option(help: ArgumentHelp("The most payments to show.", valueName: "number"))
    var limit: Int?
    @OptionGroup var configurationOptions: ConfigurationOptions
    @OptionGroup var data: DatabaseOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard limit ?? 1 > 0 else { throw ValidationError("--limit is 1 or more") }
    }

    func run() async throws {
        try await output.reporting {
            let till = try await Till.open(settings: try configurationOptions.load(), data: data)
            till.announceRecovery()
            let payments = try await till.payments(limit: limit)
            guard !output.json else { return try StandardOutput.write(json: payments.map(PaymentView.init)) }
            if payments.isEmpty { StandardError.write("No payments yet.\n") }
            try StandardOutput.write(PaymentTable.text(payments))
        }
    }
}

/// `payments show`
struct ShowPayment: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Shows a payment and the story of its attempts.")

    @Argument(help: "The payment, for example P000001.")
    var payment: PaymentName
    @OptionGroup var configurationOptions: ConfigurationOptions
    @OptionGroup var data: DatabaseOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await output.reporting {
            let till = try await Till.open(settings: try configurationOptions.load(), data: data)
            till.announceRecovery()
            let view = PaymentHistoryView(try await till.payment(payment.id))
            guard !output.json else { return try StandardOutput.write(json: view) }
            try StandardOutput.write(view.text)
        }
    }
}

/// `payments recover`
struct RecoverPayments: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "recover", abstract: "Brings payments to an end that were left in the middle.",
        discussion: """
            A sale whose answer never came is taken back; a refund is asked about. Exits with 4 when the host does not \
            answer and something stays open.
            """)

    @OptionGroup var issuer: IssuerOptions
    @OptionGroup var configurationOptions: ConfigurationOptions
    @OptionGroup var data: DatabaseOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await output.reporting {
            let till = try await Till.open(
                settings: try configurationOptions.load(), data: data, rules: try issuer.rules())
            let report = till.recovered
            if output.json {
                try StandardOutput.write(
                    json: RecoveryView(
                        finished: report.finished.map(PaymentView.init), open: report.open.map(PaymentView.init),
                        failed: report.failed.map {
                            RecoveryView.Failure(payment: $0.payment, message: $0.error.description)
                        }))
            } else {
                let open = report.open.count + report.failed.count
                try StandardOutput.write("\(report.finished.count) finished, \(open) still open\n")
                try StandardOutput.write(PaymentTable.text(report.finished + report.open))
            }
            for failure in report.failed { StandardError.write("cardpresent: \(failure.payment): \(failure.error)\n") }
            guard report.open.isEmpty, report.failed.isEmpty else { throw ExitCode(ExitStatus.outcomeUnknown.rawValue) }
        }
    }
}
