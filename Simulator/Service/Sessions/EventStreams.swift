import Determinism
import HTTPInterface
import Sessions
import Synchronization

/// The event streams of one session.
final class EventStreams: Sendable {
    private struct State {
        /// Whether clients may stream the events.
        var isOpen = true
        /// Each stream's signal of possible new events, by its number.
        var signals: [Int: AsyncStream<Void>.Continuation] = [:]
        var lastNumber = 0
    }

    private static let most = 16
    private static let heartbeat = Duration.seconds(15)

    private let state = Mutex(State())

    /// Ends the streams, and lets no other begin.
    func end() {
        let signals = state.withLock { state in
            state.isOpen = false
            defer { state.signals = [:] }
            return state.signals.values.map(\.self)
        }
        for signal in signals { signal.finish() }
    }

    /// Whether a client streams the events.
    var isUsed: Bool { state.withLock { !$0.signals.isEmpty } }

    /// Notifies the streams of possible new events.
    func notify() {
        for signal in state.withLock({ $0.signals.values.map(\.self) }) { signal.yield() }
    }

    /// Streams the events of a session after an ID until the streams end or the client disconnects.
    ///
    /// - Parameters:
    ///   - session: the session.
    ///   - id: its ID, for the error.
    ///   - last: the ID of the last event that the client has; 0 for none. An unknown, higher ID belongs to another
    ///     session and counts as 0.
    ///   - shown: returns the number of events that clients may see; nil for all.
    ///   - time: the time source for keep-alive messages.
    /// - Returns: the bytes of the stream.
    /// - Throws: ``APIError`` when there are too many streams, and when they have ended.
    func stream(
        of session: SimulatedSession, id: String, after last: Int, shown: @escaping @Sendable () -> Int? = { nil },
        time: any TimeSource
    ) throws(APIError) -> AsyncStream<[UInt8]> {
        let (signals, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let number = try state.withLock { state throws(APIError) -> Int in
            guard state.isOpen else { throw SimulationService.noSession(id) }
            guard state.signals.count < Self.most else {
                throw APIError(
                    429, "too_many_streams", "this session already has \(Self.most) event streams",
                    fix: "close one of them")
            }
            state.lastNumber += 1
            state.signals[state.lastNumber] = signal
            return state.lastNumber
        }
        signal.yield()
        let (pieces, piece) = AsyncStream.makeStream(of: [UInt8].self)
        // A disconnected client is noticed only when writing to it.
        let heart = Task {
            while !Task.isCancelled {
                do { try await time.sleep(for: Self.heartbeat) } catch { return }
                piece.yield(Array(": here\n\n".utf8))
            }
        }
        let feed = Task { [weak self] in
            var last = last > session.events.count ? 0 : last
            for await _ in signals {
                for event in session.events.prefix(shown() ?? Int.max).dropFirst(last) {
                    piece.yield(event.stream)
                    last = event.number
                }
            }
            heart.cancel()
            piece.finish()
            self?.end(number)
        }
        piece.onTermination = { [weak self] _ in
            heart.cancel()
            feed.cancel()
            self?.end(number)
        }
        return pieces
    }

    private func end(_ number: Int) {
        state.withLock { $0.signals.removeValue(forKey: number) }?.finish()
    }
}
