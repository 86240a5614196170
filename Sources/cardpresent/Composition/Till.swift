internal import Amounts
internal import Determinism
internal import EMV
internal import Hardware
internal import Networking
internal import Receipts
internal import Recorder
internal import Simulator
internal import SmartCard
internal import Storage
internal import Synchronization
internal import USB
internal import Yosemite

/// Everything that a command needs, built once: the one place where the layers are put together.
struct Till: Sendable {
    private let stores: StoresManager
    private let world: any World
    /// Listens to a payment; nil when nobody wants it recorded.
    let recorder: PaymentRecorder?
    /// Why nobody is signed in, when that is not because nobody was.
    private let sessionFailure: CommandFailure?
    /// What was done, at start, about attempts that were left in the middle.
    let recovered: RecoveryReport
    /// What was done, at start, about payments that the store had still to be told of.
    let captured: CaptureReport

    /// Opens the records and brings to an end what was left in the middle, for a command that uses no reader.
    ///
    /// - Throws: `CommandFailure`
    static func open(
        _ repeatability: Repeatability = .none, settings: TillConfiguration, data: DatabaseOptions,
        rules: IssuerRules = IssuerRules()
    ) async throws(CommandFailure) -> Till {
        try await open(NoReader(repeatability), settings: settings, data: data, rules: rules)
    }

    /// The same, with the reader, card and cardholder of a payment.
    ///
    /// - Throws: `CommandFailure`
    static func open(
        _ options: WorldOptions, pin: SealedBytes?, settings: TillConfiguration, data: DatabaseOptions,
        rules: IssuerRules, recording: PaymentRecording? = nil
    ) async throws(CommandFailure) -> Till {
        let world: any World =
            switch options.reader {
            case .usb(let id): try RealWorld(options, readerID: id, pin: pin, pinPad: settings.pinPadScheme)
            case .pcsc(let name): try PCSCWorld(options, readerName: name, pin: pin, pinPad: settings.pinPadScheme)
            case .simulated(let model):
                try SimulatedWorld(
                    options, recording?.repeatability ?? options.determinism.repeatability, model: model, pin: pin,
                    pinPad: settings.pinPadScheme)
            }
        guard recording != nil else { return try await open(world, settings: settings, data: data, rules: rules) }
        let recorder = PaymentRecorder(time: world.time)
        return try await open(
            RecordedWorld(world, recorder: recorder), settings: settings, data: data, rules: rules, recorder: recorder)
    }

    private static func open(
        _ world: any World, settings: TillConfiguration, data: DatabaseOptions, rules: IssuerRules,
        recorder: PaymentRecorder? = nil
    ) async throws(CommandFailure) -> Till {
        let path = try data.path()
        let storage: SQLiteStorageManager
        let journal: PaymentJournal
        do throws(StorageError) {
            storage = try SQLiteStorageManager(path: path, random: world.random.stream("database"))
            journal = PaymentJournal(storage: storage, lease: try ProcessLease(in: storage))
        } catch {
            throw CommandFailure(error)
        }
        guard world.trace?.isFile(at: path) != true else {
            throw CommandFailure(
                .usage, code: "trace_not_a_trace", message: "the trace and the database are one file",
                fix: "give --trace another path")
        }
        let issuer = try HostFactory.host(beside: path, world: world, rules: rules)
        let host: any PaymentHost = recorder.map { RecordingHost(issuer, recorder: $0) } ?? issuer
        let door = try ShopDoor(data: data, settings: settings)
        let (session, sessionFailure) = Self.session(door)
        let stores = try Self.stores(
            world, door.composition(storage: storage, session: session), host: host, journal: journal,
            history: try world.takesCards ? CardFiles.history(in: storage, settings, world.time) : nil,
            readers: world.hasOwnedReaders ? ReaderRegister(storage: storage) : nil, settings: settings,
            printers: TillPrinters.service(settings, data))
        let recovered = try await stores.value { CardPresentPaymentsAction.recoverPayments(onCompletion: $0) }
        let captured = try await stores.value {
            CardPresentPaymentsAction.settleCaptures(paymentID: nil, onCompletion: $0)
        }
        return Till(
            stores: stores, world: world, recorder: recorder, sessionFailure: sessionFailure, recovered: recovered,
            captured: captured)
    }

