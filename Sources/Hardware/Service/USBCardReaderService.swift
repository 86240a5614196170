internal import Amounts
internal import CCID
public import Determinism
public import EMV
public import SmartCard
public import USB

/// Card readers on a USB bus, driven by this program itself: CCID driver and EMV kernel.
public actor USBCardReaderService: CardReaderService {
    private struct Connection {
        let device: USBDevice
        let reader: CCIDReader
        var value: CardReader
    }

    private struct Running {
        let parameters: PaymentIntentParameters
        let task: Task<Result<PaymentIntent, CardReaderServiceError>, Never>
    }

    private enum Last {
        case none
        case succeeded
        case failed(PaymentIntentParameters, CardReaderServiceError)
    }

    private let bus: any USBBus
    private let host: any PaymentHost
    private let terminal: TerminalConfiguration
    private let cardholder: any CardholderInterface
    private let time: any TimeSource
    private let random: any RandomSource
    private let trace: (@Sendable (TraceEntry) -> Void)?

    private let discovered = Broadcast<[CardReader]>(current: [])
    private let connected = Broadcast<[CardReader]>(current: [])
    private let updates = Broadcast<CardReaderSoftwareUpdateState>(current: .none)
    private let events = EventRelay()

    private var discovery: Task<Void, Never>?
    private var devices: [String: USBDevice] = [:]
    private var connection: Connection?
    private var departures: Task<Void, Never>?
    private var isConnecting = false
    private var running: Running?
    private var last = Last.none
    /// The card in the reader has been through a payment.
    private var cardIsUsed = false

    /// How long a card may stay in the reader after a payment before waiting for it is given up.
    private static let removalTimeout = Duration.seconds(30)

    /// - Parameters:
    ///   - bus: where readers are.
    ///   - host: asked for authorisations.
    ///   - cardholder: asked for the PIN and for the choice of an application.
    ///   - trace: gets every exchange with a card, masked.
    public init(
        bus: any USBBus, host: any PaymentHost, terminal: TerminalConfiguration, cardholder: any CardholderInterface,
        time: any TimeSource, random: any RandomSource, trace: (@Sendable (TraceEntry) -> Void)? = nil
    ) {
        (self.bus, self.host, self.terminal, self.cardholder) = (bus, host, terminal, cardholder)
        (self.time, self.random, self.trace) = (time, random, trace)
    }

    deinit {
        discovery?.cancel()
        departures?.cancel()
    }

    public var discoveredReaders: AsyncStream<[CardReader]> { discovered.subscribe() }
    public var connectedReaders: AsyncStream<[CardReader]> { connected.subscribe() }
    public var readerEvents: AsyncStream<CardReaderEvent> { events.broadcast.subscribe() }
    public var softwareUpdateEvents: AsyncStream<CardReaderSoftwareUpdateState> { updates.subscribe() }

    // MARK: Discovery

    public func checkSupport(for readerType: CardReaderType, discoveryMethod: CardReaderDiscoveryMethod) -> Bool {
        readerType == .ccid && discoveryMethod == .usb
    }

    public func start(_ discoveryMethod: CardReaderDiscoveryMethod) async throws(CardReaderServiceError) {
        guard discovery == nil else { return }
        let changes = bus.hotplugEvents()
        discovery = Task { [weak self] in
            for await _ in changes {
                // A bus that cannot be listed now will tell of the next change.
                try? await self?.lookForReaders()
            }
        }
        do throws(USBError) {
            try await lookForReaders()
        } catch {
            cancelDiscovery()
            throw .discovery(.readerCommunicationError(error.description))
        }
    }

    public func cancelDiscovery() {
        discovery?.cancel()
        discovery = nil
        devices = [:]
        discovered.send([])
    }

    private func lookForReaders() async throws(USBError) {
        let all = try await bus.devices()
        guard discovery != nil else { return }
        var readers: [CardReader] = []
        devices = [:]
        for device in all {
            guard let reader = CardReader(device) else { continue }
            devices[reader.id] = device
            readers.append(reader)
        }
        discovered.send(readers)
    }

    // MARK: Connection

    public func connect(_ reader: CardReader) async throws(CardReaderServiceError) -> CardReader {
        guard connection == nil, !isConnecting else { throw .connection(.alreadyConnectedToReader) }
        guard let device = devices[reader.id] else {
            throw .connection(.readerNotFound("'\(reader.id)' is not among the readers that were found"))
        }
        isConnecting = true
        defer { isConnecting = false }
        let driver: CCIDReader
        do throws(CCIDError) {
            driver = try await CCIDReader.open(device, on: bus, time: time)
        } catch {
            throw .connection(UnderlyingError(error))
        }
        connection = Connection(device: device, reader: driver, value: reader)
        cardIsUsed = false
        watchForDeparture(of: device)
        connected.send([reader])
        return reader
    }

    private func watchForDeparture(of device: USBDevice) {
        let changes = bus.hotplugEvents()
        departures = Task { [weak self] in
            for await change in changes where change == .left(device) {
                await self?.lost(device)
                return
            }
        }
    }

    private func lost(_ device: USBDevice) async {
        guard let connection, connection.device == device else { return }
        await end(connection, .unplugged)
    }

    private func end(_ ended: Connection, _ reason: DisconnectReason) async {
        connection = nil
        departures?.cancel()
        departures = nil
        connected.send([])
        events.send(.disconnected(reason))
        await ended.reader.close()
    }

    public func disconnect() async throws(CardReaderServiceError) {
        await cancelRunning()
        guard let connection else { throw .disconnection(.notConnectedToReader) }
        await end(connection, .requested)
    }

    public func clear() async {
        await cancelRunning()
        if let connection { await end(connection, .requested) }
        cancelDiscovery()
        last = .none
    }

    // MARK: Payments

    public func waitForInsertedCardToBeRemoved() async throws(CardReaderServiceError) {
        guard cardIsUsed, let connection else { return }
        let isRemoved: Bool
        do throws(CCIDError) {
            isRemoved = try await connection.reader.waitForCard(present: false, timeout: Self.removalTimeout)
        } catch {
            throw .paymentMethodCollection(UnderlyingError(error))
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
            reader: connection.reader, host: host, terminal: terminal, cardholder: cardholder, time: time,
            random: random, trace: trace, events: events, parameters: parameters)
        events.setHandler(onEvent)
        let task = Task { () -> Result<PaymentIntent, CardReaderServiceError> in
            do throws(CardReaderServiceError) {
                try await self.askForUsedCard()
                return .success(try await run.perform())
            } catch {
                return .failure(error)
            }
        }
        running = Running(parameters: parameters, task: task)
        let result = await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        running = nil
        cardIsUsed = true
        events.setHandler(nil)
        switch result {
        case .success: last = .succeeded
        case .failure(let error): last = .failed(parameters, error)
        }
        return try result.get()
    }

    /// A card that has been through a payment is not taken for the next one's.
    private func askForUsedCard() async throws(CardReaderServiceError) {
        guard cardIsUsed else { return }
        events.send(.removeCardRequested)
        try await waitForInsertedCardToBeRemoved()
    }

    public func retryActivePaymentIntent() async throws(CardReaderServiceError) -> PaymentIntent {
        guard running == nil else { throw .retryNotPossibleProcessingInProgress }
        switch last {
        case .none: throw .retryNotPossibleNoActivePayment
        case .succeeded: throw .retryNotPossibleActivePaymentSucceeded
        case .failed(_, .paymentMethodCollection(.commandCancelled)): throw .retryNotPossibleActivePaymentCancelled
        case .failed(let parameters, .paymentMethodCollection):
            return try await capturePayment(parameters, onEvent: { _ in })
        case .failed: throw .retryNotPossibleActivePaymentAnswered
        }
    }

    public func cancelPaymentIntent() async throws(CardReaderServiceError) { await cancelRunning() }

    private func cancelRunning() async {
        guard let task = running?.task else { return }
        task.cancel()
        _ = await task.value
    }

    // MARK: Refunds

    public func refundPayment(_ parameters: RefundParameters) async throws(CardReaderServiceError) -> RefundResult {
        guard parameters.amount.minorUnits > 0 else {
            throw .refundCreation(.invalidAmount("a refund is more than zero"))
        }
        guard !Task.isCancelled else { throw .refundPayment(.commandCancelled(from: .app), shouldRetry: true) }
        let request = HostRefundRequest(
            key: parameters.key, original: parameters.original, stan: parameters.stan, amount: parameters.amount)
        let host = host
        // Once it is sent, a refund's answer must not be lost to a cancelled task.
        let sending = Task { () -> Result<AuthorizationResponse, PaymentHostError> in
            do throws(PaymentHostError) {
                return .success(try await host.refund(request))
            } catch {
                return .failure(error)
            }
        }
        switch await sending.value {
        case .success(let response) where response.isApproved:
            return RefundResult(
                reference: response.reference, authorisationCode: response.answer.authorisationCode,
                responseCode: response.responseCode)
        case .success(let response):
            let reason = DeclineReason(responseCode: response.responseCode)
            throw .refundPayment(.paymentDeclinedByPaymentProcessorAPI(reason), shouldRetry: reason.mayRetry)
        case .failure(.notSent(let reason)):
            throw .refundPayment(.notConnectedToInternet("the payment host cannot be reached: \(reason)"), shouldRetry: true)
        case .failure(.outcomeUnknown(let reason)):
            throw .refundOutcomeUnknown(.requestTimedOut("the payment host did not answer: \(reason)"))
        }
    }

    public func cancelRefund() async throws(CardReaderServiceError) {
        // A refund is one message: there is no moment at which it runs and has not been sent.
    }

    // MARK: Firmware

    public func installUpdate() async throws(CardReaderServiceError) {
        throw .softwareUpdate(.featureNotAvailable("CCID readers have no way to install firmware"))
    }
}
