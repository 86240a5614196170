import Concurrency
import Determinism

/// The connected reader: opens it, detects its loss, and closes it. `ReaderConnection+Reconnection.swift` reconnects a
/// lost reader.
actor ReaderConnection {
    private struct Connected {
        let session: any CardReaderSession
        let source: any CardReaderSource
        var reader: CardReader
        var battery = BatteryAlarm()
        /// The input of the card that has been used for a payment, and may still be there.
        var usedInput: CardReaderInput?
    }

    private let discovery: ReaderDiscovery
    private let events: EventRelay
    private let published = Broadcast<[CardReader]>(current: [])
    let time: any TimeSource
    let policy: ReconnectionPolicy

    private var connected: Connected?
    /// The connected reader while another operation uses the device.
    private var lent: CardReader?
    private var isConnecting = false
    /// Counts the calls of ``clear()``: a reader that was being opened during one is not connected afterward.
    private var clearings = 0
    /// Observes the source of the wanted reader, connected or not.
    private var watching: Task<Void, Never>?

    let reconnections = Broadcast<CardReaderReconnectionState>(current: .idle)
    var reconnection: ReaderReconnection
    var reconnecting: Task<Void, Never>?
    /// Fires when a reader arrives, or the state of the reconnection changes.
    let change = ChangeSignal()

    init(_ discovery: ReaderDiscovery, policy: ReconnectionPolicy, time: any TimeSource, events: EventRelay) {
        (self.discovery, self.policy, self.time, self.events) = (discovery, policy, time, events)
        reconnection = ReaderReconnection(policy)
    }

    deinit {
        watching?.cancel()
        reconnecting?.cancel()
    }

    /// The connected reader, as a list of none or one.
    nonisolated var readers: AsyncStream<[CardReader]> { published.subscribe() }

    /// The open reader; nil when none is connected.
    var session: (any CardReaderSession)? { connected?.session }

    /// The connected reader, also while it is lent.
    var reader: CardReader? { connected?.reader ?? lent }

    /// Whether the reader is connected but lent, so that it cannot be used.
    var isLent: Bool { lent != nil }

    // MARK: Beginning and end

    /// Opens a discovered reader. Cancels the reconnection of a lost one.
    ///
    /// - Returns: The reader with the properties that it reports only when open.
    /// - Throws: ``UnderlyingError``
    func connect(_ reader: CardReader) async throws(UnderlyingError) -> CardReader {
        guard connected == nil, lent == nil, !isConnecting else { throw .alreadyConnectedToReader }
        isConnecting = true
        defer { isConnecting = false }
        let clearing = clearings
        guard let source = await discovery.source(of: reader) else {
            throw .readerNotFound("'\(reader.id)' is not among the readers that were found")
        }
        await cancelReconnection()
        return try await open(reader, from: source, unlessClearedSince: clearing) {
            reconnection.reset()
            showReconnection()
        }
    }

    /// Lends the device of the connected reader to an operation. During the operation the reader is connected and
    /// cannot be used; afterward it is opened again.
    ///
    /// - Parameter body: The operation. It returns the reader in its new state.
    /// - Returns: The reader in its new state.
    /// - Throws: The error of `body`, or why the reader cannot be opened again; in that case it is no longer connected.
    func lend(
        _ body: @Sendable () async throws(UnderlyingError) -> CardReader
    ) async throws(UnderlyingError) -> CardReader {
        guard let own = connected else { throw .notConnectedToReader }
        let clearing = clearings
        (connected, lent) = (nil, own.reader)
        stopWatching()
        await own.session.close()
        let result: Result<CardReader, UnderlyingError>
        do throws(UnderlyingError) { result = .success(try await body()) } catch { result = .failure(error) }
        // In a separate task, so that a cancellation does not leave the reader closed.
        let opening = Task { () -> Result<Void, UnderlyingError> in
            do throws(UnderlyingError) {
                let reader = (try? result.get()) ?? own.reader
                _ = try await open(reader, from: own.source, unlessClearedSince: clearing) { lent = nil }
                return .success(())
            } catch {
                return .failure(error)
            }
        }
        do throws(UnderlyingError) {
            try await opening.value.get()
        } catch {
            lent = nil
            published.send([])
            events.send(.disconnected(error == .readerDisconnected ? .unplugged : .failed(error.description)))
            guard case .failure(let cause) = result else { throw error }
            throw cause
        }
        return try result.get()
    }

    /// Opens a reader and makes it the connected one, unless the service was cleared meanwhile. Calls `onOpen` in
    /// between.
    ///
    /// - Returns: The reader with the details that only an open reader reports.
    /// - Throws: ``UnderlyingError``
    private func open(
        _ reader: CardReader, from source: any CardReaderSource, unlessClearedSince clearing: Int, onOpen: () -> Void
    ) async throws(UnderlyingError) -> CardReader {
        // Starts before the reader is opened, so that no departure is missed.
        let changes = source.changes()
        let session = try await source.open(reader)
        let value = await described(reader, by: session)
        guard clearing == clearings else {
            await session.close()
            throw .commandCanceled(from: .app)
        }
        onOpen()
        watch(changes, of: reader.id)
        adopt(session, value, from: source)
        return value
    }

    /// Closes the connected reader, or cancels the reconnection of a lost one.
    ///
    /// - Throws: ``UnderlyingError/notConnectedToReader``
    func disconnect() async throws(UnderlyingError) {
        guard connected != nil || reconnection.state.isReconnecting else { throw .notConnectedToReader }
        await cancelReconnection()
        await end(.requested)
    }

    /// Closes the connected reader, and one that is being opened.
    func clear() async {
        clearings += 1
        await cancelReconnection()
        await end(.requested)
        reconnection.reset()
        showReconnection()
    }

    /// Makes an open reader the connected reader.
    func adopt(_ session: any CardReaderSession, _ reader: CardReader, from source: any CardReaderSource) {
        connected = Connected(session: session, source: source, reader: reader)
        session.onRecovery { [events] step in events.send(.recovering(step)) }
        published.send([reader])
        tellBattery(reader.batteryLevel)
    }

    /// Returns a reader with the properties that it reports only when open.
    func described(_ reader: CardReader, by session: any CardReaderSession) async -> CardReader {
        var value = reader
        value.batteryLevel = await session.batteryLevel()
        value.inputs = await session.inputs()
        return value
    }

    // MARK: Loss

    /// Closes a reader that no longer accepts commands.
    ///
    /// - Returns: The error for the payment; nil when the reader is not lost.
    func noteLoss(of session: any CardReaderSession) async -> UnderlyingError? {
        let isOver = connected?.session !== session
        guard let reason = await session.loss() else { return isOver ? .readerDisconnected : nil }
        await lost(session, reason)
        switch reason {
        case .failed(let error): return .readerCommunicationError(error)
        case .overcurrent, .deauthorized, .taken, .unresponsive: return .readerCommunicationError(reason.description)
        case .requested, .unplugged, .suspended: return .readerDisconnected
        }
    }

    private func watch(_ changes: any AsyncSequence<CardReaderChange, Never> & Sendable, of id: CardReader.ID) {
        watching?.cancel()
        watching = Task { [weak self] in
            for await change in changes where change.reader.id == id {
                switch change {
                case .arrived: await self?.sawReader(isPresent: true)
                case .left: await self?.noteDeparture()
                }
            }
        }
    }

    private func noteDeparture() async {
        guard let connected else { return sawReader(isPresent: false) }
        var reason = await connected.session.loss()
        if reason == nil {
            // Two devices can have the same serial number: the other one may have left.
            let present = try? await connected.source.readers()
            if present?.contains(where: { $0.id == connected.reader.id }) != true { reason = .unplugged }
        }
        if let reason { await lost(connected.session, reason) }
    }

    private func lost(_ session: any CardReaderSession, _ reason: DisconnectReason) async {
        guard let lost = connected, lost.session === session else { return }
        if policy.isEnabled { reconnection.begin(lost.reader, at: time.reading(), now: time.now()) }
        await end(reason)
        if policy.isEnabled { reconnect(to: lost.reader, from: lost.source) }
    }

    private func end(_ reason: DisconnectReason) async {
        if !reconnection.state.isReconnecting { stopWatching() }
        guard let ended = connected else { return }
        connected = nil
        published.send([])
        events.send(.disconnected(reason))
        showReconnection()
        await ended.session.close()
    }

    func stopWatching() {
        watching?.cancel()
        watching = nil
    }

    // MARK: Card and battery

    /// The input of the card that has been used for a payment and may still be there; nil for none.
    var usedInput: CardReaderInput? { connected?.usedInput }

    /// Records the input of a card that is used for a payment; nil when no used card is there.
    func noteCard(_ input: CardReaderInput?, in session: any CardReaderSession) {
        guard connected?.session === session else { return }
        connected?.usedInput = input
    }

    /// Queries the battery of the connected reader, if it has one, and publishes changes.
    func checkBattery() async {
        guard let asked = connected, let level = await asked.session.batteryLevel(),
            connected?.session === asked.session, level != asked.reader.batteryLevel
        else { return }
        var reader = asked.reader
        reader.batteryLevel = level
        connected?.reader = reader
        published.send([reader])
        tellBattery(level)
    }

    private func tellBattery(_ level: Double?) {
        if let event = connected?.battery.take(level) { events.send(event) }
    }
}