    /// Who is signed in. Payments need nobody, so credentials that cannot be read are told of by ``shop()`` alone.
    private static func session(_ door: ShopDoor) -> (SessionManager, CommandFailure?) {
        do throws(CommandFailure) { return (try door.session(), nil) } catch {
            return (SessionManager(), error)
        }
    }

    private static func stores(
        _ world: any World, _ composition: StoreComposition, host: any PaymentHost, journal: PaymentJournal,
        history: StoredCardHistory?, readers: ReaderRegister?, settings: TillConfiguration, printers: Printers
    ) throws(CommandFailure) -> StoresManager {
        let time = world.time
        return try composition.stores { session in
            let payments = CardPresentPaymentsStore(
                host: host, journal: journal, merchant: settings.merchant, history: history, readers: readers,
                site: session.flatMap(PaymentSite.init), time: time
            ) { host in
                LocalCardReaderService(
                    sources: world.readerSources(settings), host: host,
                    terminal: { world.terminal(settings.terminal(for: $0)) },
                    magneticStripe: settings.magneticStripe, cardholder: world.cardholder, history: history,
                    time: time, random: world.random.stream("terminal 1"),
                    reconnection: world.hasOwnedReaders ? settings.reconnection : .off, trace: world.recordTrace)
            }
            let receipts = ReceiptStore(
                journal: journal, printer: printers,
                style: ReceiptStyle(settings.receipt),
                logo: { () throws(ReceiptError) in try settings.receipt.openLogo() }, time: time,
                site: session?.context)
            return [payments, receipts]
        }
    }

