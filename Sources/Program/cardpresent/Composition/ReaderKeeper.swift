import Concurrency
import Determinism
import EMV
import Hardware
import Yosemite

/// Keeps a reader connected and reports the state of the connection.
struct ReaderKeeper: Sendable {
    private let service: LocalCardReaderService
    private let session: ReaderSession
    private let method: CardReaderDiscoveryMethod
    private let policy: ReconnectionPolicy
    private let tell: @Sendable (ReaderChange) throws(CommandFailure) -> Void

    /// - Parameters:
    ///   - source: The source of the reader.
    ///   - reconnection: The reconnection policy.
    ///   - tell: Writes a change to the output.
    init(
        _ source: any CardReaderSource, reconnection: ReconnectionPolicy,
        tell: @escaping @Sendable (ReaderChange) throws(CommandFailure) -> Void
    ) {
        service = LocalCardReaderService(
            sources: [source], host: NoHost(), terminal: .standard, cardholder: EnvironmentWithoutReader(.none),
            time: SystemTimeSource(), random: SystemRandomSource(), reconnection: reconnection)
        session = ReaderSession(service)
        (method, policy, self.tell) = (source.discoveryMethod, reconnection, tell)
    }

    /// Waits for a reader, connects it, and reports changes until the task is canceled or the reconnection fails.
    ///
    /// - Parameters:
    ///   - choose: Selects a reader to connect; nil to wait for more readers.
    ///   - onConnected: Called once.
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
        await session.waitUntilSubscribed()
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

    /// The events of the session.
    private enum News: Sendable {
        case reconnection(CardReaderReconnectionState)
        case event(CardReaderEvent)
    }

    /// Cancels a reconnection and waits until the change has been reported.
    func cancelReconnection() async {
        await service.cancelReconnection()
        await session.wait { !$0.reconnection.isReconnecting || !$0.followed.contains(.reconnection) }
    }

    /// - Returns: The connected reader; nil when the task was canceled before one was found.
    private func connect(
        _ choose: ([CardReader]) -> CardReader?
    ) async throws(CommandFailure) -> CardReader? {
        do throws(CardReaderServiceError) {
            try await service.start(method)
            for await readers in await service.discoveredReaders {
                guard let reader = choose(readers) else { continue }
                let connected = try await service.connect(reader)
                // The connection notices a lost reader itself.
                await service.cancelDiscovery()
                return connected
            }
            return nil
        } catch {
            throw CommandFailure(error)
        }
    }

    /// Reports changes until the task is canceled or the reader is disconnected on request.
    ///
    /// - Throws: `CommandFailure` when the reader is lost and not reconnected.
    private func follow(_ news: AsyncStream<News>) async throws(CommandFailure) {
        for await item in news {
            switch item {
            case .reconnection(let state):
                try tell(.reconnection(state))
                switch state {
                case .failed(_, .canceled): return
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
            .reader, code: "reader_lost", message: reason, fix: "connect the reader and start again")
    }
}
