import Synchronization

/// Holds commands back until it is opened.
final class Gate: Sendable {
    private let isOpen = Mutex(false)

    func open() { isOpen.withLock { $0 = true } }

    func pass() async {
        while !isOpen.withLock({ $0 }) { await Task.yield() }
    }
}

/// Counts how many are inside at the same time.
final class Load: Sendable {
    private let count = Mutex((now: 0, most: 0))

    var most: Int { count.withLock { $0.most } }

    func enter() { count.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) } }

    func leave() { count.withLock { $0.now -= 1 } }
}

/// What happened, in order.
final class Steps: Sendable {
    private let steps = Mutex<[String]>([])

    var all: [String] { steps.withLock { $0 } }

    func append(_ step: String) { steps.withLock { $0.append(step) } }

    func wait(for step: String) async {
        while !all.contains(step) { await Task.yield() }
    }
}

/// Records the notifications of observers, in order.
final class Recorder<Value: Sendable>: Sendable {
    private let values = Mutex<[Value]>([])

    var all: [Value] { values.withLock { $0 } }

    func append(_ value: Value) { values.withLock { $0.append(value) } }
}
