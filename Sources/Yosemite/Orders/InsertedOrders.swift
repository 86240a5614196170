internal import Networking
internal import Synchronization

/// Tells of orders that were not stored before and are now.
final class InsertedOrders: Sendable {
    private struct Listener {
        let siteID: Int64
        let continuation: AsyncStream<[Order]>.Continuation
    }

    private struct Content {
        var listeners: [UInt64: Listener] = [:]
        var lastNumber: UInt64 = 0
    }

    private let content = Mutex(Content())

    deinit { content.withLock { $0.listeners.values.forEach { $0.continuation.finish() } } }

    /// The new orders of one site from now on, those of one transaction together.
    func stream(siteID: Int64) -> AsyncStream<[Order]> {
        let (stream, continuation) = AsyncStream.makeStream(of: [Order].self)
        let number = content.withLock { content in
            content.lastNumber += 1
            content.listeners[content.lastNumber] = Listener(siteID: siteID, continuation: continuation)
            return content.lastNumber
        }
        continuation.onTermination = { [weak self] _ in
            _ = self?.content.withLock { $0.listeners.removeValue(forKey: number) }
        }
        return stream
    }

    func tell(_ orders: [Order]) {
        guard !orders.isEmpty else { return }
        let listeners = content.withLock { Array($0.listeners.values) }
        for listener in listeners {
            let wanted = orders.filter { $0.siteID == listener.siteID }
            if !wanted.isEmpty { listener.continuation.yield(wanted) }
        }
    }
}
