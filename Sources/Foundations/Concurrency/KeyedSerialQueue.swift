import Synchronization

/// Runs the operations of each key one after the other, in the order of the calls. Operations of different keys run
/// side by side.
public final class KeyedSerialQueue<Key: Hashable & Sendable>: Sendable {
    private struct Entry {
        let number: UInt64
        let end: Task<Void, Never>
    }

    private struct Content {
        var last: [Key: Entry] = [:]
        var lastNumber: UInt64 = 0
    }

    private let content = Mutex(Content())

    /// Creates a queue without operations.
    public init() {}

    /// Runs `body` when every earlier operation of `key` has ended.
    ///
    /// - Parameters:
    ///   - key: names the queue.
    ///   - body: the operation. It runs to its end even when the calling task is canceled.
    /// - Returns: the value of `body`.
    /// - Throws: the error of `body`.
    public func run<Value: Sendable, Failure: Error>(
        _ key: Key, _ body: @escaping @Sendable () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let task = content.withLock { content in
            content.lastNumber += 1
            let (number, before) = (content.lastNumber, content.last[key]?.end)
            let task = Task<Result<Value, Failure>, Never> {
                await before?.value
                do throws(Failure) { return .success(try await body()) } catch { return .failure(error) }
            }
            let end = Task {
                _ = await task.value
                self.forget(key, number)
            }
            content.last[key] = Entry(number: number, end: end)
            return task
        }
        return try await task.value.get()
    }

    private func forget(_ key: Key, _ number: UInt64) {
        content.withLock { content in
            if content.last[key]?.number == number { content.last[key] = nil }
        }
    }
}
