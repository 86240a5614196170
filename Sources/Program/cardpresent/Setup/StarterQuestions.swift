import Determinism
import Hardware
import Money
import Networking
import Printing
import Settings
import TillConfiguration

/// The answers that are given without a question, as they were typed; nil for the others.
struct StarterAnswers {
    var merchant: String?
    var plainName: String?
    var currency: String?
    var reader: String?
    var printer: String?
    var store: String?

    /// Whether no question is left.
    var areComplete: Bool { [merchant, currency, reader, printer, store].allSatisfy { $0 != nil } }
}

/// The answers for a new shop: the settings of its configuration, its reader, and its store.
struct Starter {
    var settings = StarterConfiguration.standard
    /// The reader as `pay --reader` takes it, for example `usb`.
    var reader = "simulated"
    /// The address of the store; nil without one.
    var store: String?

    /// The file, whose comments have the commands for the reader and the store.
    var yaml: String {
        var settings = settings
        settings.paymentCommand = paymentCommand
        if let loginCommand { settings.loginCommand = loginCommand }
        return settings.yaml
    }

    var paymentCommand: String { "cardpresent pay 12.50 --reader \(reader.shellWord)" }

    /// Nil without a store.
    var loginCommand: String? { store.map { "cardpresent login \($0.shellWord) --username NAME" } }
}

/// The questions of `init`.
struct StarterQuestions {
    let given: StarterAnswers
    /// Nil to take the defaults instead of asking.
    let interview: Interview?

    /// Asks what is not given.
    ///
    /// - Throws: `CommandFailure` for a wrong answer that is given, or when the questions are not answered.
    func answers() async throws(CommandFailure) -> Starter {
        var starter = Starter()
        starter.settings.merchantName = try answer(given.merchant, "--merchant", Self.merchant)
        if starter.settings.needsPlainName {
            starter.settings.plainName = try plainName(starter.settings.merchantName)
        }
        starter.settings.currency = try answer(given.currency, "--currency", Self.currency)
        starter.reader = try answer(
            given.reader, "--reader", given.reader == nil ? await Self.reader() : Self.anyReader)
        starter.settings.printer = try answer(
            given.printer, "--printer", given.printer == nil ? await Self.printer() : Self.anyPrinter)
        starter.store = try answer(given.store, "--store", Self.store)
        do throws(SettingsError) { try starter.settings.check() } catch { throw CommandFailure(error) }
        return starter
    }

    private func answer<Answer>(
        _ given: String?, _ option: String, _ question: Question<Answer>
    ) throws(CommandFailure) -> Answer {
        if given == nil, let interview { return try interview.ask(question) }
        do throws(InvalidAnswer) { return try question.read(given ?? question.standard) } catch {
            throw CommandFailure(
                .usage, code: "invalid_answer", message: "\(option): \(error.reason)", fix: error.fix)
        }
    }

    /// A name in other letters needs a second one: there is no rule that would turn every script into plain letters.
    private func plainName(_ name: String) throws(CommandFailure) -> String {
        guard given.plainName != nil || interview != nil else {
            throw CommandFailure(
                .usage, code: "invalid_answer", message: "--merchant: cards and hosts can't have the name '\(name)'",
                fix: "give it in plain letters with --plain-name")
        }
        return try answer(given.plainName, "--plain-name", Self.plainName)
    }

    // MARK: Questions

    private static var merchant: Question<String> {
        let standard = StarterConfiguration.standard
        return Question(text: "Merchant name, at the top of every receipt", standard: standard.merchantName) {
            (text) throws(InvalidAnswer) in
            var starter = standard
            (starter.merchantName, starter.plainName) = (text, starter.merchantName)
            try check(starter)
            return text
        }
    }

    private static var plainName: Question<String> {
        let standard = StarterConfiguration.standard
        return Question(
            text: "The same name in plain letters, for cards and hosts", standard: standard.merchantName
        ) { (text) throws(InvalidAnswer) in
            var starter = standard
            starter.plainName = text
            try check(starter)
            return text
        }
    }

