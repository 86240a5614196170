import Concurrency
import Determinism
import Hardware
import Money
import Networking
import Payments
import Printing
import Recorder
import Simulator
import Storage
import Synchronization
import TillConfiguration
import USB
import Yosemite

/// The dependencies of a command: the composition root that connects the layers.
struct Till: Sendable {
    /// The random numbers of which kernel 8 makes its key pairs; `emv replay` makes them again.
    static let kernelKeyStream = "kernel 8"

    let stores: StoresManager
    /// The open database.
    let storage: any StorageManagerType
    /// The payment host.
    let host: any PaymentHost
    /// Whether the database is only read, because it can't be written.
    let isReadOnly: Bool
    private let environment: any PaymentEnvironment
    /// The time of payments.
    var time: any TimeSource { environment.time }
    /// Records the payment; nil without `--record`.
    let recorder: PaymentRecorder?
    /// Why the session could not be loaded.
    private let sessionFailure: CommandFailure?
    private let signOutNotice = Notice()
    /// The unfinished attempts that were recovered at the start.
    let recovered: RecoveryReport
    /// The pending payments that were synced to the store at the start.
    let captured: OrderPaymentReport

    /// Opens the database and recovers unfinished payments, for a command that uses no reader.
    ///
    /// - Throws: `CommandFailure`
    static func open(
        for use: DatabaseUse, _ repeatability: Repeatability = .none, settings: TillConfiguration,
        data: DatabaseOptions, rules: IssuerRules = IssuerRules(), hostTrace: HostTraceFile? = nil
    ) async throws(CommandFailure) -> Till {
        try await open(
            for: use, EnvironmentWithoutReader(repeatability), settings: settings, data: data, rules: rules,
            hostTrace: hostTrace)
    }

    /// Opens the till with the reader, card, and cardholder of a payment.
    ///
    /// - Throws: `CommandFailure`
    static func open(
        _ options: EnvironmentOptions, pin: SealedBytes?, settings: TillConfiguration, data: DatabaseOptions,
        rules: IssuerRules, recording: PaymentRecording? = nil, hostTrace: HostTraceFile? = nil
    ) async throws(CommandFailure) -> Till {
        let environment: any PaymentEnvironment =
            switch options.reader {
            case .usb(let id):
                try USBEnvironment(options, readerID: id, pin: pin, pinPad: settings.pinPadScheme, settings.receipt)
            case .pcsc(let name):
                try PCSCEnvironment(
                    options, readerName: name, pin: pin, pinPad: settings.pinPadScheme, settings.receipt)
            case .simulated(let model):
                try SimulatedEnvironment(
                    options, recording?.repeatability ?? options.determinism.repeatability, model: model, pin: pin,
                    pinPad: settings.pinPadScheme)
            }
        guard recording != nil else {
            return try await open(
                for: .creates, environment, settings: settings, data: data, rules: rules, hostTrace: hostTrace)
        }
        let recorder = PaymentRecorder(time: environment.time)
        return try await open(
            for: .creates, RecordedEnvironment(environment, recorder: recorder), settings: settings, data: data,
            rules: rules,
            recorder: recorder, hostTrace: hostTrace)
    }

    private static func open(
        for use: DatabaseUse, _ environment: any PaymentEnvironment, settings: TillConfiguration, data: DatabaseOptions,
        rules: IssuerRules,
        recorder: PaymentRecorder? = nil, hostTrace: HostTraceFile? = nil
    ) async throws(CommandFailure) -> Till {
        let path = try data.path()
        let (storage, journal) = try use.openJournal(path, random: environment.random.stream("database"))
        guard environment.trace?.isFile(at: path) != true else {
            throw CommandFailure(
                .usage, code: "trace_not_a_trace", message: "the trace and the database are the same file",
                fix: "choose another path with --trace")
        }
        guard hostTrace?.isFile(at: path) != true else {
            throw CommandFailure(
                .usage, code: "trace_not_a_trace", message: "the trace and the database are the same file",
                fix: "choose another path with --host-trace")
        }
        // Without writing, nothing is sent.
        let issuer: any PaymentHost =
            storage.isReadOnly
            ? NoHost()
            : try await HostFactory.host(
                settings, beside: path, journal: journal, environment: environment, rules: rules, trace: hostTrace)
        let host: any PaymentHost = recorder.map { RecordingHost(issuer, recorder: $0) } ?? issuer
        let storeEnvironment = try StoreEnvironment(data: data, settings: settings)
        let (session, sessionFailure) = Self.session(storeEnvironment)
        let stores = try Self.stores(
            environment, storeEnvironment.composition(storage: storage, session: session), host: host, journal: journal,
            history: try environment.takesCards ? CardFiles.history(in: storage, settings, environment.time) : nil,
            readers: environment.hasOwnedReaders ? ReaderRegister(storage: storage) : nil, settings: settings,
            printers: TillPrinters.service(settings, data))
        var (recovered, captured) = (RecoveryReport(), OrderPaymentReport())
        if !storage.isReadOnly {
            recovered = try await stores.value { CardPresentPaymentsAction.recoverPayments(onCompletion: $0) }
            captured = try await stores.value {
                CardPresentPaymentsAction.syncOrderPayments(paymentID: nil, onCompletion: $0)
            }
        }
        let till = Till(
            stores: stores, storage: storage, host: host, isReadOnly: storage.isReadOnly, environment: environment,
            recorder: recorder,
            sessionFailure: sessionFailure, recovered: recovered, captured: captured)
        await till.announceSignOut()
        return till
    }

