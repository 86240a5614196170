internal import Synchronization

/// Hands each value to every subscriber, in order.
final class Broadcast<Value: Sendable>: Sendable {
    private struct State {
        var current: Value?
        var subscribers: [UInt64: AsyncStream<Value>.Continuation] = [:]
        var nextSubscriber: UInt64 = 0
    }

    private let state: Mutex<State>
    private let keepsCurrent: Bool

    /// A state: every subscriber gets the current value first.
    init(current: Value) {
        state = Mutex(State(current: current))
        keepsCurrent = true
    }

    /// Events: a subscriber gets what is sent after it came.
    init() {
        state = Mutex(State())
        keepsCurrent = false
    }

    deinit {
        // Nothing will be sent any more: whoever still listens is not left waiting for ever.
        for subscriber in state.withLock({ $0.subscribers.values.map(\.self) }) { subscriber.finish() }
    }

    func send(_ value: Value) {
        // Values are handed over under the lock, so that all subscribers see them in one order. An
        // AsyncStream's `yield` only stores the value.
        state.withLock { state in
            if keepsCurrent { state.current = value }
            // Whoever came first hears it first, so that a repeatable run stays one.
            for (_, subscriber) in state.subscribers.sorted(by: { $0.key < $1.key }) { subscriber.yield(value) }
        }
    }

    /// A stream that lasts as long as its consumer wants it.
    func subscribe() -> AsyncStream<Value> {
        let (stream, continuation) = AsyncStream.makeStream(of: Value.self)
        let number = state.withLock { state in
            state.nextSubscriber += 1
            state.subscribers[state.nextSubscriber] = continuation
            if let current = state.current { continuation.yield(current) }
            return state.nextSubscriber
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { _ = $0.subscribers.removeValue(forKey: number) }
        }
        return stream
    }

    /// How many are listening.
    var subscriberCount: Int { state.withLock { $0.subscribers.count } }
}
