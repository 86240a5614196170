/// Why a step of a repair was not done.
public enum RepairError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A file cannot be written.
    case file(path: String, reason: String)
    /// A program cannot be started.
    case notStarted(program: String, reason: String)
    /// A program ended with an error; `message` is the last line that it wrote.
    case failed(program: String, status: Int32, message: String)
    /// A program did not end in time, and was ended.
    case timedOut(program: String)

    public var description: String {
        switch self {
        case .file(let path, let reason): "cannot write \(path): \(reason)"
        case .notStarted(let program, let reason): "cannot run \(program): \(reason)"
        case .failed(let program, let status, let message):
            "\(program) ended with status \(status)" + (message.isEmpty ? "" : ": \(message)")
        case .timedOut(let program): "\(program) did not end in time"
        }
    }
}
