import ArgumentParser
import Determinism
import FoundationEssentials
import Mail
import Payments
import Receipts
import Simulator
import TillConfiguration
import Yosemite

/// `receipts email`
struct EmailReceipt: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "email", abstract: "Email the latest receipt of a payment.",
        discussion: """
            EXAMPLES:
              cardpresent receipts email P000001 --to ada@shop.example --sendmail
              cardpresent receipts email P000001 --to ada@shop.example --from till@shop.example -o message.eml

            Writes the message to a file (-o) or passes it to this machine's mail program (--sendmail) for delivery. \
            It is passed once, without retries. Addresses are not recorded. Exit code 4 means that the mail program \
            may have accepted the message: check its queue before you retry.
            """)

    @Argument(help: "Payment ID, for example P000001.")
    var payment: PaymentName
    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp("Recipients, for example ada@shop.example.", valueName: "address"))
    var to: [String]
    @Option(
        help: ArgumentHelp(
            "Sender: 'till@shop.example' or 'Corner Shop <till@shop.example>'. Default: the configured sender, with "
                + "the merchant's name.", valueName: "address"))
    var from: String?
    @Option(help: ArgumentHelp("Subject. Default: the merchant's name and the payment.", valueName: "text"))
    var subject: String?
    @Option(help: "Format of the receipt beside the plain text.")
    var format = MailFormat.pdf
    @OptionGroup var kind: ReceiptKindOptions
    @Option(help: "Receipt copy.")
    var copy = ReceiptCopy.customer
    @OptionGroup var look: ReceiptStyleOptions
    @Option(
        name: .shortAndLong, help: ArgumentHelp("Output file; '-' is standard output.", valueName: "file"),
        completion: .file())
    var output: String?
    @Option(
        defaultAsFlag: Sendmail.standardPath, parsing: .next,
        help: ArgumentHelp("Send through this mail program.", valueName: "program"), completion: .file())
    var sendmail: String?
    @OptionGroup var determinism: DeterminismOptions
    @OptionGroup var options: CommonOptions

    func validate() throws {
        guard (output == nil) != (sendmail == nil) else {
            throw ValidationError("give either --output FILE or --sendmail")
        }
        guard output != "" else { throw ValidationError("--output must name a file") }
        guard sendmail != "" else { throw ValidationError("--sendmail must name a program") }
        guard output != "-" || !options.output.json else {
            throw ValidationError("--json cannot be used with --output -")
        }
        guard subject?.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) != true else {
            throw ValidationError("--subject must be one line of text")
        }
    }

    func run() async throws {
        Display.begin(options.output, isJSON: options.output.json)
        try await FailureReport(isJSON: options.output.json).reporting {
            try await determinism.play { try await send() }
        }
    }

    private func send() async throws(CommandFailure) {
        let recipients = try to.map { (text) throws(CommandFailure) in try Mailbox.given(text, as: "--to") }
        let settings = try options.till.settings()
        let sender = try sender(settings)
        let style = try style(settings)
        let till = try await options.till.open(for: Self.databaseUse, settings, determinism.repeatability)
        let receipt = try await kind.load(of: payment, from: till)
        let document = ReceiptDocument(receipt.content, copy: copy, isDuplicate: receipt.wasPrinted(copy))
        var message = try message(document.styled(by: style), style, columns: settings.receiptWidth, from: sender)
        message.to = recipients.withoutRepetitions
        let encoder = MessageEncoder(
            time: determinism.repeatability.time, random: determinism.repeatability.random.stream("mail"))
        try await deliver(encoder.encode(message), of: receipt.paymentName, recipients: message.to.count)
    }

    private func sender(_ settings: TillConfiguration) throws(CommandFailure) -> Mailbox {
        if let from { return try .given(from, as: "--from") }
        guard let sender = settings.receipt.sender else {
            throw CommandFailure(
                .configuration, code: "no_sender", message: "no sender address",
                fix: "give --from ADDRESS, or set receipt.sender in the configuration")
        }
        do throws(MailAddressError) { return try Mailbox(sender) } catch {
            throw CommandFailure(
                .configuration, code: "bad_sender", message: "the configuration's receipt.sender: \(error)",
                fix: error.fix ?? "use an address such as Corner Shop <till@shop.example>")
        }
    }

    /// Applies the options to the configured style. Plain text has no logo.
    private func style(_ settings: TillConfiguration) throws(CommandFailure) -> ReceiptStyle {
        var style = try look.applied(to: ReceiptStyle(settings.receipt))
        if format != .text {
            style.logo = try rendered { () throws(ReceiptError) in try settings.receipt.openLogo() }
        }
        return style
    }

    private func message(
        _ document: ReceiptDocument, _ style: ReceiptStyle, columns: Int, from sender: Mailbox
    ) throws(CommandFailure) -> MailMessage {
        let style = style.speaking(document.language)
        let (composer, paper) = (ReceiptComposer(locale: style.locale), style.paper)
        let blocks = composer.compose(document)
        let title = composer.title(document)
        var message = MailMessage(
            from: Mailbox(
                name: ReceiptText.concealed(sender.name ?? document.merchant.name), address: sender.address),
            to: [], subject: ReceiptText.concealed(subject ?? title),
            text: PlainTextRenderer(width: columns).render(blocks))
        switch format {
        case .text: break
        case .html:
            message.page = try rendered { () throws(ReceiptError) in
                try HTMLRenderer(locale: style.locale, paper: paper).render(blocks, title: title)
            }
        case .pdf:
            let file = try rendered { () throws(ReceiptError) in
                try PictureRenderer(locale: style.locale, paper: paper).pdf(
                    blocks, title: title, date: document.date)
            }
            MissingGlyphsWarning(file.missingGlyphs)?.report()
            message.attachments = [
                MailAttachment(name: "\(document.payment).pdf", type: "application/pdf", bytes: file.bytes)
            ]
        }
        return message
    }

    private func rendered<Value>(_ render: () throws(ReceiptError) -> Value) throws(CommandFailure) -> Value {
        do throws(ReceiptError) { return try render() } catch { throw CommandFailure(error) }
    }

    private func deliver(_ message: EncodedMail, of receipt: String, recipients: Int) async throws(CommandFailure) {
        if let sendmail {
            let program = Sendmail(
                path: sendmail, environment: ProcessInfo.processInfo.environment, time: SystemTimeSource())
            do throws(SendmailError) {
                // The program is real, even when the clock is simulated.
                try await RunQueue.outside { () async throws(SendmailError) in
                    try await Waiting.on("Waiting for \(sendmail.harmless)") { () async throws(SendmailError) in
                        try await program.handOver(message)
                    }
                }
            } catch {
                throw CommandFailure(error, of: sendmail)
            }
        } else if let output, output != "-" {
            try OutputFile(path: output).write(message.bytes)
        } else {
            return try StandardOutput.write(bytes: message.bytes)
        }
        let json: JSONObject = [
            "messageID": message.messageID, "payment": receipt, "recipients": recipients,
            "bytes": message.bytes.count, "file": output, "program": sendmail,
        ]
        let place = sendmail.map { "sent through \($0)" } ?? "written to \(output ?? "-")"
        try options.output.write(json, text: "receipt of \(receipt) \(place): \(message.messageID)\n")
    }
}

