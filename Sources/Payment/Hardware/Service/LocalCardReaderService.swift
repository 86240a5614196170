import Concurrency
public import Determinism
public import EMV
public import Money
public import Payments
public import SmartCard
import Synchronization

/// The card readers of this machine, from all sources, and the EMV kernel.
///
/// It combines ``ReaderDiscovery``, ``ReaderConnection``, and ``ReaderPayments``.
public actor LocalCardReaderService: CardReaderService {
    private let discovery: ReaderDiscovery
    private let connection: ReaderConnection
    private let updates: ReaderUpdates
    private let payments: ReaderPayments
    private let host: any PaymentHost
    private let events = EventRelay()
    /// Counts the calls of ``clear()``: a reader whose firmware was being updated during one is not connected
    /// afterward.
    private var clearings = 0

    /// - Parameters:
    ///   - sources: The sources of readers.
    ///   - host: The host that authorizes payments.
    ///   - terminal: The kernel's configuration for the currency of a payment.
    ///   - magneticStripe: The policy for magnetic stripes.
    ///   - cardholder: Enters the PIN and selects an application.
    ///   - history: The exception file and earlier payments with the same card; nil when the terminal has none.
    ///   - time: The time source for the dates of payments and for all waits.
    ///   - random: The source of the kernel's unpredictable numbers.
    ///   - reconnection: The policy for a lost reader.
    ///   - trace: Receives every exchange with a card, masked.
    ///   - contactless: The contactless kernels and their configuration; nil takes no taps.
    public init(
        sources: [any CardReaderSource], host: any PaymentHost,
        terminal: @escaping @Sendable (Currency) -> TerminalConfiguration,
        magneticStripe: MagneticStripePolicy = MagneticStripePolicy(), cardholder: any CardholderInterface,
        history: (any CardHistory)? = nil, time: any TimeSource, random: any RandomSource,
        reconnection: ReconnectionPolicy = .off, trace: (@Sendable (TraceEntry) -> Void)? = nil,
        contactless: ContactlessTerminal? = nil
    ) {
        self.host = host
        discovery = ReaderDiscovery(sources)
        connection = ReaderConnection(discovery, policy: reconnection, time: time, events: events)
        updates = ReaderUpdates(discovery, connection, time: time)
        payments = ReaderPayments(
            connection,
            ReaderPayments.PaymentDependencies(
                host: host, terminal: terminal, magneticStripe: magneticStripe, cardholder: cardholder,
                history: history, time: time, random: random, trace: trace, contactless: contactless),
            events: events)
    }

    /// Creates a service with one terminal configuration for every currency.
    public init(
        sources: [any CardReaderSource], host: any PaymentHost, terminal: TerminalConfiguration,
        magneticStripe: MagneticStripePolicy = MagneticStripePolicy(), cardholder: any CardholderInterface,
        history: (any CardHistory)? = nil, time: any TimeSource, random: any RandomSource,
        reconnection: ReconnectionPolicy = .off, trace: (@Sendable (TraceEntry) -> Void)? = nil,
        contactless: ContactlessTerminal? = nil
    ) {
        self.init(
            sources: sources, host: host, terminal: { _ in terminal }, magneticStripe: magneticStripe,
            cardholder: cardholder, history: history, time: time, random: random, reconnection: reconnection,
            trace: trace, contactless: contactless)
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
        guard clearing == clearings else { throw .connection(.commandCanceled(from: .app)) }
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

    public func refundPayment(_ request: HostRefundRequest) async throws(CardReaderServiceError) -> RefundResult {
        try await RefundRun(host: host, request: request).perform()
    }

    public func cancelRefund() async throws(CardReaderServiceError) {
        // A refund is a single message: it is never running and still unsent.
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

/// Sends the reader's events to the running payment first, and then to all subscribers.
final class EventRelay: Sendable {
    typealias Handler = @Sendable (CardReaderEvent) -> Void

    let broadcast = Broadcast<CardReaderEvent>()
    private let handler = Mutex<Handler?>(nil)

    func setHandler(_ handler: Handler?) { self.handler.withLock { $0 = handler } }

    func send(_ event: CardReaderEvent) {
        handler.withLock { $0 }?(event)
        broadcast.send(event)
    }
}