    /// Why the store ended the session; nil when it did not.
    var signOut: CommandFailure? {
        guard case .refused(let reason) = stores.lastEnd else { return nil }
        return CommandFailure(refused: reason)
    }

    /// Waits until a session whose credentials are refused has ended, and reports once on stderr that it has. Payments
    /// continue without a session.
    func announceSignOut() async {
        await stores.waitUntilIdle()
        guard let signOut, signOutNotice.give() else { return }
        StandardError.write("cardpresent: \(signOut.message)\n" + (signOut.fix.map { "  \($0)\n" } ?? ""))
    }

    /// Loads the session. Payments do not need one, so only ``shop()`` reports unreadable credentials.
    private static func session(_ environment: StoreEnvironment) -> (SessionManager, CommandFailure?) {
        do throws(CommandFailure) { return (try environment.session(), nil) } catch {
            return (SessionManager(), error)
        }
    }

    private static func stores(
        _ environment: any PaymentEnvironment, _ composition: StoreComposition, host: any PaymentHost,
        journal: PaymentJournal,
        history: StoredCardHistory?, readers: ReaderRegister?, settings: TillConfiguration, printers: Printers
    ) throws(CommandFailure) -> StoresManager {
        let time = environment.time
        return try composition.stores { session in
            let payments = CardPresentPaymentsStore(
                host: host, journal: journal, merchant: settings.merchant,
                languages: settings.receipt.languages, history: history, readers: readers,
                site: session.flatMap(PaymentSite.init), orderPayment: settings.orderPayment, time: time,
                random: environment.random.stream("identity")
            ) { host in
                LocalCardReaderService(
                    sources: environment.readerSources(settings), host: host,
                    terminal: { environment.terminal(settings.terminal(for: $0)) },
                    magneticStripe: settings.magneticStripe, cardholder: environment.cardholder, history: history,
                    time: time, random: environment.random.stream("terminal 1"),
                    reconnection: environment.hasOwnedReaders ? settings.reconnection : .off,
                    trace: environment.recordTrace,
                    contactless: settings.contactless(
                        authorities: environment.contactlessKeys, time: time,
                        random: environment.random.stream(Self.kernelKeyStream)
                    ) { environment.terminal(settings.terminal(for: $0)) })
            }
            let receipts = ReceiptStore(
                journal: journal, printer: printers, settings: settings.receipt, time: time, site: session?.context)
            return [payments, receipts]
        }
    }

    /// The store that the user is signed in to.
    ///
    /// - Throws: `CommandFailure` when not signed in or without a current store.
    func shop() throws(CommandFailure) -> Shop {
        if let failure = sessionFailure ?? signOut { throw failure }
        return try Shop(stores: stores)
    }

    /// The readers of this machine.
    ///
    /// - Throws: `CommandFailure`
    static func usbBus(time: any TimeSource) throws(CommandFailure) -> any USBBus {
        do throws(USBError) {
            return try LibUSBBus(time: time)
        } catch {
            throw CommandFailure(.reader, code: "usb_failed", message: error.description)
        }
    }
}

/// A message to give once, whichever part of a command is the first to have it.
private final class Notice: Sendable {
    private let isGiven = Atomic(false)

    /// Returns whether this call is the first.
    func give() -> Bool { !isGiven.exchange(true, ordering: .relaxed) }
}

extension Till {
    /// An amount or an order to pay.
    enum Bill: Sendable {
        case amount(PaymentRequest)
        case order(OrderPaymentRequest)
    }

    /// Lets a simulated cardholder take the card away, which an earlier payment may have left in the reader.
    func prepareForNextPayment() { environment.prepareForNextPayment() }

    /// Looks for the reader of payments, without connecting it.
    ///
    /// - Throws: `CommandFailure` when it is not there.
    func findReader(_ settings: TillConfiguration) async throws(CommandFailure) {
        var found: [CardReader] = []
        for source in environment.readerSources(settings) { found += try await ReaderCatalog.readers(of: source) }
        _ = try environment.choose(among: found, remembered: [])
    }

