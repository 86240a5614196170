import Determinism
import EMV
import Hardware
import Money
import Networking
import Payments
import Printing
import Settings
import Simulator
import SmartCard
import Storage
import Synchronization
import Testing
import TillConfiguration

@testable import Yosemite

/// A whole till on a simulated world: reader, card, person, issuer, records. Everything that happens depends on the
/// seed and the plan alone.
final class TestTill: Sendable {
    /// What kind of till it is, and what goes wrong.
    struct Plan {
        var model = SimulatedReaderModel.shortAPDU
        /// A magnetic stripe reader beside the chip reader.
        var stripeReader: SimulatedMSRModel?
        var magneticStripe = MagneticStripePolicy()
        /// What there is for the reader.
        var firmware = ReaderFirmwareCatalog()
        var seed: UInt64 = 1
        var faults: [IssuerFaultRule] = []
        /// Rules of the issuer as YAML; nil for none.
        var rules: String?
        var terminal = TerminalConfiguration.standard
        /// The languages of receipts among which a card chooses.
        var languages: [ReceiptLanguage] = []
        var database: TestDatabase?
        /// What commits survive: most tests need no flush.
        var durability = Durability.off
        /// Gets each entry of the issuer's ledger, before the answer.
        var onEntry: (@Sendable (IssuerLedgerEntry) -> Void)?
        /// The host as the store sees it, around the issuer.
        var wrap: @Sendable (any PaymentHost) -> any PaymentHost = { $0 }
        var printer: any PrinterService = ScriptedPrinter()
        var change: (inout CardProfile) -> Void = { _ in }
        var splitSaleWindow = SplitSaleWindow.day
        /// The store with a signed-in user; nil without one.
        var store: StoreSiteNetwork?
        /// The way to the store as the till sees it.
        var wrapNetwork: @Sendable (any Network) -> any Network = { $0 }
        var retries = RetryPolicy.never
        var storeAddress = StoreSiteNetwork.address
        /// How orders become paid; nil for what the store offers.
        var orderPayment: OrderPaymentRoute?
        var features = FeatureOverrides()
        /// Whether the readers that are used are remembered.
        var remembersReaders = false
    }

    let clock = SimulationClock()
    let bus: SimulatedUSBBus
    let reader: SimulatedCCIDReader
    /// What takes firmware in the reader; nil when its model takes none.
    let updates: SimulatedUpdatableDevice?
    let card: SimulatedEMVCard
    let issuer: SimulatedIssuer
    let database: TestDatabase
    let storage: SQLiteStorageManager
    let journal: PaymentJournal
    let register: CardRegister
    let exceptions: ExceptionFile
    let dispatcher: Dispatcher
    let service: any CardReaderService
    private let person: SimulatedCardholder
    private let answers = Mutex(0)
    private let cancels = Mutex(0)
    private let seen = Mutex<[CardReaderEvent]>([])

