import ArgumentParser
import Money
import Payments
import TillConfiguration
import Yosemite

/// `pay`
struct PayCommand: TillCommand, CardDataCommand {
    static let configuration = CommandConfiguration(
        commandName: "pay", abstract: "Take a card payment.",
        discussion: """
            EXAMPLES:
              cardpresent pay 12.50
              cardpresent pay 12.50 --reader usb --printer receipts
              cardpresent pay --order 123
              cardpresent pay 12.50 --card visa-debit --pin 1234 --seed 7
              cardpresent pay 12.50 --reader simulated:dual-interface --insert
              cardpresent pay 12.50 --reader usb --host-trace host.jsonl
              cardpresent pay 150.00 --authorize-only

            The payment is recorded in the journal before anything is sent to the host. Ctrl-C cancels the payment and \
            reverses what was already sent. 'cardpresent payments list' always shows the result.

            With --order, the amount comes from the order in the store that you are signed in to, and the store is \
            notified of the payment. The exit code reports the payment only: 0 means the card was charged, even if the \
            store could not be notified yet. In that case a warning appears on stderr and under 'capture' in the JSON, \
            and 'cardpresent payments sync' notifies the store.

            With --authorize-only, the amount is held and not charged (pre-authorization): charge all or a part of it \
            with 'cardpresent payments capture', or release it with 'cardpresent payments cancel'. The hold expires \
            after the days of 'host.preauthorizationDays' in the configuration.
            """)

    @Argument(help: "Amount as a decimal, for example 12.50. Not with --order.")
    var amount: String?
    @Option(
        help: ArgumentHelp(
            "ISO 4217 currency code. Default: the configured currency, or USD.", valueName: "code"))
    var currency: String?
    @Option(
        help: ArgumentHelp(
            "Tip to add to the amount. Not with --order; add a fee to the order instead.", valueName: "decimal"))
    var tip: String?
    @Option(help: ArgumentHelp("ID of the store order to pay.", valueName: "id"))
    var order: Int64?
    @Option(
        help: ArgumentHelp(
            "Payment gateway of the store: woocommerce-payments or woocommerce-stripe. Default: the only one.",
            valueName: "gateway"))
    var gateway: String?
    @Option(help: "Account type that the cardholder selected.")
    var account: AccountType?
    @OptionGroup var environment: EnvironmentOptions
    @Flag(help: "Require online authorization.")
    var forceOnline = false
    @Flag(help: "Hold the amount and capture it later. Requires online authorization. Not with --order.")
    var authorizeOnly = false
    @Flag(help: "Accept an approval of a part of the amount instead of reversing it. Not with --order.")
    var allowPartial = false
    @Option(help: ArgumentHelp("Time to wait for a card.", valueName: "seconds"))
    var timeout: Int = 60
    @OptionGroup var issuer: IssuerOptions
    @OptionGroup var hostTrace: HostTraceOptions
    @Option(
        help: ArgumentHelp(
            "Print the merchant and customer receipts on this printer.",
            discussion: "A printing error does not affect the payment or the exit code.",
            valueName: "queue"), completion: .printers)
    var printer: String?
    @Option(
        help: ArgumentHelp(
            "Record the payment to this file as a scenario for 'simulate run', without card data.",
            discussion: """
                The file is written however the payment ends, and does not affect the payment or the exit code. See \
                docs/scenarios.md for the limits of replaying a real card.
                """, valueName: "file"), completion: .file(extensions: ["yaml"]))
    var record: String?
    @Flag(help: "Overwrite an existing recording.")
    var force = false
    @OptionGroup var options: CommonOptions

    static let hasOutcome = true

    func validate() throws {
        try check(timeout, in: 1...3600, "--timeout", "seconds")
        guard order ?? 1 > 0 else { throw ValidationError("--order must be an order ID") }
        guard (amount == nil) != (order == nil) else {
            throw ValidationError(
                amount == nil
                    ? "give an amount or --order" : "give either an amount or --order: an order has its own amount")
        }
        guard order == nil || tip == nil else {
            throw ValidationError("--tip cannot be used with --order: add a fee to the order instead")
        }
        guard order != nil || gateway == nil else { throw ValidationError("--gateway requires --order") }
        guard order == nil || currency == nil else {
            throw ValidationError("--currency cannot be used with --order: an order has its own currency")
        }
        guard order == nil || !authorizeOnly else {
            throw ValidationError("--authorize-only cannot be used with --order: an order is paid at once")
        }
        guard order == nil || !allowPartial else {
            throw ValidationError("--allow-partial cannot be used with --order: an order is paid as a whole")
        }
        guard record != nil || !force else { throw ValidationError("--force requires --record") }
        guard record == nil || record != environment.trace else {
            throw ValidationError("--record and --trace must be different files")
        }
        guard hostTrace.hostTrace == nil || ![record, environment.trace].contains(hostTrace.hostTrace) else {
            throw ValidationError("--host-trace must be another file than --record and --trace")
        }
        guard gateway.map({ PaymentGatewayExtension(rawValue: $0) != nil }) ?? true else {
            throw ValidationError("--gateway must be woocommerce-payments or woocommerce-stripe")
        }
    }