    /// Connects the reader and takes a payment.
    ///
    /// - Throws: `CommandFailure` when the payment could not start or its result could not be recorded. Otherwise the
    ///   payment contains the result.
    func pay(
        _ bill: Bill, cancellation: Cancellation,
        onUpdate: @escaping @Sendable (CardReaderSoftwareUpdateState) -> Void = { _ in },
        onEvent: @escaping @Sendable (CardReaderEvent) -> Void
    ) async throws(CommandFailure) -> Payment {
        let environment = environment
        let wasSent = Atomic(false)
        do throws(CommandFailure) {
            let watching = watchUpdates(onUpdate)
            let readers = try await tellReaders()
            defer {
                watching.cancel()
                readers?.cancel()
            }
            try await connect()
            guard !cancellation.isRequested else { throw .canceledBeforeItBegan }
            await cancellation.onRequest(cancel)
            let onMessage: CardPresentPaymentsAction.Messages = { event in
                switch event {
                case .authorizing: wasSent.store(true, ordering: .sequentiallyConsistent)
                // A simulated payment has its thread to itself, so a request takes effect at its next step.
                case _ where cancellation.isRequested: cancelAtOnce()
                default: break
                }
                environment.observe(event)
                onEvent(event)
            }
            let payment: Payment = try await stores.value { onCompletion in
                switch bill {
                case .amount(let request):
                    CardPresentPaymentsAction.collectPayment(
                        request: request, onCardReaderMessage: onMessage, onProcessingCompletion: { _ in },
                        onCompletion: onCompletion)
                case .order(let request):
                    CardPresentPaymentsAction.collectOrderPayment(
                        request: request, onCardReaderMessage: onMessage, onProcessingCompletion: { _ in },
                        onCompletion: onCompletion)
                }
            }
            // The disconnection at the end of the command is not worth a line.
            readers?.cancel()
            await reset()
            await announceSignOut()
            return payment
        } catch {
            await reset()
            // The request was sent to the host, but the result could not be recorded.
            throw wasSent.load(ordering: .sequentiallyConsistent) ? error.withUnknownOutcome : error
        }
    }

    /// Cancels the payment within the call, without waiting for its end.
    private func cancelAtOnce() {
        recorder?.noteCancellation()
        try? stores.dispatch(CardPresentPaymentsAction.cancelPayment(onCompletion: { _ in }))
    }

    /// Cancels the payment and waits until the reader is idle.
    private func cancel() async {
        recorder?.noteCancellation()
        try? await stores.value { CardPresentPaymentsAction.cancelPayment(onCompletion: $0) } as Void
    }

    private func reset() async {
        try? await stores.value { CardPresentPaymentsAction.reset(onCompletion: $0) } as Void
    }

    /// A warning about an incomplete trace.
    var traceWarning: String? { environment.trace?.warning }

    /// Reports required firmware updates, which are installed while the reader connects.
    private func watchUpdates(
        _ onUpdate: @escaping @Sendable (CardReaderSoftwareUpdateState) -> Void
    ) -> Task<Void, Never> {
        let (streams, continuation) = AsyncStream.makeStream(of: AsyncStream<CardReaderSoftwareUpdateState>.self)
        try? stores.dispatch(
            CardPresentPaymentsAction.observeCardReaderUpdateState {
                continuation.yield($0)
                continuation.finish()
            })
        return Task {
            for await states in streams {
                for await state in states { onUpdate(state) }
            }
        }
    }

    /// Reports on stderr which reader is connected and when it is lost, with `--verbose` only.
    private func tellReaders() async throws(CommandFailure) -> Subscription? {
        guard Display.isVerbose else { return nil }
        let wasConnected = Atomic(false)
        return try await stores.value {
            CardPresentPaymentsAction.observeConnectedReaders(
                onChange: { readers in
                    for reader in readers { StandardError.detail("reader: \(reader.line.dropLast())") }
                    let isConnected = !readers.isEmpty
                    if wasConnected.exchange(isConnected, ordering: .relaxed), !isConnected {
                        StandardError.detail("reader: none")
                    }
                }, onCompletion: $0)
        }
    }

    private func connect() async throws(CommandFailure) {
        let (lists, continuation) = AsyncStream.makeStream(of: [CardReader].self)
        try await stores.value {
            CardPresentPaymentsAction.startCardReaderDiscovery(
                discoveryMethod: environment.discoveryMethod, onReaderDiscovered: { continuation.yield($0) },
                onCompletion: $0
            )
        } as Void
        var found: [CardReader] = []
        // The first list contains the connected readers.
        for await list in lists {
            found = list
            break
        }
        let remembered =
            try await stores.value { CardPresentPaymentsAction.loadRememberedCardReaders(onCompletion: $0) }
            as [RememberedCardReader]
        let reader = try environment.choose(among: found, remembered: remembered)
        _ = try await stores.value { CardPresentPaymentsAction.connect(reader: reader, onCompletion: $0) } as CardReader
    }
}
