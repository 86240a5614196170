internal import Synchronization

/// The waits for synchronisations that run, by site, so that they can be given up.
final class RunningSynchronizations: Sendable {
    private struct Content {
        var waits: [Int64: [UInt64: Task<Void, Never>]] = [:]
        var lastNumber: UInt64 = 0
    }

    private let content = Mutex(Content())

    /// Begins a wait, and knows it until its completion is called.
    func begin<Value: Sendable>(
        siteID: Int64, _ onCompletion: @escaping @Sendable (Result<Value, StoreError>) -> Void,
        _ start: (@escaping @Sendable (Result<Value, StoreError>) -> Void) -> Task<Void, Never>
    ) {
        // Under the lock, so that a wait that ends at once is known before it is forgotten.
        content.withLock { content in
            content.lastNumber += 1
            let number = content.lastNumber
            content.waits[siteID, default: [:]][number] = start { [weak self] result in
                self?.forget(siteID, number)
                onCompletion(result)
            }
        }
    }

    func cancel(siteID: Int64) {
        let waits = content.withLock { $0.waits[siteID].map { Array($0.values) } ?? [] }
        for wait in waits { wait.cancel() }
    }

    private func forget(_ siteID: Int64, _ number: UInt64) {
        content.withLock { _ = $0.waits[siteID]?.removeValue(forKey: number) }
    }
}
