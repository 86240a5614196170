import Concurrency
import Determinism

/// The firmware updates of a service's readers: offers them, installs required updates before a reader is connected,
/// and optional updates on request.
actor ReaderUpdates {
    private let discovery: ReaderDiscovery
    private let connection: ReaderConnection
    private let time: any TimeSource
    private let published = Broadcast<CardReaderSoftwareUpdateState>(current: .none)

    private var running: ReaderUpdateRun?
    /// The tasks that wait for the end of the running update.
    private var waiting: [CheckedContinuation<Void, Never>] = []
    /// The last state shown while no update was running.
    private var idleState = CardReaderSoftwareUpdateState.none
    private var watching: Task<Void, Never>?

    init(_ discovery: ReaderDiscovery, _ connection: ReaderConnection, time: any TimeSource) {
        (self.discovery, self.connection, self.time) = (discovery, connection, time)
    }

    deinit { watching?.cancel() }

    nonisolated var states: AsyncStream<CardReaderSoftwareUpdateState> { published.subscribe() }

    // MARK: Before and after connecting

    /// Installs a required update before the reader is connected.
    ///
    /// - Returns: The reader afterward.
    /// - Throws: ``UnderlyingError``
    func prepare(_ reader: CardReader) async throws(UnderlyingError) -> CardReader {
        guard await connection.reader == nil,
            let source = await discovery.source(of: reader) as? any FirmwareSource,
            let update = await source.update(for: reader),
            reader.isAwaitingFirmware || update.isRequired(on: time.localDate())
        else { return reader }
        let run = ReaderUpdateRun(update, of: reader, from: source)
        try begin(run)
        defer { finish() }
        // A running reconnection would open the reader at the same time.
        await connection.cancelReconnection()
        let level = try await run.batteryLevel()
        do throws(UnderlyingError) {
            try ReaderFirmwareUpdate.check(batteryLevel: level)
        } catch {
            published.send(.failed(error))
            setIdleState(.none)
            throw error
        }
        do throws(UnderlyingError) {
            let updated = try await perform(run)
            await discovery.adopt(updated, from: source)
            setIdleState(.none)
            return updated
        } catch {
            setIdleState(.none)
            throw error
        }
    }

    /// Publishes the available update of a reader that has just been connected or reconnected.
    func offer(for reader: CardReader) async {
        await show(reader)
        watching?.cancel()
        watching = Task { [weak self, connection] in
            var isThere = true
            for await readers in connection.readers where readers.isEmpty == isThere {
                isThere.toggle()
                await self?.show(readers.first)
            }
        }
    }

    /// A running update publishes its own states.
    private func show(_ reader: CardReader?) async {
        var state = CardReaderSoftwareUpdateState.none
        if let reader, let source = await discovery.source(of: reader) as? any FirmwareSource,
            let update = await source.update(for: reader)
        {
            state = .available(update)
        }
        if running == nil, state != idleState { setIdleState(state) }
    }

    /// Sets the state between two updates.
    private func setIdleState(_ state: CardReaderSoftwareUpdateState) {
        idleState = state
        published.send(state)
    }

    // MARK: On request

    /// Installs the offered update on the connected reader, and connects the reader again afterward.
    ///
    /// - Throws: ``UnderlyingError``
    func install() async throws(UnderlyingError) {
        guard let reader = await connection.reader else { throw .notConnectedToReader }
        guard let source = await discovery.source(of: reader) as? any FirmwareSource,
            let update = await source.update(for: reader)
        else { throw .noSoftwareUpdateAvailable }
        let run = ReaderUpdateRun(update, of: reader, from: source)
        try begin(run)
        defer { finish() }
        do throws(UnderlyingError) {
            try ReaderFirmwareUpdate.check(batteryLevel: await connection.session?.batteryLevel())
        } catch {
            published.send(.failed(error))
            setIdleState(.available(update))
            throw error
        }
        do throws(UnderlyingError) {
            let updated = try await connection.lend { () async throws(UnderlyingError) in try await self.perform(run) }
            await discovery.adopt(updated, from: source)
            setIdleState(await source.update(for: updated).map { .available($0) } ?? .none)
        } catch {
            // If the reader is unchanged, the shop can try again.
            setIdleState(await connection.reader == nil ? .none : .available(update))
            throw error
        }
    }

    /// Cancels the running update, and waits until the reader works as before.
    ///
    /// - Throws: ``UnderlyingError/softwareUpdateNotCancellable``
    func cancel() async throws(UnderlyingError) {
        guard let running, running.cancel() else { throw .softwareUpdateNotCancellable }
        await end()
    }

    /// Cancels the running update if possible, and waits for its end in any case.
    func stop() async {
        _ = running?.cancel()
        await end()
    }

    private func end() async {
        guard running != nil else { return }
        await withCheckedContinuation { waiting.append($0) }
    }

    private func begin(_ run: ReaderUpdateRun) throws(UnderlyingError) {
        guard running == nil else { throw .readerBusy("its firmware is being updated") }
        running = run
    }

    private func finish() {
        running = nil
        for continuation in waiting { continuation.resume() }
        waiting = []
    }

    private func perform(_ run: ReaderUpdateRun) async throws(UnderlyingError) -> CardReader {
        try await run.perform { [published] in published.send($0) }
    }
}
