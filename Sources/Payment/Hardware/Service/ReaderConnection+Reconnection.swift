import Concurrency
import Determinism

/// Reconnects a lost reader: carries out the steps of ``ReaderReconnection``.
extension ReaderConnection {
    /// The state of the reconnection.
    nonisolated var reconnectionStates: AsyncStream<CardReaderReconnectionState> { reconnections.subscribe() }

    /// Returns the open reader for a payment. Waits for a running reconnection, for as long as the policy allows;
    /// closes a reader that no longer answers first.
    ///
    /// - Throws: ``UnderlyingError/notConnectedToReader``, ``UnderlyingError/readerReconnecting``,
    ///   ``UnderlyingError/commandCanceled(from:)``
    func readySession() async throws(UnderlyingError) -> any CardReaderSession {
        // Without reconnection, the payment's own first slot query finds the fault.
        if policy.isEnabled, let session { _ = await noteLoss(of: session) }
        let start = time.reading()
        while reconnection.state.isReconnecting {
            let left = policy.paymentWait - time.elapsed(since: start)
            guard left > .zero else { throw .readerReconnecting }
            guard !Task.isCancelled else { throw .commandCanceled(from: .app) }
            await change.wait(atMost: left, time)
        }
        guard let session else {
            throw isLent ? .readerBusy("its firmware is being updated") : .notConnectedToReader
        }
        return session
    }

    /// Cancels the reconnection; returns when no attempt is running.
    func cancelReconnection() async {
        guard reconnection.state.isReconnecting else { return }
        reconnection.cancel()
        endFailedReconnection()
        reconnecting?.cancel()
        await reconnecting?.value
    }

    func showReconnection() {
        reconnections.send(reconnection.state)
        change.fire()
    }

    func sawReader(isPresent: Bool) {
        reconnection.saw(isPresent: isPresent, at: time.reading())
        change.fire()
    }

    /// Starts the reconnection of a reader, after an older reconnection has ended.
    func reconnect(to reader: CardReader, from source: any CardReaderSource) {
        let previous = reconnecting
        reconnecting = Task { [weak self] in
            await previous?.value
            while await self?.takeStep(reader, source) == true {}
        }
    }

    /// - Returns: Whether more steps follow.
    private func takeStep(_ reader: CardReader, _ source: any CardReaderSource) async -> Bool {
        guard reconnection.state.isReconnecting else { return false }
        guard let step = reconnection.next(at: time.reading()) else {
            endFailedReconnection()
            return false
        }
        switch step {
        case .look:
            let isPresent = await find(reader, in: source) != nil
            reconnection.saw(isPresent: isPresent, at: time.reading())
        case .wait(let duration): await change.wait(atMost: duration, time)
        case .open:
            showReconnection()
            await open(reader, from: source)
        }
        return reconnection.state.isReconnecting && !Task.isCancelled
    }

    private func open(_ reader: CardReader, from source: any CardReaderSource) async {
        do throws(UnderlyingError) {
            // The reader's current properties: it may have come back with other firmware.
            guard let found = await find(reader, in: source) else { throw .readerDisconnected }
            let session = try await source.open(found)
            let value = await described(found, by: session)
            guard reconnection.state.isReconnecting else { return await session.close() }
            adopt(session, value, from: source)
            reconnection.opened(value)
            showReconnection()
        } catch {
            reconnection.refused(error, at: time.reading())
            if !reconnection.state.isReconnecting { endFailedReconnection() }
        }
    }

    private func endFailedReconnection() {
        stopWatching()
        showReconnection()
    }

    private func find(_ reader: CardReader, in source: any CardReaderSource) async -> CardReader? {
        (try? await source.readers())?.first { $0.id == reader.id }
    }
}