    init(_ profileName: String = "visa-credit", _ configure: (inout Plan) throws -> Void = { _ in }) throws {
        var plan = Plan()
        try configure(&plan)
        var profile = try CardProfileLibrary.profile(profileName)
        plan.change(&profile)
        let random = SeededRandomSource(seed: plan.seed)
        let keys = try TestKeys.embedded()
        database = try plan.database ?? TestDatabase()
        bus = SimulatedUSBBus(clock: clock)
        let unit = SimulatedReaderUnit(model: plan.model, clock: clock)
        (reader, updates) = (unit.first, unit.updates)
        bus.plug(unit.device)
        let beside = plan.stripeReader.map { [clock] in SimulatedMagneticStripeReader(model: $0, clock: clock) }
        if let beside { bus.plug(beside) }
        card = try SimulatedEMVCard(profile: profile, keys: keys, random: random.stream("card"))
        person = SimulatedCardholder(
            profile: profile, card: card,
            stripe: try profile.stripe.map { try SimulatedMagneticStripe($0, keys: keys) },
            reader: SimulatedReader.Device(device: unit.device, chip: reader, stripe: unit.stripe ?? beside),
            clock: clock,
            pinPad: try SimulatedPINPad(keys: keys, random: random.stream("pin pad")))
        issuer = try SimulatedIssuer(
            accounts: profile.issuerAccounts(keys: keys),
            rules: plan.rules.map { try IssuerRules(yaml: $0, file: "rules.yaml") } ?? IssuerRules(), keys: keys,
            time: clock, random: random.stream("host"),
            ledgerPath: database.ledgerPath, onEntry: plan.onEntry, faults: plan.faults)
        let identity = random.stream("database")
        try DatabaseTemplate.shared().copy(to: database.path, random: identity)
        storage = try SQLiteStorageManager(path: database.path, durability: plan.durability, random: identity)
        journal = PaymentJournal(storage: storage, lease: try ProcessLease(in: storage))
        register = CardRegister(storage: storage)
        let key = try CardKey.open(for: register, random: random.stream("card key"))
        exceptions = ExceptionFile(register: register, key: key)
        let history = try StoredCardHistory(
            register: register, key: key, window: plan.splitSaleWindow, time: clock)
        dispatcher = Dispatcher(time: clock)
        let terminal = plan.terminal.adding(
            certificationAuthorityKeys: try profile.certificationAuthorityKeys(keys),
            revokedCertificates: profile.revokedCertificates)
        let (bus, clock, person, trace, stripes) = (bus, clock, person, Trace(), plan.magneticStripe)
        let firmware = plan.firmware
        let site = try plan.store.map { [clock, storage] store in
            let client = SiteClient(
                network: plan.wrapNetwork(store), credentials: try StoreSiteNetwork.applicationPassword,
                retries: plan.retries, time: clock, random: random.stream("network"))
            return PaymentSite(
                context: StoreContext(
                    sender: client, storage: storage, time: clock,
                    features: DefaultFeatureFlagService(overrides: plan.features)),
                siteID: StoreSiteNetwork.siteID, address: plan.storeAddress, name: "Corner Shop Online")
        }
        let made = Mutex<(any CardReaderService)?>(nil)
        let payments = CardPresentPaymentsStore(
            host: plan.wrap(issuer), journal: journal,
            merchant: Merchant(name: "Corner Shop", lines: ["1 Main Street"], merchantID: "M1", terminalID: "00000001"),
            languages: plan.languages, history: history,
            readers: plan.remembersReaders ? ReaderRegister(storage: storage) : nil, site: site,
            orderPayment: plan.orderPayment, time: clock, random: random.stream("identity")
        ) { host in
            let service = LocalCardReaderService(
                sources: [USBCardReaderSource(bus, firmware: firmware, time: clock, magneticStripe: stripes)],
                host: host, terminal: terminal, magneticStripe: stripes, cardholder: person, history: history,
                time: clock,
                random: random.stream("terminal"), trace: { trace.append($0) })
            made.withLock { $0 = service }
            return service
        }
        self.trace = trace
        service = try #require(made.withLock { $0 })
        _ = try dispatcher.register(payments)
        _ = try dispatcher.register(
            ReceiptStore(journal: journal, printer: plan.printer, time: clock, site: site?.context))
    }

    final class Trace: Sendable {
        private let entries = Mutex<[TraceEntry]>([])
        func append(_ entry: TraceEntry) { entries.withLock { $0.append(entry) } }
        var lines: [String] { entries.withLock { $0.map(\.jsonLine) } }
    }

    private let trace: Trace

    /// Every exchange with the card, masked.
    var traceLines: [String] { trace.lines }

    /// The reader service's events of the payments.
    var events: [CardReaderEvent] { seen.withLock { $0 } }

    // MARK: Actions

    func perform<Value: Sendable>(
        _ makeAction: (@escaping CardPresentPaymentsAction.Completion<Value>) -> CardPresentPaymentsAction
    ) async throws -> Value {
        try await dispatcher.perform { makeAction($0) }
    }

    func receipt<Value: Sendable>(
        _ makeAction: (@escaping ReceiptAction.Completion<Value>) -> ReceiptAction
    ) async throws -> Value {
        try await dispatcher.perform { makeAction($0) }
    }

    @discardableResult
    func connect() async throws -> CardReader {
        let (lists, continuation) = AsyncStream.makeStream(of: [CardReader].self)
        try await perform {
            .startCardReaderDiscovery(
                discoveryMethod: .usb, onReaderDiscovered: { continuation.yield($0) }, onCompletion: $0)
        } as Void
        var iterator = lists.makeAsyncIterator()
        let found = try #require(await iterator.next()?.first)
        return try await perform { .connect(reader: found, onCompletion: $0) }
    }

    /// Takes a payment on the connected reader, with a cardholder.
    func collect(
        _ amount: String = "12.50", timeout: Duration = .seconds(60), forcedOnline: Bool = false,
        onEvent: @escaping @Sendable (CardReaderEvent) -> Void = { _ in }
    ) async throws -> Payment {
        let request = PaymentRequest(
            siteID: 7, orderID: 42, amount: try usd(amount), cardTimeout: timeout, forcedOnline: forcedOnline)
        return try await perform { done in
            .collectPayment(
                request: request, onCardReaderMessage: { self.take($0, onEvent) }, onProcessingCompletion: { _ in },
                onCompletion: { result in
                    self.answers.withLock { $0 += 1 }
                    done(result)
                })
        }
    }

