internal import Amounts
internal import ArgumentParser
internal import Hardware
internal import Yosemite

/// `pay`
struct PayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pay", abstract: "Takes a card payment, records it and shows its receipt.",
        discussion: """
            The payment is in the journal before anything leaves this machine. Ctrl-C cancels it: what was sent is \
            taken back. Whatever happens, 'cardpresent payments list' tells what became of it.
            """)

    @Argument(help: "The amount as a decimal, for example 12.50.")
    var amount: String
    @Option(help: "ISO 4217 code of the currency. Default: the configuration's, USD without one.")
    var currency: String?
    @Option(help: "The number of the order that is paid.")
    var order: Int64?
    @OptionGroup var world: WorldOptions
    @Flag(help: "Ask the issuer whatever the card says.")
    var forceOnline = false
    @Option(help: "Seconds to wait for a card.")
    var timeout: Int = 60
    @Option(help: "Print the merchant's and the customer's receipt on this printer.")
    var printer: String?
    @OptionGroup var configurationOptions: ConfigurationOptions
    @OptionGroup var data: DatabaseOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (1...3600).contains(timeout) else { throw ValidationError("--timeout is 1 to 3600 seconds") }
        guard order ?? 0 >= 0 else { throw ValidationError("--order is a number of an order, zero or more") }
    }

    func run() async throws {
        try await output.reporting {
            let settings = try configurationOptions.load()
            let amount = try settings.amount(amount, currency: currency)
            let till = try await Till.open(world, currency: amount.currency, settings: settings, data: data)
            let progress = ProgressDisplay(isEnabled: StandardError.isTerminal && !output.json)
            let payment = try await CancellationSignals.watching {
                try await till.pay(
                    PaymentRequest(
                        orderID: order, amount: amount, cardTimeout: .seconds(timeout), forcedOnline: forceOnline),
                    onEvent: progress.show)
            } onCancel: {
                StandardError.write("\nCancelling …\n")
                await till.cancel()
            }
            try await tell(payment, settings: settings, till: till)
        }
    }

    private func tell(_ payment: Payment, settings: TillConfiguration, till: Till) async throws {
        let failure = CommandFailure(payment)
        if output.json {
            try StandardOutput.write(json: OutcomeView(payment, failure: failure))
        } else {
            StandardOutput.write("\(payment.outcome.rawValue.uppercased())  \(payment.amount)  \(payment.name)\n")
            if let receipt = try? await till.receiptText(of: payment.id, copy: .customer, width: settings.receiptWidth) {
                StandardOutput.write("\n" + receipt)
            }
        }
        if let printer {
            for copy in ReceiptCopy.allCases where payment.card != nil {
                _ = try await till.printReceipt(of: payment.id, copy: copy, on: printer, width: settings.receiptWidth)
            }
        }
        guard let failure else { return }
        failure.report()
        throw ExitCode(failure.status.rawValue)
    }
}
