internal import ArgumentParser
internal import Determinism
internal import FoundationEssentials
internal import Hardware
internal import Mail
internal import Receipts
internal import Yosemite

/// `receipts email`
struct EmailReceipt: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "email", abstract: "Writes a message with the newest receipt of a payment, or sends it.",
        discussion: """
            The message goes to a file (-o), or to this machine's mail program (--sendmail), which sends it when it can. \
            It is handed over once and never again by itself. Nothing is recorded: the records know no addresses. Exit \
            code 4 means that the mail program may have taken it: look into its queue before you try again.
            """)

    @Argument(help: "The payment, for example P000001.")
    var payment: PaymentName
    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp("Who gets it: one or more of 'ada@shop.example'.", valueName: "address"))
    var to: [String]
    @Option(
        help: ArgumentHelp(
            "Whom it is from: 'till@shop.example', or 'Corner Shop <till@shop.example>'. Default: the configuration's "
                + "sender, by the merchant's name.", valueName: "address"))
    var from: String?
    @Option(help: ArgumentHelp("Default: the merchant's name and the payment.", valueName: "text"))
    var subject: String?
    @Option(help: "As what the receipt goes with its text.")
    var format = MailFormat.pdf
    @OptionGroup var kind: ReceiptKindOptions
    @Option(help: "For whom the receipt is.")
    var copy = CopyChoice.customer
    @OptionGroup var look: ReceiptStyleOptions
    @Option(
        name: .shortAndLong, help: ArgumentHelp("Where to: a file, or '-' for the standard output.", valueName: "file"),
        completion: .file())
    var output: String?
    @Option(
        defaultAsFlag: Sendmail.standardPath, parsing: .next,
        help: ArgumentHelp("Hand it to this mail program.", valueName: "program"), completion: .file())
    var sendmail: String?
    @OptionGroup var determinism: DeterminismOptions
    @OptionGroup var configurationOptions: ConfigurationOptions
    @OptionGroup var data: DatabaseOptions
    @Flag(help: "Print the result as one JSON value, failures too.")
    var json = false

    func validate() throws {
        guard (output == nil) != (sendmail == nil) else {
            throw ValidationError("give either --output FILE or --sendmail")
        }
        guard output != "" else { throw ValidationError("--output names a file") }
        guard sendmail != "" else { throw ValidationError("--sendmail names a program") }
        guard output != "-" || !json else { throw ValidationError("the standard output takes the message or --json") }
        guard subject?.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) != true else {
            throw ValidationError("--subject is one line of text")
        }
    }

    func run() async throws {
        do throws(CommandFailure) {
            try await send()
        } catch {
            FailureReport(isJSON: json, hasOutcome: false).tell(error)
            throw ExitCode(error.status.rawValue)
        }
    }

    private func send() async throws(CommandFailure) {
        let recipients = try to.map { (text) throws(CommandFailure) in try Mailbox.given(text, as: "--to") }
        let settings = try configurationOptions.load()
        let sender = try sender(settings)
        let style = try style(settings)
        let till = try await Till.open(determinism.repeatability, settings: settings, data: data)
        till.announceRecovery()
        let receipt = try await till.receipt(of: payment.id, kind: kind.of?.content)
        let copy = copy.receiptCopy
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
                .configuration, code: "no_sender", message: "nobody is named whom the message is from",
                fix: "give --from ADDRESS, or set 'sender' in the section 'receipt' of the configuration")
        }
        do throws(MailAddressError) { return try Mailbox(sender) } catch {
            throw CommandFailure(
                .configuration, code: "bad_sender", message: "the configuration's receipt.sender: \(error)",
                fix: error.fix ?? "write an address such as Corner Shop <till@shop.example>")
        }
    }

    /// The configuration's style, and what the options say instead. A text has no room for a logo.
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

    private func deliver(_ message: EncodedMessage, of receipt: String, recipients: Int) async throws(CommandFailure) {
        let view = SentMessageView(
            messageID: message.messageID, payment: receipt, recipients: recipients,
            bytes: message.bytes.count, file: output, program: sendmail)
        if let sendmail {
            let program = Sendmail(
                path: sendmail, environment: ProcessInfo.processInfo.environment, time: SystemTimeSource())
            do throws(SendmailError) {
                try await program.handOver(message)
            } catch {
                throw CommandFailure(error, of: sendmail)
            }
        } else if let output, output != "-" {
            try OutputFile(path: output).write(message.bytes)
        } else {
            return try StandardOutput.write(bytes: message.bytes)
        }
        guard !json else { return try StandardOutput.write(json: view) }
        try StandardOutput.write(view.line)
    }
}

extension Mailbox {
    /// An address as it was typed.
    ///
    /// - Throws: `CommandFailure`, which tells the place and not the address.
    fileprivate static func given(_ text: String, as option: String) throws(CommandFailure) -> Mailbox {
        do throws(MailAddressError) { return try Mailbox(text) } catch {
            throw CommandFailure(
                .usage, code: "bad_address", message: "\(option): \(error)",
                fix: error.fix ?? "give an address such as ada@shop.example")
        }
    }
}

extension [Mailbox] {
    /// Each address once: nobody gets a message twice.
    fileprivate var withoutRepetitions: [Mailbox] {
        var known: Set<MailAddress> = []
        return filter { known.insert($0.address).inserted }
    }
}

extension CommandFailure {
    /// - Parameters:
    ///   - error: why the mail program did not take a message.
    ///   - program: its path.
    fileprivate init(_ error: SendmailError, of program: String) {
        switch error {
        case .notStarted:
            self.init(
                .unavailable, code: "no_mail_program", message: "'\(program)': \(error)",
                fix:
                    "install a mail program such as postfix or msmtp-mta, name one with --sendmail PROGRAM, or write the "
                    + "message to a file with -o")
        case .refused:
            self.init(
                .unavailable, code: "mail_refused", message: "'\(program)' has not taken the message: \(error)",
                fix: "nothing was sent; the log of the mail program tells more")
        case .uncertain, .killed, .noAnswer:
            self.init(
                .outcomeUnknown, code: "mail_uncertain", message: "'\(program)' may have taken the message: \(error)",
                fix: "look into its queue with 'mailq' before you send it again")
        }
    }
}
