import Synchronization

/// Sends each value to every subscriber, in order.
public final class Broadcast<Value: Sendable>: Sendable {
    private struct State {
        var current: Value?
        var subscribers: [UInt64: AsyncStream<Value>.Continuation] = [:]
        var nextSubscriber: UInt64 = 0
    }

    private let state: Mutex<State>
    private let keepsCurrent: Bool

    /// Broadcasts a state: a new subscriber gets the current value first.
    public init(current: Value) {
        state = Mutex(State(current: current))
        keepsCurrent = true
    }

    /// Broadcasts events: a subscriber gets the values that are sent after it subscribed.
    public init() {
        state = Mutex(State())
        keepsCurrent = false
    }

    deinit {
        // Nothing more will be sent: end the streams, so that no consumer waits forever.
        for subscriber in state.withLock({ $0.subscribers.values.map(\.self) }) { subscriber.finish() }
    }

    /// Sends a value to every subscriber.
    public func send(_ value: Value) {
        // Under the lock, so that all subscribers see the values in one order. An AsyncStream's `yield` only stores
        // the value.
        state.withLock { state in
            if keepsCurrent { state.current = value }
            // The earliest subscriber first, so that a repeatable run stays repeatable.
            for (_, subscriber) in state.subscribers.sorted(by: { $0.key < $1.key }) { subscriber.yield(value) }
        }
    }

    /// Returns a stream of values. Its subscription ends when its consumer stops.
    public func subscribe() -> AsyncStream<Value> {
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

    /// The number of current subscribers.
    var subscriberCount: Int { state.withLock { $0.subscribers.count } }
}
