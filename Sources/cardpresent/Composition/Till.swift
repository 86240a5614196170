internal import Amounts
internal import Determinism
internal import EMV
internal import Hardware
internal import Simulator
internal import SmartCard
internal import Storage
internal import USB
internal import Yosemite

/// Everything that a command needs, built once: the one place where the layers are put together.
struct Till: Sendable {
    private let stores: StoresManager
    private let world: any World
    /// What was done, at start, about attempts that were left in the middle.
    let recovered: RecoveryReport

    /// Opens the records and brings to an end what was left in the middle, for a command that uses no reader.
    ///
    /// - Throws: `CommandFailure`
    static func open(
        _ determinism: DeterminismOptions, settings: TillConfiguration, data: DatabaseOptions
    ) async throws(CommandFailure) -> Till {
        try await open(NoReader(determinism), currency: settings.currency, settings: settings, data: data)
    }

    /// The same, with the reader, card and cardholder of a payment.
    ///
    /// - Throws: `CommandFailure`
    static func open(
        _ options: WorldOptions, currency: Currency, settings: TillConfiguration, data: DatabaseOptions
    ) async throws(CommandFailure) -> Till {
        let world: any World =
            switch options.reader {
            case .usb(let id): try RealWorld(options, readerID: id)
            case .simulated(let model): try SimulatedWorld(options, model: model)
            }
        return try await open(world, currency: currency, settings: settings, data: data)
    }

    private static func open(
        _ world: any World, currency: Currency, settings: TillConfiguration, data: DatabaseOptions
    ) async throws(CommandFailure) -> Till {
        let path = data.path()
        let journal: PaymentJournal
        do throws(StorageError) {
            let storage = try SQLiteStorageManager(path: path, random: world.random.stream("database"))
            journal = PaymentJournal(storage: storage, lease: try ProcessLease(in: storage))
        } catch {
            throw CommandFailure(error)
        }
        let host = try HostFactory.host(beside: path, world: world)
        let stores = try Self.stores(
            world, terminal: world.terminal(settings.terminal(for: currency)), host: host, journal: journal,
            merchant: settings.merchant)
        let recovered = try await stores.value { CardPresentPaymentsAction.recoverPayments(onCompletion: $0) }
        return Till(stores: stores, world: world, recovered: recovered)
    }

    private static func stores(
        _ world: any World, terminal: TerminalConfiguration, host: any PaymentHost, journal: PaymentJournal,
        merchant: Merchant
    ) throws(CommandFailure) -> StoresManager {
        let time = world.time
        let payments = CardPresentPaymentsStore(
            host: host, journal: journal, merchant: merchant, time: time
        ) { host in
            USBCardReaderService(
                bus: world.bus, host: host, terminal: terminal, cardholder: world.cardholder,
                time: time, random: world.random.stream("terminal"), trace: world.trace)
        }
        let receipts = ReceiptStore(
            journal: journal, printer: CUPSPrinterService(time: SystemTimeSource()), time: time)
        let all: [any Store] = [payments, receipts]
        do throws(DispatcherError) {
            return try StoresManager(
                dispatcher: Dispatcher(time: time), session: SessionManager(),
                configuration: StoresManager.Configuration(
                    authenticated: { AuthenticatedState(credentials: $0, stores: all) },
                    // Taking payments needs no store site.
                    deauthenticated: { DeauthenticatedState(stores: all) },
                    disconnectReader: { dispatcher in
                        _ = try? await dispatcher.perform { CardPresentPaymentsAction.reset(onCompletion: $0) }
                            as Void
                    }))
        } catch {
            throw CommandFailure(.internalError, code: "internal", message: error.description)
        }
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
    /// Connects the reader and takes a payment.
    ///
    /// - Throws: `CommandFailure` when nothing could be started; else the payment tells how it ended.
    func pay(
        _ request: PaymentRequest, onEvent: @escaping @Sendable (CardReaderEvent) -> Void
    ) async throws(CommandFailure) -> Yosemite.Payment {
        try await connect()
        let world = world
        let payment: Yosemite.Payment = try await stores.value { onCompletion in
            CardPresentPaymentsAction.collectPayment(
                request: request,
                onCardReaderMessage: { event in
                    world.observe(event)
                    onEvent(event)
                }, onProcessingCompletion: { _ in }, onCompletion: onCompletion)
        }
        try? await stores.value { CardPresentPaymentsAction.reset(onCompletion: $0) } as Void
        return payment
    }

    /// Cancels what runs; returns when the reader is idle.
    func cancel() async {
        try? await stores.value { CardPresentPaymentsAction.cancelPayment(onCompletion: $0) } as Void
    }

    private func connect() async throws(CommandFailure) {
        let (lists, continuation) = AsyncStream.makeStream(of: [CardReader].self)
        try await stores.value {
            CardPresentPaymentsAction.startCardReaderDiscovery(
                discoveryMethod: .usb, onReaderDiscovered: { continuation.yield($0) }, onCompletion: $0)
        } as Void
        var found: [CardReader] = []
        // The first list holds what is plugged in now.
        for await list in lists {
            found = list
            break
        }
        guard let reader = world.readerID.map({ id in found.first { $0.id == id } }) ?? found.first else {
            throw CommandFailure(
                .reader, code: "reader_not_found",
                message: world.readerID.map { "there is no reader '\($0)'" } ?? "no card reader found",
                fix: found.isEmpty
                    ? "plug a CCID reader in, or use --reader simulated"
                    : "readers: " + found.map(\.id).joined(separator: ", "))
        }
        _ = try await stores.value { CardPresentPaymentsAction.connect(reader: reader, onCompletion: $0) } as CardReader
    }

    func refund(_ id: Int64, amount: Money?) async throws(CommandFailure) -> Yosemite.Payment {
        try await stores.value {
            CardPresentPaymentsAction.refundPayment(paymentID: id, amount: amount, onCompletion: $0)
        }
    }

    func payments(limit: Int?) async throws(CommandFailure) -> [Yosemite.Payment] {
        try await stores.value { CardPresentPaymentsAction.loadPayments(limit: limit, onCompletion: $0) }
    }

    func payment(_ id: Int64) async throws(CommandFailure) -> PaymentHistory {
        try await stores.value { CardPresentPaymentsAction.loadPayment(paymentID: id, onCompletion: $0) }
    }

    func receipt(of payment: Int64) async throws(CommandFailure) -> StoredReceipt {
        try await stores.value { ReceiptAction.loadReceipt(paymentID: payment, onCompletion: $0) }
    }

    func receipts(limit: Int?) async throws(CommandFailure) -> [StoredReceipt] {
        try await stores.value { ReceiptAction.loadReceipts(limit: limit, onCompletion: $0) }
    }

    func receiptText(of payment: Int64, copy: ReceiptCopy, width: Int) async throws(CommandFailure) -> String {
        let receipt = try await receipt(of: payment)
        return try await stores.value {
            ReceiptAction.generateContent(receiptID: receipt.id, copy: copy, width: width, onCompletion: $0)
        }
    }

    func printReceipt(
        of payment: Int64, copy: ReceiptCopy, on printer: String?, width: Int,
        onChange: @escaping @Sendable (Hardware.PrintJob) -> Void = { _ in }
    ) async throws(CommandFailure) -> Hardware.PrintJob {
        let receipt = try await receipt(of: payment)
        return try await stores.value {
            ReceiptAction.print(
                receiptID: receipt.id, copy: copy, printer: printer, width: width, onJobChange: onChange,
                onCompletion: $0)
        }
    }
}
