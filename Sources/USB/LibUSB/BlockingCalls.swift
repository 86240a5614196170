internal import Dispatch

/// Runs calls that block, one after the other, on a thread that belongs to no Swift task.
final class BlockingCalls: Sendable {
    private let queue: DispatchQueue

    init(label: String) { queue = DispatchQueue(label: label) }

    /// Runs `body` after everything that was asked for before.
    func run<Value: Sendable>(
        _ body: @escaping @Sendable () throws(USBError) -> Value
    ) async throws(USBError) -> Value {
        let result: Result<Value, USBError> = await withCheckedContinuation { continuation in
            start { continuation.resume(returning: Result(catching: body)) }
        }
        return try result.get()
    }

    /// Runs `body` after everything that was asked for before; does not wait for it.
    func start(_ body: @escaping @Sendable () -> Void) { queue.async(execute: body) }
}