    func execute() async throws {
        let settings = try options.till.settings()
        let rules = try issuer.rules()
        let (amount, tip) = try amounts(settings)
        // Read the PIN before the signals are handled, so that Ctrl-C at the prompt still ends the program.
        let pin = try PINOption.digits(environment.pin)
        let recording = try record.map { (path) throws(CommandFailure) in
            try PaymentRecording(path: path, isForced: force, environment.determinism)
        }
        let messages = try hostTrace.open(settings)
        defer { messages?.warn() }
        let request = PaymentRecording.Request(
            environment: environment, pin: pin, amount: amount, timeout: .seconds(timeout),
            isForcedOnline: forceOnline,
            leftOut: leftOut, settings: settings, rules: rules)
        let progress = ProgressDisplay(isEnabled: StandardError.isTerminal, receipt: settings.receipt)
        let update = UpdateProgress(isShown: ProgressLine.isWanted)
        let cancellation = Cancellation()
        let (till, payment) = try await CancellationSignals.watching {
            try await environment.play {
                let till = try await Till.open(
                    environment, pin: pin, settings: settings, data: options.till.data, rules: rules,
                    recording: recording, hostTrace: messages)
                till.announceRecovery()
                try till.stopIfRestored()
                let bill =
                    if let amount {
                        Till.Bill.amount(
                            PaymentRequest(
                                amount: amount, tip: tip, cardTimeout: .seconds(timeout),
                                accountType: account, forcedOnline: forceOnline,
                                holdDuration: authorizeOnly ? settings.preauthorizationTime : nil,
                                allowsPartial: allowPartial))
                    } else {
                        Till.Bill.order(try await orderRequest(till, settings))
                    }
                let payment: Payment
                do throws(CommandFailure) {
                    payment = try await till.pay(
                        bill, cancellation: cancellation, onUpdate: update.show, onEvent: { progress.show($0) })
                } catch {
                    await recording?.finish(till, request, .failure(error))
                    throw error
                }
                await recording?.finish(till, request, .success(payment))
                return (till, payment)
            }
        } onSignal: {
            progress.showCanceling()
            await cancellation.request()
        }
        progress.show(payment.outcome)
        if let warning = till.traceWarning { StandardError.write("cardpresent: \(warning)\n") }
        try await tell(payment, settings: settings, till: till)
    }

    /// Requested options that a scenario cannot represent.
    private var leftOut: [String] {
        [
            tip.map { "the tip of \($0)" }, account.map { "the account type \($0.rawValue)" },
            order.map { "the store order \($0)" }, authorizeOnly ? "the pre-authorization" : nil,
            allowPartial ? "the partial approval" : nil,
        ].compactMap(\.self)
    }

    /// Returns the amount including the tip, and the tip; nil for an order.
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

    /// Asks the store for the order's amount. Fails when it differs from the amount stored here.
    private func orderRequest(
        _ till: Till, _ settings: TillConfiguration
    ) async throws(CommandFailure) -> OrderPaymentRequest {
        let shop = try till.shop()
        let order = order ?? 0
        if settings.orderPayment != .till {
            try await till.use(gateway: gateway, of: shop)
        } else if let gateway {
            throw CommandFailure(
                .usage, code: "no_gateway", message: "--gateway \(gateway) can't be used: the till completes orders",
                fix: "leave it out, or remove 'order.payment: till' from the configuration")
        }
        let quote = try await till.quote(order: order, of: shop)
        if let kept = quote.keptAmount, kept != quote.amount {
            throw CommandFailure(OrderNotPayable.totalChanged(orderID: order, from: kept, to: quote.amount))
        }
        try settings.accept(quote.amount)
        return OrderPaymentRequest(
            siteID: shop.siteID, orderID: order, expectedAmount: quote.amount, cardTimeout: .seconds(timeout),
            accountType: account, forcedOnline: forceOnline)
    }

    /// Returns the first word of the text.
    static func word(_ payment: Payment) -> String {
        (payment.standing == .held ? "authorized" : payment.outcome.rawValue).uppercased()
    }

    private func tell(_ payment: Payment, settings: TillConfiguration, till: Till) async throws {
        let failure = CommandFailure(payment)
        let isPrinted = printer != nil && payment.card != nil
        let receipt: Result<StoredReceipt, CommandFailure>? =
            !output.json || isPrinted ? await till.receiptResult(of: payment.id) : nil
        if !output.json {
            let outcome = WordColor(payment.outcome).onOutput(Self.word(payment))
            var text = "\(outcome)  \(payment.amount)  \(payment.name)\n"
            if failure == nil, let note = payment.amountNote { text += "  \(note)\n" }
            if let receipt = try? receipt?.get(),
                let lines = try? await till.text(of: receipt, copy: .customer, width: settings.receiptWidth)
            {
                text += "\n" + lines
            }
            Outcome.tell { () throws(CommandFailure) in try StandardOutput.write(text) }
        }
        var view = OutcomeView(payment: payment, failure: failure, host: settings.host.kind)
        if !settings.otherHosts.isEmpty {
            view.hostName = try? await till.payment(payment.id).attempts.last?.attempt.memberName
        }
        if isPrinted, let receipt {
            do throws(CommandFailure) {
                view.prints = []
                let receipt = try receipt.get()
                for copy in ReceiptCopy.allCases {
                    let print = try await till.print(
                        ReceiptPrintRequest(receipt, copy: copy, printer: printer))
                    view.prints?.append(print)
                    if let failure = CommandFailure(print, wasAwaited: true) { throw failure }
                }
            } catch {
                view.printError = error
                error.report()
            }
        }
        if output.json {
            Outcome.tell { () throws(CommandFailure) in try StandardOutput.write(json: view.json) }
        }
        CaptureWarning(payment)?.report()
        try Outcome.end(failure)
    }
}
