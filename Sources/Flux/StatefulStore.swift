internal import Synchronization

/// Holds the state of one concern, lets it be changed in transactions, and tells observers of every change.
///
/// It may be used from any task. Observers are called one at a time, in the order of the changes, outside every
/// lock: an observer may change the state; it and the others hear of that change when this one has been told.
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

    /// Makes a store that tells of every transaction.
    public init(_ state: State) {
        content = Mutex(Content(state: state))
        areEqual = nil
    }

    /// Makes a store that tells of transactions that changed something.
    public init(_ state: State) where State: Equatable {
        content = Mutex(Content(state: state))
        areEqual = { $0 == $1 }
    }

    /// The state now. It may be another one by the time it is looked at: change it in a ``transaction(_:)``.
    public var state: State { content.withLock { $0.state } }

    /// Changes the state, and tells of it once, however many changes `body` makes.
    ///
    /// `body` runs while the store is locked: it must not use this store.
    ///
    /// - Returns: what `body` returns.
    /// - Throws: what `body` throws; then the state is as it was, and nobody is told.
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

    /// Has `notify` called with every change from now on, until the subscription ends.
    public func onChange(_ notify: @escaping @Sendable (StateChange<State>) -> Void) -> Subscription {
        let number = content.withLock { $0.add(notify) }
        return subscription(number)
    }

    /// Has `notify` called with what `select` makes of the state: now, and whenever a change makes something
    /// else of it, until the subscription ends.
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

    /// What `select` makes of the state: now, and after every change that makes something else of it. A reader that
    /// is slow gets the newest value and misses those between.
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
            // What the observer holds may go away here, and use the store: the lock is open by now.
            _ = released
        }
    }

    /// Tells the observers what waits in line, unless another call is at it: then that one goes on to it.
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
