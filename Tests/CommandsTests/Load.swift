import Synchronization

/// Counts how many are inside at the same time.
final class Load: Sendable {
    private let count = Mutex((now: 0, most: 0))

    var most: Int { count.withLock { $0.most } }

    func enter() { count.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) } }

    func leave() { count.withLock { $0.now -= 1 } }
}