    private static var currency: Question<Currency> {
        Question(text: "Currency, as an ISO 4217 code", standard: StarterConfiguration.standard.currency.code) {
            (text) throws(InvalidAnswer) in
            do throws(MoneyError) { return try Currency(code: text) } catch {
                throw InvalidAnswer(
                    reason: "unknown currency '\(text.harmless)'", fix: "use a code such as USD, EUR, or JPY")
            }
        }
    }

    /// The question for the reader, without a look at this machine.
    private static var anyReader: Question<String> { reader(usb: [], pcsc: []) }

    private static func reader() async -> Question<String> {
        async let pcsc = ShortWork.within(TillOverview.timeLimit) {
            await PCSCReaderCatalog.readersAtOnce().map(\.name)
        }
        let usb = await TillOverview.connectedReaders(.standard)
        return reader(usb: usb, pcsc: await pcsc ?? [])
    }

    private static func reader(usb: [String], pcsc: [String]) -> Question<String> {
        func found(_ names: [String]) -> String {
            names.isEmpty ? "nothing found" : names.map(\.harmless).joined(separator: ", ")
        }
        return Question(
            text: "Reader: simulated, usb, or pcsc",
            hints: [
                "usb        through the program's own driver: \(found(usb))",
                "pcsc       through pcscd: \(found(pcsc))",
                "simulated  always there, for tests",
            ],
            standard: usb.isEmpty ? pcsc.isEmpty ? "simulated" : "pcsc" : "usb"
        ) { (text) throws(InvalidAnswer) in
            guard ReaderChoice(argument: text) != nil, text.count <= 300, text == text.harmless else {
                throw InvalidAnswer(
                    reason: "'\(text.harmless)' is not a reader",
                    fix: "use simulated, usb, usb:ID, pcsc, or pcsc:NAME")
            }
            return text
        }
    }

    /// The question for the printer, without a look at this machine.
    private static var anyPrinter: Question<String?> { printer(queues: []) }

    private static func printer() async -> Question<String?> {
        printer(
            queues: await ShortWork.within(TillOverview.timeLimit) {
                await PrinterCompletion.queues(SystemTimeSource())
            }
                ?? [])
    }

    private static func printer(queues: [PrintQueue]) -> Question<String?> {
        let hints = queues.map { $0.name.harmless + ($0.isDefault ? "  (default of the print server)" : "") }
        return Question(
            text: "Printer for receipts, or none",
            hints: hints.isEmpty ? ["no print queue found"] : hints,
            standard: queues.first(where: \.isDefault)?.name ?? "none"
        ) { (text) throws(InvalidAnswer) in
            guard text != "none" else { return nil }
            guard queues.isEmpty || queues.contains(where: { $0.name == text }) else {
                throw InvalidAnswer(
                    reason: "unknown printer '\(text.harmless)'",
                    fix: .choice(of: text, among: queues.map(\.name.harmless), called: "printers"))
            }
            var starter = StarterConfiguration.standard
            starter.printer = text
            try check(starter)
            return text
        }
    }

    private static var store: Question<String?> {
        Question(text: "Store address, such as https://shop.example, or none", standard: "none") {
            (text) throws(InvalidAnswer) in
            guard text != "none" else { return nil }
            do throws(WebAddressError) {
                let address = try WebAddress(text).siteRoot
                guard address.query == nil else { throw .forbiddenCharacter(text) }
                return address.description
            } catch {
                let (reason, fix) = error.description.splitAtFix
                throw InvalidAnswer(reason: reason, fix: fix)
            }
        }
    }

    /// Checks a value as the till does.
    private static func check(_ starter: StarterConfiguration) throws(InvalidAnswer) {
        do throws(SettingsError) { try starter.check() } catch {
            throw InvalidAnswer(reason: error.message, fix: error.fix)
        }
    }
}