extension Mailbox {
    /// Parses an address from the command line.
    ///
    /// - Throws: `CommandFailure`, which names the option, not the address.
    fileprivate static func given(_ text: String, as option: String) throws(CommandFailure) -> Mailbox {
        do throws(MailAddressError) { return try Mailbox(text) } catch {
            throw CommandFailure(
                .usage, code: "bad_address", message: "\(option): \(error)",
                fix: error.fix ?? "give an address such as ada@shop.example")
        }
    }
}

extension [Mailbox] {
    /// The mailboxes without repeated addresses.
    fileprivate var withoutRepetitions: [Mailbox] {
        var known: Set<MailAddress> = []
        return filter { known.insert($0.address).inserted }
    }
}

extension CommandFailure {
    /// - Parameters:
    ///   - error: Why the mail program did not accept the message.
    ///   - program: Its path.
    fileprivate init(_ error: SendmailError, of program: String) {
        switch error {
        case .notStarted:
            self.init(
                .unavailable, code: "no_mail_program", message: "'\(program)': \(error)",
                fix:
                    "install a mail program such as postfix or msmtp-mta, choose one with --sendmail PROGRAM, or write "
                    + "the message to a file with -o")
        case .refused:
            self.init(
                .unavailable, code: "mail_refused", message: "'\(program)' did not accept the message: \(error)",
                fix: "nothing was sent; see the log of the mail program")
        case .uncertain, .killed, .noAnswer:
            self.init(
                .outcomeUnknown, code: "mail_uncertain",
                message: "'\(program)' may have accepted the message: \(error)",
                fix: "check its queue with 'mailq' before you retry")
        }
    }
}

/// The format of a receipt in an email, beside the plain text.
enum MailFormat: String, ExpressibleByArgument, CaseIterable, Sendable {
    case pdf
    case html
    case text
}
