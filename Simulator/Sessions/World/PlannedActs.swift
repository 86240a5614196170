internal import Synchronization

/// Which of the acts that are planned in a session still happen: those that were planned since the last time that all
/// were called off.
final class PlannedActs: Sendable {
    private let number = Atomic(0)

    /// Stands for the acts that are planned now.
    var current: Int { number.load(ordering: .sequentiallyConsistent) }

    func callOff() { number.add(1, ordering: .sequentiallyConsistent) }
}
