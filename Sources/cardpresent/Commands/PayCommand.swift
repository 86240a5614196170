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

            With --order the store that somebody is signed in to says what is to be paid, and is told when it is. The \
            exit code speaks of the money alone: 0 when it is taken, also when the store could not be told yet. That is \
            said on stderr and in the JSON, under capture; 'cardpresent payments settle' tells the store.
            """)

    @Argument(help: "The amount as a decimal, for example 12.50. Not with --order.")
    var amount: String?
    @Option(
        help: ArgumentHelp(
            "ISO 4217 code of the currency. Default: the configuration's, USD without one.", valueName: "code"))
    var currency: String?
    @Option(
        help: ArgumentHelp(
            "A tip on top of the amount. Not with --order: there a tip is a fee of the order.", valueName: "decimal"))
    var tip: String?
    @Option(help: ArgumentHelp("Pay this order of the store: its ID.", valueName: "id"))
    var order: Int64?
    @Option(
        help: ArgumentHelp(
            "The store's payment gateway that is told: woocommerce-payments or woocommerce-stripe. Default: the only "
                + "one that it has.", valueName: "gateway"))
    var gateway: String?
    @Option(help: "The account that the cardholder chose, where cards have several.")
    var account: AccountChoice?
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
            valueName: "queue"), completion: .printers)
    var printer: String?
    @Option(
        help: ArgumentHelp(
            "Write what happens to this file, a scenario that 'simulate run' plays again, without card data.",
            discussion: """
                It is written however the payment ends, and changes nothing about it or the exit code. docs/scenarios.md \
                says what a replay of a real card can show.
                """, valueName: "file"), completion: .file(extensions: ["yaml"]))
    var record: String?
    @Flag(help: "Replace an older recording.")
    var force = false
    @OptionGroup var configurationOptions: ConfigurationOptions
    @OptionGroup var data: DatabaseOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (1...3600).contains(timeout) else { throw ValidationError("--timeout is 1 to 3600 seconds") }
        guard order ?? 1 > 0 else { throw ValidationError("--order is the ID of an order, one or more") }
        guard (amount == nil) != (order == nil) else {
            throw ValidationError(
                amount == nil
                    ? "give an amount, or an order with --order" : "an order has its own amount: give one or the other")
        }
        guard order == nil || tip == nil else {
            throw ValidationError("an order has its own amount: its tip is a fee of the order in the store")
        }
        guard order != nil || gateway == nil else { throw ValidationError("--gateway goes with --order") }
        guard order == nil || currency == nil else {
            throw ValidationError("an order has its own currency: --currency goes with an amount")
        }
        guard record != nil || !force else { throw ValidationError("--force goes with --record") }
        guard record == nil || record != world.trace else {
            throw ValidationError("--record and --trace are one file: give each its own")
        }
        guard gateway.map({ PaymentGatewayExtension(rawValue: $0) != nil }) ?? true else {
            throw ValidationError("--gateway is woocommerce-payments or woocommerce-stripe")
        }
    }

    func run() async throws {
        try await output.reporting(withOutcome: true) {
            let settings = try configurationOptions.load()
            let rules = try issuer.rules()
            let (amount, tip) = try amounts(settings)
            // Typed before the signals are watched: whoever is asked for a PIN can still end the program at once.
            let pin = try PINOption.digits(world.pin)
            let recording = try record.map { (path) throws(CommandFailure) in
                try PaymentRecording(path: path, isForced: force, world.determinism)
            }
            let request = PaymentRecording.Request(
                world: world, pin: pin, amount: amount, timeout: .seconds(timeout), isForcedOnline: forceOnline,
                leftOut: leftOut, settings: settings, rules: rules)
            let progress = ProgressDisplay(isEnabled: StandardError.isTerminal)
            let update = UpdateProgress(isShown: StandardError.isTerminal)
            let cancellation = Cancellation()
            let (till, payment) = try await CancellationSignals.watching {
                let till = try await Till.open(
                    world, pin: pin, settings: settings, data: data, rules: rules, recording: recording)
                till.announceRecovery()
                let bill =
                    if let amount {
                        Till.Bill.amount(
                            PaymentRequest(
                                amount: amount, tip: tip, cardTimeout: .seconds(timeout),
                                accountType: account?.type, forcedOnline: forceOnline))
                    } else {
                        Till.Bill.order(try await orderRequest(till, settings))
                    }
                let payment: Payment
                do throws(CommandFailure) {
                    payment = try await till.pay(
                        bill, cancellation: cancellation, onUpdate: update.show, onEvent: progress.show)
                } catch {
                    await recording?.finish(till, request, .failure(error))
                    throw error
                }
                await recording?.finish(till, request, .success(payment))
                return (till, payment)
            } onSignal: {
                progress.showCancelling()
                await cancellation.request()
            }
            if let warning = till.traceWarning { StandardError.write("cardpresent: \(warning)\n") }
            try await tell(payment, settings: settings, till: till)
        }
    }

    /// What was asked for that a scenario does not have.
    private var leftOut: [String] {
        [
            tip.map { "that \($0) of the amount were a tip" }, account.map { "that the account was \($0.rawValue)" },
            order.map { "that it was for order \($0) of a store" },
        ].compactMap(\.self)
    }

    /// The amount with its tip, and the tip; neither for an order.
    private func amounts(_ settings: TillConfiguration) throws(CommandFailure) -> (amount: Money?, tip: Money?) {
        guard let amount else { return (nil, nil) }
        let net = try settings.amount(amount, currency: currency)
        guard let tip else { return (net, nil) }
        let part = try settings.amount(tip, currency: currency)
        let whole: Money
        do throws(MoneyError) { whole = try net.adding(part) } catch { throw CommandFailure(error) }
        try settings.accept(whole)
        return (whole, part)
    }

    /// Asks the store what the order costs. An amount that was seen here and is another one by now is not taken silently.
    private func orderRequest(
        _ till: Till, _ settings: TillConfiguration
    ) async throws(CommandFailure) -> OrderPaymentRequest {
        let shop = try till.shop()
        let order = order ?? 0
        try await till.use(gateway: gateway, of: shop)
        let quote = try await till.quote(order: order, of: shop)
        if let kept = quote.keptAmount, kept != quote.amount {
            throw CommandFailure(OrderNotPayable.totalChanged(orderID: order, from: kept, to: quote.amount))
        }
        try settings.accept(quote.amount)
        return OrderPaymentRequest(
            siteID: shop.siteID, orderID: order, expectedAmount: quote.amount, cardTimeout: .seconds(timeout),
            accountType: account?.type, forcedOnline: forceOnline)
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
                let receipt = try await till.receipt(of: payment.id)
                for copy in ReceiptCopy.allCases {
                    let print = try await till.print(
                        ReceiptPrintRequest(receiptID: receipt.id, copy: copy, printer: printer))
                    view.prints?.append(ReceiptPrintView(print))
                    if let failure = CommandFailure(print, wasAwaited: true) { throw failure }
                }
            } catch {
                view.printError = ErrorView(error)
                error.report()
            }
        }
        if output.json {
            Outcome.tell { () throws(CommandFailure) in try StandardOutput.write(json: view) }
        }
        CaptureWarning(payment)?.report()
        try Outcome.end(failure)
    }
}
