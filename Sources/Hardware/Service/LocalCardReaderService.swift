public import Amounts
public import Determinism
public import EMV
public import SmartCard

/// The card readers of this machine, wherever they come from, and the EMV kernel.
///
/// It puts together what each has a type of its own: ``ReaderDiscovery``, ``ReaderConnection``, ``ReaderPayments``.
public actor LocalCardReaderService: CardReaderService {
    private let discovery: ReaderDiscovery
    private let connection: ReaderConnection
    private let updates: ReaderUpdates
    private let payments: ReaderPayments
    private let host: any PaymentHost
    private let events = EventRelay()
    /// Counts ``clear()``: a reader whose firmware was being updated meanwhile is not connected any more.
    private var clearings = 0

    /// - Parameters:
    ///   - sources: where readers come from.
    ///   - host: asked for authorisations.
    ///   - terminal: what the kernel runs as, for the currency of a payment.
    ///   - magneticStripe: which stripes are taken.
    ///   - cardholder: asked for the PIN and for the choice of an application.
    ///   - history: the exception file and the payments of the same card; nil when the terminal keeps none.
    ///   - time: dates payments, and measures every wait.
    ///   - random: for the unpredictable numbers of the kernel.
    ///   - reconnection: what is done when the connected reader is lost.
    ///   - trace: gets every exchange with a card, masked.
    public init(
        sources: [any CardReaderSource], host: any PaymentHost,
        terminal: @escaping @Sendable (Currency) -> TerminalConfiguration,
        magneticStripe: MagneticStripePolicy = MagneticStripePolicy(), cardholder: any CardholderInterface,
        history: (any CardHistory)? = nil, time: any TimeSource, random: any RandomSource,
        reconnection: ReconnectionPolicy = .off, trace: (@Sendable (TraceEntry) -> Void)? = nil
    ) {
        self.host = host
        discovery = ReaderDiscovery(sources)
        connection = ReaderConnection(discovery, policy: reconnection, time: time, events: events)
        updates = ReaderUpdates(discovery, connection, time: time)
        payments = ReaderPayments(
            connection,
            ReaderPayments.Surroundings(
                host: host, terminal: terminal, magneticStripe: magneticStripe, cardholder: cardholder,
                history: history, time: time, random: random, trace: trace),
            events: events)
    }

    /// The same with one terminal for every currency.
    public init(
        sources: [any CardReaderSource], host: any PaymentHost, terminal: TerminalConfiguration,
        magneticStripe: MagneticStripePolicy = MagneticStripePolicy(), cardholder: any CardholderInterface,
        history: (any CardHistory)? = nil, time: any TimeSource, random: any RandomSource,
        reconnection: ReconnectionPolicy = .off, trace: (@Sendable (TraceEntry) -> Void)? = nil
    ) {
        self.init(
            sources: sources, host: host, terminal: { _ in terminal }, magneticStripe: magneticStripe,
            cardholder: cardholder, history: history, time: time, random: random, reconnection: reconnection,
            trace: trace)
    }

    public var discoveredReaders: AsyncStream<[CardReader]> { discovery.readers }
    public var connectedReaders: AsyncStream<[CardReader]> { connection.readers }
    public var readerEvents: AsyncStream<CardReaderEvent> { events.broadcast.subscribe() }
    public var reconnectionStates: AsyncStream<CardReaderReconnectionState> { connection.reconnectionStates }
    public var softwareUpdateEvents: AsyncStream<CardReaderSoftwareUpdateState> { updates.states }

    // MARK: Discovery

    public func checkSupport(for readerType: CardReaderType, discoveryMethod: CardReaderDiscoveryMethod) -> Bool {
        discovery.supports(readerType, foundBy: discoveryMethod)
    }

    public func start(_ discoveryMethod: CardReaderDiscoveryMethod) async throws(CardReaderServiceError) {
        do throws(UnderlyingError) {
            try await discovery.start(discoveryMethod)
        } catch {
            throw .discovery(error)
        }
    }

    public func cancelDiscovery() async { await discovery.cancel() }

    // MARK: Connection

    public func connect(_ reader: CardReader) async throws(CardReaderServiceError) -> CardReader {
        let clearing = clearings
        let prepared: CardReader
        do throws(UnderlyingError) { prepared = try await updates.prepare(reader) } catch {
            throw .softwareUpdate(error)
        }
        guard clearing == clearings else { throw .connection(.commandCancelled(from: .app)) }
        let connected: CardReader
        do throws(UnderlyingError) { connected = try await connection.connect(prepared) } catch {
            throw .connection(error)
        }
        await updates.offer(for: connected)
        return connected
    }

    public func disconnect() async throws(CardReaderServiceError) {
        await payments.cancel()
        await updates.stop()
        do throws(UnderlyingError) {
            try await connection.disconnect()
        } catch {
            throw .disconnection(error)
        }
    }

    public func cancelReconnection() async { await connection.cancelReconnection() }

    public func clear() async {
        clearings += 1
        await payments.cancel()
        await updates.stop()
        await connection.clear()
        await discovery.clear()
        await payments.forget()
    }

    // MARK: Payments

    public func waitForInsertedCardToBeRemoved() async throws(CardReaderServiceError) {
        try await payments.waitForCardRemoval()
    }

    public func capturePayment(
        _ parameters: PaymentIntentParameters, onEvent: @escaping @Sendable (CardReaderEvent) -> Void
    ) async throws(CardReaderServiceError) -> PaymentIntent {
        try await payments.capture(parameters, onEvent: onEvent)
    }

    public func retryActivePaymentIntent(
        key: IdempotencyKey, stan: UInt32
    ) async throws(CardReaderServiceError) -> PaymentIntent {
        try await payments.retry(key: key, stan: stan)
    }

    public func cancelPaymentIntent() async throws(CardReaderServiceError) { await payments.cancel() }

    // MARK: Refunds

    public func refundPayment(_ parameters: RefundParameters) async throws(CardReaderServiceError) -> RefundResult {
        try await RefundRun(host: host, parameters: parameters).perform()
    }

    public func cancelRefund() async throws(CardReaderServiceError) {
        // A refund is one message: there is no moment at which it runs and has not been sent.
    }

    // MARK: Firmware

    public func installUpdate() async throws(CardReaderServiceError) {
        guard await payments.hold() else { throw .softwareUpdate(.readerBusy("a payment is running")) }
        let result: Result<Void, UnderlyingError>
        do throws(UnderlyingError) { result = .success(try await updates.install()) } catch { result = .failure(error) }
        await payments.release()
        if case .failure(let error) = result { throw .softwareUpdate(error) }
    }

    public func cancelUpdate() async throws(CardReaderServiceError) {
        do throws(UnderlyingError) { try await updates.cancel() } catch { throw .softwareUpdate(error) }
    }
}
