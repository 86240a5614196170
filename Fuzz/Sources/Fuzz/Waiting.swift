internal import Dispatch
internal import Synchronization

/// Waits for asynchronous work in a thread that the work does not need: libFuzzer's own, which runs no tasks.
enum Waiting {
    static func wait<Value: Sendable>(_ work: @escaping @Sendable () async -> Value) -> Value {
        let result = Box<Value>()
        let done = DispatchSemaphore(value: 0)
        Task.detached {
            let value = await work()
            result.value.withLock { $0 = value }
            done.signal()
        }
        done.wait()
        guard let value = result.value.withLock({ $0 }) else {
            fatalError("the work signals after its result is there")
        }
        return value
    }

    private final class Box<Value: Sendable>: Sendable {
        let value = Mutex<Value?>(nil)
    }
}
