import Synchronization

/// Holds commands back until it is opened.
final class Gate: Sendable {
    private let isOpen = Mutex(false)

    func open() { isOpen.withLock { $0 = true } }

    func pass() async {
        while !isOpen.withLock({ $0 }) { await Task.yield() }
    }
}
