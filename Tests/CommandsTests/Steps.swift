import Synchronization

/// What happened, in order.
final class Steps: Sendable {
    private let steps = Mutex<[String]>([])

    var all: [String] { steps.withLock { $0 } }

    func append(_ step: String) { steps.withLock { $0.append(step) } }

    func wait(for step: String) async {
        while !all.contains(step) { await Task.yield() }
    }
}
