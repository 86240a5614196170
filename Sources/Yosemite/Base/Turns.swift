internal import Synchronization

/// Lets what concerns one thing happen one after the other, in the order in which it was asked for.
final class Turns<Key: Hashable & Sendable>: Sendable {
    private struct Turn {
        let number: UInt64
        let end: Task<Void, Never>
    }

    private struct Content {
        var last: [Key: Turn] = [:]
        var lastNumber: UInt64 = 0
    }

    private let content = Mutex(Content())

    /// Runs `body` when everything that came before it for `key` has ended. It runs to its end even when the task
    /// that waits is cancelled.
    func take<Value: Sendable>(
        _ key: Key, _ body: @escaping @Sendable () async throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        let task = content.withLock { content in
            content.lastNumber += 1
            let (number, before) = (content.lastNumber, content.last[key]?.end)
            let task = Task<Result<Value, StoreError>, Never> {
                await before?.value
                do throws(StoreError) { return .success(try await body()) } catch { return .failure(error) }
            }
            let end = Task {
                _ = await task.value
                self.forget(key, number)
            }
            content.last[key] = Turn(number: number, end: end)
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
