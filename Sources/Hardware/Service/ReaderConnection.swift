/// The connected reader: opens it, notices its loss, and gives it back.
actor ReaderConnection {
    private struct Connected {
        let session: any CardReaderSession
        var reader: CardReader
        var battery = BatteryAlarm()
        /// The card in the reader has been through a payment.
        var cardIsUsed = false
    }

    private let discovery: ReaderDiscovery
    private let events: EventRelay
    private let published = Broadcast<[CardReader]>(current: [])

    private var connected: Connected?
    /// The connected reader while somebody else works with the device.
    private var lent: CardReader?
    private var departures: Task<Void, Never>?
    private var isConnecting = false
    /// Counts ``clear()``: a reader that was being opened meanwhile is not connected any more.
    private var clearings = 0

    init(_ discovery: ReaderDiscovery, events: EventRelay) { (self.discovery, self.events) = (discovery, events) }

    deinit { departures?.cancel() }

    /// The connected reader, as a list of none or one.
    nonisolated var readers: AsyncStream<[CardReader]> { published.subscribe() }

    /// The open reader; nil when none is connected.
    var session: (any CardReaderSession)? { connected?.session }

    /// The connected reader, also while it is lent.
    var reader: CardReader? { connected?.reader ?? lent }

    /// Whether the reader is connected and cannot be used.
    var isLent: Bool { lent != nil }

    // MARK: Beginning and end

    /// Opens a reader that discovery found.
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
        return try await open(reader, from: source, unlessClearedSince: clearing)
    }

    private func open(
        _ reader: CardReader, from source: any CardReaderSource, unlessClearedSince clearing: Int
    ) async throws(UnderlyingError) -> CardReader {
        // From before it is opened, so that no departure is missed.
        let changes = source.changes()
        let session = try await source.open(reader)
        var value = reader
        value.batteryLevel = await session.batteryLevel()
        value.inputs = await session.inputs()
        guard clearing == clearings else {
            await session.close()
            throw .commandCancelled(from: .app)
        }
        connected = Connected(session: session, reader: value)
        watch(changes, forDepartureOf: reader.id, session)
        published.send([value])
        tellBattery(value.batteryLevel)
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
        let clearing = clearings
        guard let own = connected else { throw .notConnectedToReader }
        guard let source = await discovery.source(of: own.reader) else { throw .readerDisconnected }
        (connected, lent) = (nil, own.reader)
        departures?.cancel()
        departures = nil
        await own.session.close()
        let result: Result<CardReader, UnderlyingError>
        do throws(UnderlyingError) { result = .success(try await body()) } catch { result = .failure(error) }
        let reader: CardReader
        if case .success(let changed) = result { reader = changed } else { reader = own.reader }
        lent = nil
        do throws(UnderlyingError) {
            _ = try await open(reader, from: source, unlessClearedSince: clearing)
        } catch {
            published.send([])
            events.send(.disconnected(error == .readerDisconnected ? .unplugged : .failed(error.description)))
            guard case .failure(let cause) = result else { throw error }
            throw cause
        }
        return try result.get()
    }

    /// Gives the connected reader back.
    ///
    /// - Throws: ``UnderlyingError/notConnectedToReader``
    func disconnect() async throws(UnderlyingError) {
        guard connected != nil else { throw .notConnectedToReader }
        await end(.requested)
    }

    /// Gives the connected reader back, and one that is being opened too.
    func clear() async {
        clearings += 1
        await end(.requested)
    }

    /// Lets go of a reader that takes no commands any more.
    ///
    /// - Returns: what its loss means to a payment; nil when it is not lost.
    func noteLoss(of session: any CardReaderSession) async -> UnderlyingError? {
        let isOver = connected?.session !== session
        let reason = await session.loss()
        if let reason { await lost(session, reason) }
        guard case .failed(let error) = reason else { return isOver || reason != nil ? .readerDisconnected : nil }
        return .readerCommunicationError(error)
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
        guard connected?.session === session else { return }
        await end(reason)
    }

    private func end(_ reason: DisconnectReason) async {
        guard let ended = connected else { return }
        connected = nil
        departures?.cancel()
        departures = nil
        published.send([])
        events.send(.disconnected(reason))
        await ended.session.close()
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
