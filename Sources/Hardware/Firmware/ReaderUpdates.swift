internal import Determinism

/// The firmware updates of the readers that a service connects: offers them, installs those that are required before a
/// reader is connected, and the others when it is asked to.
actor ReaderUpdates {
    private let discovery: ReaderDiscovery
    private let connection: ReaderConnection
    private let time: any TimeSource
    private let published = Broadcast<CardReaderSoftwareUpdateState>(current: .none)

    private var running: ReaderUpdateRun?
    /// Those who wait for the end of what runs.
    private var waiting: [CheckedContinuation<Void, Never>] = []
    /// What was last shown while no update ran.
    private var settled = CardReaderSoftwareUpdateState.none
    private var watching: Task<Void, Never>?

    init(_ discovery: ReaderDiscovery, _ connection: ReaderConnection, time: any TimeSource) {
        (self.discovery, self.connection, self.time) = (discovery, connection, time)
    }

    deinit { watching?.cancel() }

    nonisolated var states: AsyncStream<CardReaderSoftwareUpdateState> { published.subscribe() }

    // MARK: Before and after connecting

    /// Installs what a reader may not be used without, before it is connected.
    ///
    /// - Returns: the reader as it is then.
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
        // One that is being got back would be opened at the same time.
        await connection.cancelReconnection()
        let level = try await run.batteryLevel()
        do throws(UnderlyingError) {
            try ReaderFirmwareUpdate.check(batteryLevel: level)
        } catch {
            published.send(.failed(error))
            settle(.none)
            throw error
        }
        do throws(UnderlyingError) {
            let updated = try await perform(run)
            await discovery.adopt(updated, from: source)
            settle(.none)
            return updated
        } catch {
            settle(.none)
            throw error
        }
    }

    /// Says what there is for the reader that has just been connected, and again when it was lost and is back.
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

    /// An update that runs says itself how it ends.
    private func show(_ reader: CardReader?) async {
        var state = CardReaderSoftwareUpdateState.none
        if let reader, let source = await discovery.source(of: reader) as? any FirmwareSource,
            let update = await source.update(for: reader)
        {
            state = .available(update)
        }
        if running == nil, state != settled { settle(state) }
    }

    /// The state between two updates.
    private func settle(_ state: CardReaderSoftwareUpdateState) {
        settled = state
        published.send(state)
    }

    // MARK: On request

    /// Installs what is offered for the connected reader. It is connected anew behind it.
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
            settle(.available(update))
            throw error
        }
        do throws(UnderlyingError) {
            let updated = try await connection.lend { () async throws(UnderlyingError) in try await self.perform(run) }
            await discovery.adopt(updated, from: source)
            settle(await source.update(for: updated).map { .available($0) } ?? .none)
        } catch {
            // With the reader as it was the shop can try again.
            settle(await connection.reader == nil ? .none : .available(update))
            throw error
        }
    }

    /// Cancels what runs, and waits until the reader works as before.
    ///
    /// - Throws: ``UnderlyingError/softwareUpdateNotCancellable``
    func cancel() async throws(UnderlyingError) {
        guard let running, running.cancel() else { throw .softwareUpdateNotCancellable }
        await end()
    }

    /// Cancels what runs if that is possible, and waits for its end in any case.
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
