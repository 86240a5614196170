import Synchronization

/// The room for payments that the simulated terminals of a server share: each keeps its part of them in its session.
final class CounterRoom: Sendable {
    private let most: Int
    private let least: Int
    private let open = Mutex(0)

    /// - Parameters:
    ///   - most: the payments that all terminals together keep.
    ///   - least: the payments that each terminal keeps at least before it begins a new session.
    init(most: Int = 5000, least: Int = 25) { (self.most, self.least) = (most, least) }

    /// A terminal begins its session.
    func enter() { open.withLock { $0 += 1 } }

    /// A terminal ends its session.
    func leave() { open.withLock { $0 -= 1 } }

    /// The payments that a terminal keeps now.
    var share: Int { open.withLock { max(least, most / max(1, $0)) } }
}
