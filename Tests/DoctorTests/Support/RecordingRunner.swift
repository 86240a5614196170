import Doctor
import Synchronization

/// Writes down what it is asked to run.
final class RecordingRunner: CommandRunner {
    private let ran = Mutex<[[String]]>([])
    private let failing: String?

    /// - Parameter failing: a program that ends with an error.
    init(failing: String? = nil) { self.failing = failing }

    var commands: [[String]] { ran.withLock { $0 } }

    func run(_ command: [String]) async throws(RepairError) {
        ran.withLock { $0.append(command) }
        if command.first == failing { throw .failed(program: failing ?? "", status: 6, message: "no such thing") }
    }
}
