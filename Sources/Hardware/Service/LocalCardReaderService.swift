internal import Amounts
public import Determinism
public import EMV
public import SmartCard

/// The card readers of this machine, wherever they come from, and the EMV kernel.
public actor LocalCardReaderService: CardReaderService {
    private struct Connection {
        let session: any CardReaderSession
        var value: CardReader
    }

    private struct Discovery {
        let method: CardReaderDiscoveryMethod
        let sources: [any CardReaderSource]
        var watching: [Task<Void, Never>] = []
    }

    private enum Last {
        case none
        case succeeded
        case failed(PaymentIntentParameters, EventRelay.Handler, CardReaderServiceError)
    }

    private let sources: [any CardReaderSource]
    private let host: any PaymentHost
    private let terminal: TerminalConfiguration
    private let cardholder: any CardholderInterface
    private let history: (any CardHistory)?
    private let time: any TimeSource
    private let random: any RandomSource
    private let trace: (@Sendable (TraceEntry) -> Void)?

    private let discovered = Broadcast<[CardReader]>(current: [])
    private let connected = Broadcast<[CardReader]>(current: [])
    private let updates = Broadcast<CardReaderSoftwareUpdateState>(current: .none)
    private let events = EventRelay()

    private var discovery: Discovery?
    /// Looks at the sources, counted, so that the answer to an older one does not replace a newer one's.
    private var looks = (begun: 0, shown: 0)
    private var found: [String: any CardReaderSource] = [:]
    private var connection: Connection?
    private var departures: Task<Void, Never>?
    private var isConnecting = false
    /// Counts ``clear()``: a reader that was being opened meanwhile is not connected any more.
    private var clearings = 0
    private var running: Task<Result<PaymentIntent, CardReaderServiceError>, Never>?
    private var last = Last.none
    /// The card in the reader has been through a payment.
    private var cardIsUsed = false

    /// How long a card may stay in the reader after a payment before waiting for it is given up.
    private static let removalTimeout = Duration.seconds(30)

    /// - Parameters:
    ///   - sources: where readers come from.
    ///   - host: asked for authorisations.
    ///   - terminal: what the kernel runs as.
    ///   - cardholder: asked for the PIN and for the choice of an application.
    ///   - history: the exception file and the payments of the same card; nil when the terminal keeps none.
    ///   - time: dates payments, and measures every wait.
    ///   - random: for the unpredictable numbers of the kernel.
    ///   - trace: gets every exchange with a card, masked.
    public init(
        sources: [any CardReaderSource], host: any PaymentHost, terminal: TerminalConfiguration,
        cardholder: any CardholderInterface, history: (any CardHistory)? = nil, time: any TimeSource,
        random: any RandomSource, trace: (@Sendable (TraceEntry) -> Void)? = nil
    ) {
        (self.sources, self.host, self.terminal) = (sources, host, terminal)
        (self.cardholder, self.history) = (cardholder, history)
        (self.time, self.random, self.trace) = (time, random, trace)
    }

    deinit {
        for task in discovery?.watching ?? [] { task.cancel() }
        departures?.cancel()
    }

    public var discoveredReaders: AsyncStream<[CardReader]> { discovered.subscribe() }
    public var connectedReaders: AsyncStream<[CardReader]> { connected.subscribe() }
    public var readerEvents: AsyncStream<CardReaderEvent> { events.broadcast.subscribe() }
    public var softwareUpdateEvents: AsyncStream<CardReaderSoftwareUpdateState> { updates.subscribe() }

    // MARK: Discovery

    public func checkSupport(for readerType: CardReaderType, discoveryMethod: CardReaderDiscoveryMethod) -> Bool {
        sources.contains { $0.discoveryMethod == discoveryMethod && $0.readerTypes.contains(readerType) }
    }

    public func start(_ discoveryMethod: CardReaderDiscoveryMethod) async throws(CardReaderServiceError) {
        guard discovery?.method != discoveryMethod else { return }
        let chosen = sources.filter { $0.discoveryMethod == discoveryMethod }
        guard !chosen.isEmpty else {
            throw .discovery(.featureNotAvailable("readers are not looked for by \(discoveryMethod.rawValue) here"))
        }
        cancelDiscovery()
        var begun = Discovery(method: discoveryMethod, sources: chosen)
        for source in chosen {
            let changes = source.changes()
            begun.watching.append(
                Task { [weak self] in
                    for await _ in changes {
                        // A source that cannot be looked at now will tell of the next change.
                        try? await self?.lookForReaders()
                    }
                })
        }
        discovery = begun
        do throws(UnderlyingError) {
            try await lookForReaders()
        } catch {
            cancelDiscovery()
            throw .discovery(error)
        }
    }

    public func cancelDiscovery() {
        for task in discovery?.watching ?? [] { task.cancel() }
        discovery = nil
        discovered.send([])
    }

    private func lookForReaders() async throws(UnderlyingError) {
        looks.begun += 1
        let look = looks.begun
        var all: [(reader: CardReader, source: any CardReaderSource)] = []
        for source in discovery?.sources ?? [] {
            for reader in try await source.readers() { all.append((reader, source)) }
        }
        guard discovery != nil, look > looks.shown else { return }
        looks.shown = look
        found = [:]
        for (reader, source) in all { found[reader.id] = source }
        discovered.send(all.map(\.reader))
    }

    // MARK: Connection

    public func connect(_ reader: CardReader) async throws(CardReaderServiceError) -> CardReader {
        guard connection == nil, !isConnecting else { throw .connection(.alreadyConnectedToReader) }
        guard let source = found[reader.id] else {
            throw .connection(.readerNotFound("'\(reader.id)' is not among the readers that were found"))
        }
        isConnecting = true
        defer { isConnecting = false }
        let clearing = clearings
        // From before it is opened, so that no departure is missed.
        let changes = source.changes()
        let session: any CardReaderSession
        do throws(UnderlyingError) {
            session = try await source.open(reader)
        } catch {
            throw .connection(error)
        }
        var value = reader
        value.batteryLevel = await session.batteryLevel()
        guard clearing == clearings else {
            await session.close()
            throw .connection(.commandCancelled(from: .app))
        }
        connection = Connection(session: session, value: value)
        cardIsUsed = false
        watch(changes, forDepartureOf: reader.id, session)
        connected.send([value])
        tellBattery(value.batteryLevel, before: nil)
        return value
    }

    private func watch(
        _ changes: any AsyncSequence<CardReaderChange, Never> & Sendable, forDepartureOf id: CardReader.ID,
        _ session: any CardReaderSession
    ) {
        departures = Task { [weak self] in
            for await change in changes {
                guard case .left(let left) = change, left.id == id else { continue }
                await self?.lost(session, .unplugged)
                return
            }
        }
    }

    private func lost(_ session: any CardReaderSession, _ reason: DisconnectReason) async {
        guard let connection, connection.session === session else { return }
        await end(connection, reason)
    }

    /// Lets go of a reader that takes no commands any more.
    ///
    /// - Returns: whether it is gone.
    private func noteLoss(of session: any CardReaderSession) async -> Bool {
        guard let connection, connection.session === session else { return true }
        guard let reason = await session.loss() else { return false }
        await lost(session, reason)
        return true
    }

    private func end(_ ended: Connection, _ reason: DisconnectReason) async {
        connection = nil
        departures?.cancel()
        departures = nil
        connected.send([])
        events.send(.disconnected(reason))
        await ended.session.close()
    }

    public func disconnect() async throws(CardReaderServiceError) {
        await cancelRunning()
        guard let connection else { throw .disconnection(.notConnectedToReader) }
        await end(connection, .requested)
    }

    public func clear() async {
        clearings += 1
        await cancelRunning()
        if let connection { await end(connection, .requested) }
        cancelDiscovery()
        found = [:]
        last = .none
    }

    // MARK: Battery

    /// Asks the connected reader, if it has a battery, and shows what has changed.
    private func checkBattery() async {
        guard let asked = connection, let level = await asked.session.batteryLevel(),
            connection?.session === asked.session, level != asked.value.batteryLevel
        else { return }
        var value = asked.value
        value.batteryLevel = level
        connection?.value = value
        connected.send([value])
        tellBattery(level, before: asked.value.batteryLevel)
    }

    private func tellBattery(_ level: Double?, before: Double?) {
        guard let level else { return }
        let wasLow = before.map { $0 <= BatteryQuery.lowLevel } ?? false
        if level <= BatteryQuery.lowLevel {
            if !wasLow { events.send(.lowBattery(level)) }
        } else if wasLow {
            events.send(.lowBatteryResolved(level))
        }
    }

    // MARK: Payments

    public func waitForInsertedCardToBeRemoved() async throws(CardReaderServiceError) {
        // A payment that went well is recorded by now: there is time to look at the battery.
        await checkBattery()
        guard cardIsUsed, let connection else { return }
        let isRemoved: Bool
        do throws(UnderlyingError) {
            isRemoved = try await connection.session.waitForCard(present: false, timeout: Self.removalTimeout)
        } catch {
            throw .paymentMethodCollection(error)
        }
        guard isRemoved else { throw .paymentMethodCollection(.cardLeftInReader) }
        cardIsUsed = false
        events.send(.cardRemoved)
    }

    public func capturePayment(
        _ parameters: PaymentIntentParameters, onEvent: @escaping @Sendable (CardReaderEvent) -> Void
    ) async throws(CardReaderServiceError) -> PaymentIntent {
        guard running == nil else { throw .intentCreation(.readerBusy("a payment is running")) }
        guard let connection else { throw .intentCreation(.notConnectedToReader) }
        guard parameters.amount.minorUnits > 0 else {
            throw .intentCreation(.invalidAmount("a payment is more than zero"))
        }
        let run = PaymentRun(
            reader: connection.session, host: host, terminal: terminal, cardholder: cardholder,
            history: history, time: time, random: random, trace: trace, events: events, parameters: parameters,
            onCardTaken: { await self.cardIsTaken() })
        events.setHandler(onEvent)
        let task = Task {
            var result: Result<PaymentIntent, CardReaderServiceError>
            do throws(CardReaderServiceError) {
                try await self.askForUsedCard()
                result = .success(try await run.perform())
            } catch {
                result = .failure(await self.explain(error, reader: run.reader))
            }
            self.finish(result, parameters, onEvent)
            return result
        }
        running = task
        let result = await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        return try result.get()
    }

    private func cardIsTaken() { cardIsUsed = true }

    /// A reader that went away shows itself in many errors: all of them are told as what they are.
    private func explain(
        _ error: CardReaderServiceError, reader: any CardReaderSession
    ) async -> CardReaderServiceError {
        switch error {
        case .paymentMethodCollection(let cause) where cause.isOfReader:
            return await noteLoss(of: reader) ? .paymentMethodCollection(.readerDisconnected) : error
        case .paymentCaptureWithPaymentMethod(let cause, let details) where cause.isOfReader:
            return await noteLoss(of: reader)
                ? .paymentCaptureWithPaymentMethod(.readerDisconnected, details) : error
        default: return error
        }
    }

    /// The payment has ended. Done by its own task, so that whoever waited for it, to cancel it or for its
    /// result, finds the reader idle.
    private func finish(
        _ result: Result<PaymentIntent, CardReaderServiceError>, _ parameters: PaymentIntentParameters,
        _ handler: @escaping EventRelay.Handler
    ) {
        running = nil
        events.setHandler(nil)
        switch result {
        case .success: last = .succeeded
        case .failure(let error): last = .failed(parameters, handler, error)
        }
    }

    /// A card that has been through a payment is not taken for the next one's.
    private func askForUsedCard() async throws(CardReaderServiceError) {
        guard cardIsUsed, let connection else { return }
        do throws(UnderlyingError) {
            cardIsUsed = try await !connection.session.waitForCard(present: false, timeout: .zero)
        } catch {
            throw .paymentMethodCollection(error)
        }
        guard cardIsUsed else { return }
        events.send(.removeCardRequested)
        try await waitForInsertedCardToBeRemoved()
    }

    public func retryActivePaymentIntent(
        key: IdempotencyKey, stan: UInt32
    ) async throws(CardReaderServiceError) -> PaymentIntent {
        guard running == nil else { throw .retryNotPossibleProcessingInProgress }
        switch last {
        case .none: throw .retryNotPossibleNoActivePayment
        case .succeeded: throw .retryNotPossibleActivePaymentSucceeded
        case .failed(_, _, .paymentMethodCollection(.commandCancelled)):
            throw .retryNotPossibleActivePaymentCancelled
        case .failed(var parameters, let handler, .paymentMethodCollection):
            guard key != parameters.key else { throw .retryNotPossibleActivePaymentAnswered }
            (parameters.key, parameters.stan) = (key, stan)
            return try await capturePayment(parameters, onEvent: handler)
        case .failed: throw .retryNotPossibleActivePaymentAnswered
        }
    }

    public func cancelPaymentIntent() async throws(CardReaderServiceError) { await cancelRunning() }

    private func cancelRunning() async {
        guard let task = running else { return }
        task.cancel()
        _ = await task.value
    }

    // MARK: Refunds

    public func refundPayment(_ parameters: RefundParameters) async throws(CardReaderServiceError) -> RefundResult {
        try await RefundRun(host: host, parameters: parameters).perform()
    }

    public func cancelRefund() async throws(CardReaderServiceError) {
        // A refund is one message: there is no moment at which it runs and has not been sent.
    }

    // MARK: Firmware

    public func installUpdate() async throws(CardReaderServiceError) {
        throw .softwareUpdate(.featureNotAvailable("CCID readers have no way to install firmware"))
    }
}