    /// Asks to cancel, and returns at once.
    func beginCancel() {
        let accepted: Void? = try? dispatcher.dispatch(
            CardPresentPaymentsAction.cancelPayment(onCompletion: { _ in self.cancels.withLock { $0 += 1 } }))
        if accepted == nil { Issue.record("the cancel was not accepted") }
    }

    /// Waits for a cancel that was begun.
    func endCancel() async {
        while cancels.withLock({ $0 }) == 0 { try? await clock.sleep(for: .milliseconds(1)) }
    }

    /// A payment has been completed.
    func countAnswer() { answers.withLock { $0 += 1 } }

    /// How often payments and cancels have been completed.
    var completions: (payments: Int, cancels: Int) { (answers.withLock { $0 }, cancels.withLock { $0 }) }

    func retry(
        _ payment: Payment, timeout: Duration = .seconds(60), forcedOnline: Bool = false
    ) async throws -> Payment {
        try await perform { done in
            .retryPayment(
                paymentID: payment.id, cardTimeout: timeout, forcedOnline: forcedOnline,
                onCardReaderMessage: { self.take($0) { _ in } },
                onProcessingCompletion: { _ in }, onCompletion: done)
        }
    }

    func take(_ event: CardReaderEvent, _ onEvent: (CardReaderEvent) -> Void) {
        seen.withLock { $0.append(event) }
        onEvent(event)
        person.observe(event.cardPrompt)
    }

    /// Connects, and takes one payment.
    func pay(
        _ amount: String = "12.50", forcedOnline: Bool = false,
        onEvent: @escaping @Sendable (CardReaderEvent) -> Void = { _ in }
    ) async throws -> Payment {
        try await connect()
        return try await collect(amount, forcedOnline: forcedOnline, onEvent: onEvent)
    }

    func cancel() async throws { try await perform { .cancelPayment(onCompletion: $0) } as Void }

    func refund(_ payment: Payment, _ amount: String? = nil) async throws -> Payment {
        let money = try amount.map { try usd($0) }
        return try await perform { .refundPayment(paymentID: payment.id, amount: money, onCompletion: $0) }
    }

    func recover() async throws -> RecoveryReport { try await perform { .recoverPayments(onCompletion: $0) } }

    func history(_ payment: Payment) async throws -> PaymentHistory {
        try await perform { .loadPayment(paymentID: payment.id, onCompletion: $0) }
    }

    /// The states that the attempts of a payment went through.
    func story(_ payment: Payment) async throws -> [[String]] {
        try await history(payment).attempts.map { $0.steps.map(\.state.rawValue) }
    }

    // MARK: The books

    /// What the issuer charged and did not give back, over all attempts, in cents.
    func charged() async throws -> Int64 {
        let ledger = try await issuer.ledger()
        return Set(ledger.entries.map { $0.original ?? $0.key }).reduce(0) { $0 + ledger.charged($1) }
    }

    /// The captured minus the refunded amount in the journal, in cents. Nil while anything is open.
    func captured() throws -> Int64? {
        var sum: Int64 = 0
        for payment in try journal.payments() {
            for attempt in try journal.attempts(of: payment.id) {
                let isRaise = attempt.kind == .increment && attempt.state == .authorizedOnly
                guard attempt.state.isFinal || isRaise else { return nil }
                guard attempt.state == .captured else { continue }
                sum += attempt.kind == .refund ? -attempt.amount.minorUnits : attempt.amount.minorUnits
            }
        }
        return sum
    }

    /// Whether the journal and the issuer's ledger agree, and nothing is open.
    func booksAgree() async throws -> Bool { try await charged() == captured() }
}

func usd(_ text: String) throws -> Money { try Money(text, currency: .usDollar) }

extension TerminalConfiguration {
    /// A terminal that allows offline approvals below its floor limit, by default 100.00.
    static func offlineCapable(
        floorLimit: UInt32 = 10_000, denial: TerminalVerificationResults = [], online: TerminalVerificationResults = []
    ) throws -> TerminalConfiguration {
        let nothing = TerminalVerificationResults(rawValue: 0)
        return try TerminalConfiguration(applications: [
            TerminalApplication(
                aid: [0xA0, 0, 0, 0, 0x04, 0x10, 0x10], versions: [2],
                actionCodes: ActionCodes(denial: denial, online: online, default: nothing), floorLimit: floorLimit)
        ])
    }
}
