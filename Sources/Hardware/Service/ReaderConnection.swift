internal import Determinism

/// The connected reader: opens it, notices its loss, and gives it back. How a lost one is got back stands in
/// `ReaderConnection+Reconnection.swift`.
actor ReaderConnection {
    private struct Connected {
        let session: any CardReaderSession
        let source: any CardReaderSource
        var reader: CardReader
        var battery = BatteryAlarm()
        /// The card in the reader has been through a payment.
        var cardIsUsed = false
    }

    private let discovery: ReaderDiscovery
    private let events: EventRelay
    private let published = Broadcast<[CardReader]>(current: [])
    let time: any TimeSource
    let policy: ReconnectionPolicy

    private var connected: Connected?
    /// The connected reader while somebody else works with the device.
    private var lent: CardReader?
    private var isConnecting = false
    /// Counts ``clear()``: a reader that was being opened meanwhile is not connected any more.
    private var clearings = 0
    /// Listens to the source of the reader that is wanted, connected or not.
    private var watching: Task<Void, Never>?

    let reconnections = Broadcast<CardReaderReconnectionState>(current: .idle)
    var reconnection: ReaderReconnection
    var reconnecting: Task<Void, Never>?
    /// A reader came, or the state of the reconnection changed.
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

    /// Whether the reader is connected and cannot be used.
    var isLent: Bool { lent != nil }

    // MARK: Beginning and end

    /// Opens a reader that discovery found. One that is being got back is given up.
    ///
    /// - Returns: the reader with what it tells only when it is open.
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
        // From before it is opened, so that no departure is missed.
        let changes = source.changes()
        let session = try await source.open(reader)
        let value = await described(reader, by: session)
        guard clearing == clearings else {
            await session.close()
            throw .commandCancelled(from: .app)
        }
        reconnection.reset()
        showReconnection()
        watch(changes, of: reader.id)
        adopt(session, value, from: source)
        return value
    }

    /// Lends the connected reader to somebody who works with the device itself. Meanwhile it is connected and cannot be
    /// used; afterwards it is opened anew.
    ///
    /// - Parameter body: what is done with it. It returns the reader as it is then.
    /// - Returns: the same.
    /// - Throws: what `body` throws, and why it cannot be opened; in that case it is not connected any more.
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
        // A task of its own: also who is cancelled gets the reader back.
        let opening = Task { () -> Result<Void, UnderlyingError> in
            do throws(UnderlyingError) {
                return .success(
                    try await reopen((try? result.get()) ?? own.reader, from: own.source, unlessClearedSince: clearing))
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

    private func reopen(
        _ reader: CardReader, from source: any CardReaderSource, unlessClearedSince clearing: Int
    ) async throws(UnderlyingError) {
        let changes = source.changes()
        let session = try await source.open(reader)
        let value = await described(reader, by: session)
        guard clearing == clearings else {
            await session.close()
            throw .commandCancelled(from: .app)
        }
        lent = nil
        watch(changes, of: reader.id)
        adopt(session, value, from: source)
    }

    /// Gives the connected reader back, or gives up one that is being got back.
    ///
    /// - Throws: ``UnderlyingError/notConnectedToReader``
    func disconnect() async throws(UnderlyingError) {
        guard connected != nil || reconnection.state.isReconnecting else { throw .notConnectedToReader }
        await cancelReconnection()
        await end(.requested)
    }

    /// Gives the connected reader back, and one that is being opened too.
    func clear() async {
        clearings += 1
        await cancelReconnection()
        await end(.requested)
        reconnection.reset()
        showReconnection()
    }

    /// Makes an open reader the connected one.
    func adopt(_ session: any CardReaderSession, _ reader: CardReader, from source: any CardReaderSource) {
        connected = Connected(session: session, source: source, reader: reader)
        session.onRecovery { [events] step in events.send(.recovering(step)) }
        published.send([reader])
        tellBattery(reader.batteryLevel)
    }

    /// A reader with what it tells only when it is open.
    func described(_ reader: CardReader, by session: any CardReaderSession) async -> CardReader {
        var value = reader
        value.batteryLevel = await session.batteryLevel()
        value.inputs = await session.inputs()
        return value
    }

    // MARK: Loss

    /// Lets go of a reader that takes no commands any more.
    ///
    /// - Returns: what its loss means to a payment; nil when it is not lost.
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
            // Two devices can have one serial number: the one that left may be the other.
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

    /// Whether the card in the connected reader has been through a payment.
    var cardIsUsed: Bool { connected?.cardIsUsed ?? false }

    /// Notes what became of the card in a reader.
    func noteCard(isUsed: Bool, in session: any CardReaderSession) {
        guard connected?.session === session else { return }
        connected?.cardIsUsed = isUsed
    }

    /// Asks the connected reader, if it has a battery, and shows what has changed.
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
