import Synchronization

/// Holds tasks until it is opened.
final class Turnstile: Sendable {
    private struct Content {
        var isOpen = false
        var isReached = false
        var held: [CheckedContinuation<Void, Never>] = []
        var watching: [CheckedContinuation<Void, Never>] = []
    }

    private let content = Mutex(Content())

    /// Waits for the opening.
    func pass() async {
        await withCheckedContinuation { continuation in
            let (mayPass, watching) = content.withLock { content in
                if !content.isOpen { content.held.append(continuation) }
                content.isReached = true
                defer { content.watching = [] }
                return (content.isOpen, content.watching)
            }
            watching.forEach { $0.resume() }
            if mayPass { continuation.resume() }
        }
    }

    /// Waits until a task waits for it.
    func isReached() async {
        await withCheckedContinuation { continuation in
            let isReached = content.withLock { content in
                if !content.isReached { content.watching.append(continuation) }
                return content.isReached
            }
            if isReached { continuation.resume() }
        }
    }

    func open() {
        let held = content.withLock { content in
            content.isOpen = true
            defer { content.held = [] }
            return content.held
        }
        held.forEach { $0.resume() }
    }
}

/// What was seen while something else went on.
final class SeenState<State: Sendable>: Sendable {
    private let seen = Mutex<[State]>([])

    var states: [State] { seen.withLock { $0 } }

    func note(_ state: State) { seen.withLock { $0.append(state) } }
}

/// Counts from 1 across all callers.
final class Counter: Sendable {
    private let count = Mutex(0)

    func next() -> Int {
        count.withLock { count in
            count += 1
            return count
        }
    }
}
