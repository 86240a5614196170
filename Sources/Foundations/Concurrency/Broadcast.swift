import Synchronization

/// Sends each value to every subscriber, in order.
public final class Broadcast<Value: Sendable>: Sendable {
    private struct Subscriber {
        let number: UInt64
        let continuation: AsyncStream<Value>.Continuation
    }

    private struct State {
        var current: Value?
        /// The earliest first.
        var subscribers: [Subscriber] = []
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
        for subscriber in state.withLock({ $0.subscribers }) { subscriber.continuation.finish() }
    }

    /// Sends a value to every subscriber.
    public func send(_ value: Value) {
        // Under the lock, so that all subscribers see the values in one order. An AsyncStream's `yield` only stores
        // the value.
        state.withLock { state in
            if keepsCurrent { state.current = value }
            // The earliest subscriber first, so that a repeatable run stays repeatable.
            for subscriber in state.subscribers { subscriber.continuation.yield(value) }
        }
    }

    /// Returns a stream of values. Its subscription ends when its consumer stops.
    public func subscribe() -> AsyncStream<Value> {
        let (stream, continuation) = AsyncStream.makeStream(of: Value.self)
        let number = state.withLock { state in
            state.nextSubscriber += 1
            state.subscribers.append(Subscriber(number: state.nextSubscriber, continuation: continuation))
            if let current = state.current { continuation.yield(current) }
            return state.nextSubscriber
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { $0.subscribers.removeAll { $0.number == number } }
        }
        return stream
    }

    /// The number of current subscribers.
    var subscriberCount: Int { state.withLock { $0.subscribers.count } }
}
