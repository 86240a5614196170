import Synchronization

/// Holds the state of one feature, changes it in transactions, and notifies observers of every change.
///
/// Use it from any task. Observers are called one at a time, in the order of the changes, outside every lock. An
/// observer can change the state; all observers get that change after the current one.
public final class StatefulStore<State: Sendable>: Sendable {
    private struct Observer {
        let number: UInt64
        let notify: @Sendable (StateChange<State>) -> Void
    }

    private struct Notice {
        let change: StateChange<State>
        let observers: [Observer]
    }

    private struct Content {
        var state: State
        var observers: [Observer] = []
        var line: [Notice] = []
        var isTelling = false
        var lastNumber: UInt64 = 0

        mutating func add(_ notify: @escaping @Sendable (StateChange<State>) -> Void) -> UInt64 {
            lastNumber += 1
            observers.append(Observer(number: lastNumber, notify: notify))
            return lastNumber
        }
    }

    private let content: Mutex<Content>
    private let areEqual: (@Sendable (State, State) -> Bool)?

    /// Makes a store that notifies observers after every transaction.
    public init(_ state: State) {
        content = Mutex(Content(state: state))
        areEqual = nil
    }

    /// Makes a store that notifies observers after transactions that changed the state.
    public init(_ state: State) where State: Equatable {
        content = Mutex(Content(state: state))
        areEqual = { $0 == $1 }
    }

    /// The current state. It may change at any time: use ``transaction(_:)`` to change it.
    public var state: State { content.withLock { $0.state } }

    /// Changes the state and notifies observers once, regardless of the number of changes in `body`.
    ///
    /// `body` runs while the store is locked: it must not use this store.
    ///
    /// - Returns: the value of `body`.
    /// - Throws: the error of `body`. The state is unchanged then, and observers are not notified.
    @discardableResult
    public func transaction<Value, Failure: Error>(
        _ body: (inout State) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let result = content.withLock { content -> Result<Value, Failure> in
            let old = content.state
            var new = old
            do throws(Failure) {
                let value = try body(&new)
                if let areEqual, areEqual(old, new) { return .success(value) }
                content.state = new
                content.line.append(
                    Notice(change: StateChange(old: old, new: new), observers: content.observers))
                return .success(value)
            } catch {
                return .failure(error)
            }
        }
        tell()
        return try result.get()
    }

    /// Calls `notify` for every change until the subscription ends.
    public func onChange(_ notify: @escaping @Sendable (StateChange<State>) -> Void) -> Subscription {
        let number = content.withLock { $0.add(notify) }
        return subscription(number)
    }

    /// Calls `notify` with the value that `select` returns for the state: now, and when a change makes it a different
    /// value, until the subscription ends.
    public func observe<Value: Equatable & Sendable>(
        _ select: @escaping @Sendable (State) -> Value, notify: @escaping @Sendable (Value) -> Void
    ) -> Subscription {
        let last = LastValue<Value>()
        let number = content.withLock { content in
            let number = content.add { change in
                let value = select(change.new)
                if last.replace(with: value) { notify(value) }
            }
            content.line.append(
                Notice(
                    change: StateChange(old: content.state, new: content.state),
                    observers: content.observers.filter { $0.number == number }))
            return number
        }
        tell()
        return subscription(number)
    }

    /// Returns the values of `select` for the state: the current one, and every different one after a change. A slow
    /// reader gets the newest value and misses those between.
    public func values<Value: Equatable & Sendable>(
        _ select: @escaping @Sendable (State) -> Value
    ) -> AsyncStream<Value> {
        let (stream, continuation) = AsyncStream.makeStream(of: Value.self, bufferingPolicy: .bufferingNewest(1))
        let subscription = observe(select) { continuation.yield($0) }
        continuation.onTermination = { _ in subscription.cancel() }
        return stream
    }

    private func subscription(_ number: UInt64) -> Subscription {
        Subscription { [weak self] in
            let released = self?.content.withLock { content in
                let index = content.observers.firstIndex { $0.number == number }
                return index.map { content.observers.remove(at: $0) }
            }
            // Releasing the observer may run code that uses the store: the lock is not held here.
            _ = released
        }
    }

    /// Notifies the observers of queued changes. If another call is already doing so, that call handles them.
    private func tell() {
        var isMine = false
        while true {
            let notice = content.withLock { content -> Notice? in
                guard isMine || !content.isTelling else { return nil }
                isMine = !content.line.isEmpty
                content.isTelling = isMine
                return isMine ? content.line.removeFirst() : nil
            }
            guard let notice else { return }
            for observer in notice.observers where isSubscribed(observer) { observer.notify(notice.change) }
        }
    }

    private func isSubscribed(_ observer: Observer) -> Bool {
        content.withLock { content in content.observers.contains { $0.number == observer.number } }
    }
}

/// One change of a ``StatefulStore``.
public struct StateChange<State: Sendable>: Sendable {
    public let old: State
    public let new: State
}

extension StateChange: Equatable where State: Equatable {}

/// A running observation or query. It ends when the subscription is released.
///
/// (WordPressFlux calls it a receipt.)
public final class Subscription: Sendable {
    private let end: Mutex<(@Sendable () -> Void)?>

    /// Creates the subscription of an observation that has begun.
    ///
    /// - Parameter end: ends the observation or query. It is called once.
    public init(end: @escaping @Sendable () -> Void) { self.end = Mutex(end) }

    deinit { cancel() }

    /// Ends the subscription: there are no further calls, except one that has already started on another thread. Ending
    /// it again has no effect.
    public func cancel() {
        let end = self.end.withLock { end in
            defer { end = nil }
            return end
        }
        end?()
    }
}

/// The last value that an observer received.
final class LastValue<Value: Equatable & Sendable>: Sendable {
    private let value = Mutex<Value?>(nil)

    /// - Returns: whether `new` differs from the last value, or is the first one.
    func replace(with new: Value) -> Bool {
        value.withLock { value in
            guard value != new else { return false }
            value = new
            return true
        }
    }
}