    /// The store that somebody is signed in to, with the same stores.
    ///
    /// - Throws: `CommandFailure` when nobody is signed in or no store is chosen.
    func shop() throws(CommandFailure) -> Shop {
        if let sessionFailure { throw sessionFailure }
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

extension Till {
    /// What is to be paid.
    enum Bill: Sendable {
        case amount(PaymentRequest)
        case order(OrderPaymentRequest)
    }

    /// Connects the reader and takes a payment.
    ///
    /// - Throws: `CommandFailure` when nothing could be started, or when the end could not be recorded; else the
    ///   payment tells how it ended.
    func pay(
        _ bill: Bill, cancellation: Cancellation,
        onUpdate: @escaping @Sendable (CardReaderSoftwareUpdateState) -> Void = { _ in },
        onEvent: @escaping @Sendable (CardReaderEvent) -> Void
    ) async throws(CommandFailure) -> Yosemite.Payment {
        do throws(CommandFailure) {
            let watching = watchUpdates(onUpdate)
            defer { watching.cancel() }
            try await connect()
            guard !cancellation.isRequested else { throw .cancelledBeforeItBegan }
            await cancellation.onRequest(cancel)
            let payment = try await collect(bill, cancellation: cancellation, onEvent: onEvent)
            await reset()
            return payment
        } catch {
            await reset()
            throw error
        }
    }

    private func collect(
        _ bill: Bill, cancellation: Cancellation, onEvent: @escaping @Sendable (CardReaderEvent) -> Void
    ) async throws(CommandFailure) -> Yosemite.Payment {
        let world = world
        let wasSent = Atomic(false)
        do throws(CommandFailure) {
            let onMessage: CardPresentPaymentsAction.Messages = { event in
                switch event {
                // Asked for after the payment was dispatched and before it could be cancelled.
                case .waitingForInput where cancellation.isRequested: Task { await cancel() }
                case .authorizing: wasSent.store(true, ordering: .sequentiallyConsistent)
                default: break
                }
                world.observe(event)
                onEvent(event)
            }
            return try await stores.value { onCompletion in
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
        } catch {
            // The host has been asked, and what it said could not be written down.
            throw wasSent.load(ordering: .sequentiallyConsistent) ? error.withUnknownOutcome : error
        }
    }

    /// Cancels what runs; returns when the reader is idle.
    private func cancel() async {
        recorder?.noteCancellation()
        try? await stores.value { CardPresentPaymentsAction.cancelPayment(onCompletion: $0) } as Void
    }

    private func reset() async {
        try? await stores.value { CardPresentPaymentsAction.reset(onCompletion: $0) } as Void
    }

    /// Says what was brought to an end at start, and what could not be.
    func announceRecovery() {
        for payment in recovered.finished {
            StandardError.write("cardpresent: \(payment.name) was left in the middle; it is now \(payment.state)\n")
        }
        for payment in recovered.open {
            StandardError.write("cardpresent: \(payment.name) is still open: the host has not answered\n")
        }
        for failure in recovered.failed {
            StandardError.write("cardpresent: \(failure.payment) is still open: \(failure.error)\n")
        }
        for payment in captured.confirmed {
            StandardError.write("cardpresent: the store has been told of \(payment.name)\n")
        }
        for payment in captured.open + captured.refused { CaptureWarning(payment)?.report() }
        for failure in captured.failed {
            StandardError.write("cardpresent: the store has still to be told of \(failure.payment): \(failure.error)\n")
        }
    }

    /// What is to be said about a trace that is not complete.
    var traceWarning: String? { world.trace?.warning }

    /// Tells of firmware that the reader gets while it is being connected, because it may not be used without it.
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

    private func connect() async throws(CommandFailure) {
        let (lists, continuation) = AsyncStream.makeStream(of: [CardReader].self)
        try await stores.value {
            CardPresentPaymentsAction.startCardReaderDiscovery(
                discoveryMethod: world.discoveryMethod, onReaderDiscovered: { continuation.yield($0) }, onCompletion: $0
            )
        } as Void
        var found: [CardReader] = []
        // The first list holds what is plugged in now.
        for await list in lists {
            found = list
            break
        }
        let remembered =
            try await stores.value { CardPresentPaymentsAction.loadRememberedCardReaders(onCompletion: $0) }
            as [RememberedCardReader]
        let reader = try world.choose(among: found, remembered: remembered)
        _ = try await stores.value { CardPresentPaymentsAction.connect(reader: reader, onCompletion: $0) } as CardReader
    }

    /// Chooses a payment gateway of the store, when one is named or preferred: it must be one that the store has.
    func use(gateway name: String?, of shop: Shop) async throws(CommandFailure) {
        let preferred =
            try await shop.value {
                AppSettingsAction.getPreferredInPersonPaymentGateway(siteID: shop.siteID, onCompletion: $0)
            } as String?
        guard let name = name ?? preferred else { return }
        let accounts =
            try await stores.value { CardPresentPaymentsAction.loadAccounts(siteID: shop.siteID, onCompletion: $0) }
            as [PaymentGatewayAccount]
        guard let account = accounts.first(where: { $0.gatewayID == name }) else {
            throw CommandFailure(
                .configuration, code: "no_gateway_account", message: "the store has no account with \(name)",
                fix: accounts.isEmpty
                    ? "set one up in the store's own pages"
                    : "it has one with " + accounts.map(\.gatewayID).joined(separator: " and "))
        }
        try dispatch(.use(account: account))
    }

    private func dispatch(_ action: CardPresentPaymentsAction) throws(CommandFailure) {
        do throws(DispatcherError) { try stores.dispatch(action) } catch {
            throw CommandFailure(.internalError, code: "internal", message: error.description)
        }
    }

    /// What an order of the store costs now.
    func quote(order: Int64, of shop: Shop) async throws(CommandFailure) -> OrderQuote {
        try await stores.value {
            CardPresentPaymentsAction.quoteOrder(siteID: shop.siteID, orderID: order, onCompletion: $0)
        }
    }

    /// Tells the store of a payment, or of every one that it has still to be told of.
    func settle(_ payment: Int64) async throws(CommandFailure) -> CaptureReport {
        try await stores.value { CardPresentPaymentsAction.settleCaptures(paymentID: payment, onCompletion: $0) }
    }

    /// The store's own receipt of an order.
    func backendReceipt(order: Int64, of shop: Shop) async throws(CommandFailure) -> BackendReceipt {
        try await stores.value {
            ReceiptAction.retrieveReceipt(siteID: shop.siteID, orderID: order, onCompletion: $0)
        }
    }

    func refund(_ id: Int64, amount: Money?) async throws(CommandFailure) -> Yosemite.Payment {
        try await stores.value {
            CardPresentPaymentsAction.refundPayment(paymentID: id, amount: amount, onCompletion: $0)
        }
    }

    func payments(limit: Int?) async throws(CommandFailure) -> [Yosemite.Payment] {
        try await stores.value { CardPresentPaymentsAction.loadPayments(limit: limit, onCompletion: $0) }
    }

    /// The payments that were taken for an order of a store, newest first.
    func payments(siteID: Int64, orderID: Int64) async throws(CommandFailure) -> [Yosemite.Payment] {
        try await stores.value {
            CardPresentPaymentsAction.loadOrderPayments(siteID: siteID, orderID: orderID, onCompletion: $0)
        }
    }

    func payment(_ id: Int64) async throws(CommandFailure) -> PaymentHistory {
        try await stores.value { CardPresentPaymentsAction.loadPayment(paymentID: id, onCompletion: $0) }
    }

    /// The newest receipt of a payment, or the newest of a kind.
    func receipt(
        of payment: Int64, kind: ReceiptContent.Kind? = nil
    ) async throws(CommandFailure) -> StoredReceipt {
        try await stores.value { ReceiptAction.loadReceipt(paymentID: payment, kind: kind, onCompletion: $0) }
    }

    /// The receipts that a query means, newest first.
    func receipts(matching query: ReceiptQuery) async throws(CommandFailure) -> [StoredReceipt] {
        try await stores.value { ReceiptAction.loadReceipts(matching: query, onCompletion: $0) }
    }

    /// How many receipts a query means, whatever its limit.
    func receiptCount(matching query: ReceiptQuery) async throws(CommandFailure) -> Int {
        try await stores.value { ReceiptAction.countReceipts(matching: query, onCompletion: $0) }
    }

    func receiptText(
        of payment: Int64, kind: ReceiptContent.Kind? = nil, copy: ReceiptCopy, width: Int
    ) async throws(CommandFailure) -> String {
        let receipt = try await receipt(of: payment, kind: kind)
        return try await stores.value {
            ReceiptAction.generateContent(receiptID: receipt.id, copy: copy, width: width, onCompletion: $0)
        }
    }

    /// Prints a receipt and follows the job.
    ///
    /// - Throws: `CommandFailure` when nothing was printed for certain, or nobody can say.
    func print(
        _ request: ReceiptPrintRequest, onChange: @escaping @Sendable (ReceiptPrint) -> Void = { _ in }
    ) async throws(CommandFailure) -> ReceiptPrint {
        try await stores.value { ReceiptAction.print(request: request, onChange: onChange, onCompletion: $0) }
    }

    /// The same for a copy that may be on paper already, marked.
    func reprint(
        _ request: ReceiptPrintRequest, onChange: @escaping @Sendable (ReceiptPrint) -> Void = { _ in }
    ) async throws(CommandFailure) -> ReceiptPrint {
        try await stores.value { ReceiptAction.reprint(request: request, onChange: onChange, onCompletion: $0) }
    }

    func cancelPrint(_ id: Int64) async throws(CommandFailure) -> ReceiptPrint {
        try await stores.value { ReceiptAction.cancelPrint(printID: id, onCompletion: $0) }
    }

    /// The prints of a payment, or of every payment when it is nil, newest first.
    func prints(of payment: Int64?, limit: Int?) async throws(CommandFailure) -> [ReceiptPrintHistory] {
        try await stores.value { ReceiptAction.loadPrintJobs(paymentID: payment, limit: limit, onCompletion: $0) }
    }

    /// Asks what became of prints whose process is gone, and says it. What cannot be asked stops nothing.
    func resolvePrints() async {
        do throws(CommandFailure) {
            let changed: [ReceiptPrint] = try await stores.value {
                ReceiptAction.resolvePrintJobs(within: Self.printAnswer, onCompletion: $0)
            }
            for print in changed {
                StandardError.write(
                    "cardpresent: \(print.name) of \(print.paymentName) was left in the middle; it is now "
                        + "\(print.state.rawValue)\(PrintWords.because(print))\n")
            }
        } catch {
            error.report()
        }
    }

    /// How long a command that is about something else waits for a print server.
    private static let printAnswer = Duration.seconds(3)
}
