internal import Determinism
internal import EMV
internal import Hardware

/// Keeps a reader connected for nothing but to see what becomes of it.
struct ReaderKeeper: Sendable {
    private let service: LocalCardReaderService
    private let method: CardReaderDiscoveryMethod
    private let policy: ReconnectionPolicy
    private let tell: @Sendable (ReaderChange) throws(CommandFailure) -> Void

    /// - Parameters:
    ///   - source: where the reader comes from.
    ///   - reconnection: what is done when it is lost.
    ///   - tell: tells people or programs.
    init(
        _ source: any CardReaderSource, reconnection: ReconnectionPolicy,
        tell: @escaping @Sendable (ReaderChange) throws(CommandFailure) -> Void
    ) {
        service = LocalCardReaderService(
            sources: [source], host: NoHost(), terminal: .standard, cardholder: NoReader(.none),
            time: SystemTimeSource(), random: SystemRandomSource(), reconnection: reconnection)
        (method, policy, self.tell) = (source.discoveryMethod, reconnection, tell)
    }

    /// Waits for the reader, connects it, and tells what happens until the task is cancelled or the reader is lost for
    /// good.
    ///
    /// - Parameters:
    ///   - choose: the reader to connect of those that are there; nil to wait for more of them.
    ///   - onConnected: called once.
    /// - Throws: `CommandFailure`
    func run(
        choose: ([CardReader]) -> CardReader?, onConnected: (CardReader) throws(CommandFailure) -> Void
    ) async throws(CommandFailure) {
        let events = await service.readerEvents
        let failure: CommandFailure?
        do throws(CommandFailure) {
            guard let reader = try await connect(choose) else { return await service.clear() }
            try onConnected(reader)
            try tell(.connected(reader))
            failure = await follow(await service.reconnectionStates, events)
        } catch {
            failure = error
        }
        await service.clear()
        if let failure { throw failure }
    }

    /// Gives up a reader that is being got back.
    func cancelReconnection() async { await service.cancelReconnection() }

    /// - Returns: nil when the task was cancelled before there was one.
    private func connect(
        _ choose: ([CardReader]) -> CardReader?
    ) async throws(CommandFailure) -> CardReader? {
        do throws(CardReaderServiceError) {
            try await service.start(method)
            for await readers in await service.discoveredReaders {
                guard let reader = choose(readers) else { continue }
                let connected = try await service.connect(reader)
                // The connection has eyes of its own.
                await service.cancelDiscovery()
                return connected
            }
            return nil
        } catch {
            throw CommandFailure(error)
        }
    }

    /// - Returns: why the reader is lost for good; nil when the task was cancelled.
    private func follow(
        _ states: AsyncStream<CardReaderReconnectionState>, _ events: AsyncStream<CardReaderEvent>
    ) async -> CommandFailure? {
        await withTaskGroup(of: CommandFailure?.self) { group in
            group.addTask {
                do throws(CommandFailure) { try await follow(states) } catch { return error }
                return nil
            }
            group.addTask {
                do throws(CommandFailure) { try await follow(events) } catch { return error }
                return nil
            }
            let failure = await group.next() ?? nil
            group.cancelAll()
            return failure
        }
    }

    private func follow(_ states: AsyncStream<CardReaderReconnectionState>) async throws(CommandFailure) {
        for await state in states {
            try tell(.reconnection(state))
            switch state {
            case .failed(_, .cancelled): return
            case .failed(_, let failure): throw Self.lost(failure.description)
            case .idle, .reconnecting, .succeeded: continue
            }
        }
    }

    private func follow(_ events: AsyncStream<CardReaderEvent>) async throws(CommandFailure) {
        for await event in events {
            switch event {
            case .recovering(let step): try tell(.recovering(step))
            case .disconnected(.requested): return
            case .disconnected(let reason):
                try tell(.disconnected(reason))
                guard policy.isEnabled else { throw Self.lost(reason.description) }
            default: continue
            }
        }
    }

    private static func lost(_ reason: String) -> CommandFailure {
        CommandFailure(
            .reader, code: "reader_lost", message: reason, fix: "plug the reader in, and begin again")
    }
}
