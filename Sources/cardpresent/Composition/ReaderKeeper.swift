internal import Determinism
internal import EMV
internal import Flux
internal import Hardware
internal import Yosemite

/// Keeps a reader connected for nothing but to see what becomes of it.
struct ReaderKeeper: Sendable {
    private let service: LocalCardReaderService
    private let session: ReaderSession
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
        session = ReaderSession(service)
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
        let (news, continuation) = AsyncStream.makeStream(of: News.self)
        let subscriptions = [
            session.query(.reconnection, select: \.reconnection) { continuation.yield(.reconnection($0)) },
            session.query(.events, select: \.lastEvent) {
                if let event = $0?.event { continuation.yield(.event(event)) }
            },
        ]
        defer { for subscription in subscriptions { subscription.cancel() } }
        await session.settle()
        do throws(CommandFailure) {
            if let reader = try await connect(choose) {
                try onConnected(reader)
                try tell(.connected(reader))
                try await follow(news)
            }
        } catch {
            await service.clear()
            throw error
        }
        await service.clear()
    }

    /// What the session tells.
    private enum News: Sendable {
        case reconnection(CardReaderReconnectionState)
        case event(CardReaderEvent)
    }

    /// Gives up a reader that is being got back, and waits until that is told, as long as somebody is told.
    func cancelReconnection() async {
        await service.cancelReconnection()
        await session.wait { !$0.reconnection.isReconnecting || !$0.followed.contains(.reconnection) }
    }

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

    /// Tells what happens until the task is cancelled, or the reader is let go of.
    ///
    /// - Throws: `CommandFailure` when the reader is lost for good.
    private func follow(_ news: AsyncStream<News>) async throws(CommandFailure) {
        for await item in news {
            switch item {
            case .reconnection(let state):
                try tell(.reconnection(state))
                switch state {
                case .failed(_, .cancelled): return
                case .failed(_, let failure): throw Self.lost(failure.description)
                case .idle, .reconnecting, .succeeded: continue
                }
            case .event(.recovering(let step)): try tell(.recovering(step))
            case .event(.disconnected(.requested)): return
            case .event(.disconnected(let reason)):
                try tell(.disconnected(reason))
                guard policy.isEnabled else { throw Self.lost(reason.description) }
            case .event: continue
            }
        }
    }

    private static func lost(_ reason: String) -> CommandFailure {
        CommandFailure(
            .reader, code: "reader_lost", message: reason, fix: "plug the reader in, and begin again")
    }
}
