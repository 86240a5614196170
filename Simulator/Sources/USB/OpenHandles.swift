internal import Synchronization

/// How many handles of a bus's devices are open, in whosever hands.
final class OpenHandles: Sendable {
    private let number = Atomic(0)

    var count: Int { number.load(ordering: .sequentiallyConsistent) }

    func add() { number.add(1, ordering: .sequentiallyConsistent) }

    func remove() { number.subtract(1, ordering: .sequentiallyConsistent) }
}
