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
    @Option(
        help: ArgumentHelp(
            "ISO 4217 code of the currency. Default: the configuration's, USD without one.", valueName: "code"))
    var currency: String?
    @Option(help: ArgumentHelp("The number of the order that is paid.", valueName: "number"))
    var order: Int64?
    @OptionGroup var world: WorldOptions
    @Flag(help: "Ask the issuer whatever the card says.")
    var forceOnline = false
    @Option(help: ArgumentHelp("How long to wait for a card.", valueName: "seconds"))
    var timeout: Int = 60
    @OptionGroup var issuer: IssuerOptions
    @Option(
        help: ArgumentHelp(
            "Print the merchant's and the customer's receipt on this printer.",
            discussion: "A receipt that cannot be printed changes nothing about the payment or the exit code.",
            valueName: "queue"))
    var printer: String?
    @OptionGroup var configurationOptions: ConfigurationOptions
    @OptionGroup var data: DatabaseOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (1...3600).contains(timeout) else { throw ValidationError("--timeout is 1 to 3600 seconds") }
        guard order ?? 0 >= 0 else { throw ValidationError("--order is the number of an order, zero or more") }
    }

    func run() async throws {
        try await output.reporting(withOutcome: true) {
            let settings = try configurationOptions.load()
            let rules = try issuer.rules()
            let amount = try settings.amount(amount, currency: currency)
            // Typed before the signals are watched: whoever is asked for a PIN can still end the program at once.
            let pin = try PINOption.digits(world.pin)
            let progress = ProgressDisplay(isEnabled: StandardError.isTerminal)
            let update = UpdateProgress(isShown: StandardError.isTerminal)
            let cancellation = Cancellation()
            let (till, payment) = try await CancellationSignals.watching {
                let till = try await Till.open(
                    world, pin: pin, currency: amount.currency, settings: settings, data: data, rules: rules)
                till.announceRecovery()
                let request = PaymentRequest(
                    orderID: order, amount: amount, cardTimeout: .seconds(timeout), forcedOnline: forceOnline)
                let payment = try await till.pay(
                    request, cancellation: cancellation, onUpdate: update.show, onEvent: progress.show)
                return (till, payment)
            } onSignal: {
                progress.showCancelling()
                await cancellation.request()
            }
            if let warning = till.traceWarning { StandardError.write("cardpresent: \(warning)\n") }
            try await tell(payment, settings: settings, till: till)
        }
    }

    private func tell(_ payment: Payment, settings: TillConfiguration, till: Till) async throws {
        let failure = CommandFailure(payment)
        if !output.json {
            var text = "\(payment.outcome.rawValue.uppercased())  \(payment.amount)  \(payment.name)\n"
            if let receipt = try? await till.receiptText(of: payment.id, copy: .customer, width: settings.receiptWidth)
            {
                text += "\n" + receipt
            }
            Outcome.tell { () throws(CommandFailure) in try StandardOutput.write(text) }
        }
        var view = OutcomeView(payment, failure: failure)
        if let printer, payment.card != nil {
            do throws(CommandFailure) {
                view.prints = []
                for copy in ReceiptCopy.allCases {
                    view.prints?.append(
                        try await till.printReceipt(
                            of: payment.id, copy: copy, on: printer, width: settings.receiptWidth))
                }
            } catch {
                view.printError = ErrorView(error)
                error.report()
            }
        }
        if output.json {
            Outcome.tell { () throws(CommandFailure) in try StandardOutput.write(json: view) }
        }
        try Outcome.end(failure)
    }
}
