import Synchronization

/// Numbers that came, in the order in which they came.
final class Seen: Sendable {
    private let numbers = Mutex<[Int]>([])

    var all: [Int] { numbers.withLock { $0 } }

    /// - Returns: how many have come.
    func add(_ number: Int) -> Int {
        numbers.withLock {
            $0.append(number)
            return $0.count
        }
    }
}
