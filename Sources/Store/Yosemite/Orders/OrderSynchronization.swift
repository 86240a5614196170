import Determinism
import Networking
import Storage
import Synchronization

/// Synchronizes the stored orders of a site, page by page.
///
/// Without a filter it fetches only changes since the last complete synchronization. That time is taken from the
/// server's clock at the first page, less a margin, so that changes made while the pages are read are fetched the next
/// time. The API doesn't list deleted orders, so only a full synchronization finds them.
struct OrderSynchronization: Sendable {
    let context: StoreContext
    let remote: OrdersRemote
    let repository: OrderRepository
    let siteID: Int64
    let filter: OrderFilter
    let isFull: Bool
    /// Nil for no limit.
    let pageLimit: Int?

    private struct Seen: Sendable {
        var ids: Set<Int64> = []
        var servedAt: Timestamp?
    }

    func run(
        onProgress: @escaping @Sendable (SynchronizationProgress) -> Void
    ) async throws(StoreError) -> SynchronizationReport {
        let isWhole = filter == OrderFilter()
        let mark = isWhole && !isFull ? try mark() : nil
        var filter = filter
        if let mark { filter.modifiedAfter = mark }
        let isReadWhole = isWhole && mark == nil
        let known = isReadWhole ? try storedIDs() : []
        let begun = context.time.now()
        let seen = Mutex(Seen())
        let walk = Paginator(context: context, pageLimit: max(1, pageLimit ?? .max)) {
            [filter] page async throws(NetworkError) in
            let page = try await remote.loadOrders(siteID: siteID, filter: filter, page: page)
            seen.withLock { seen in
                seen.ids.formUnion(page.elements.map(\.id))
                seen.servedAt = seen.servedAt ?? page.servedAt
            }
            return page
        } save: { page throws(StoreError) in
            try repository.save(page.elements, evenOverNewer: isFull)
            return page.elements.count
        }
        var report = try await walk.run(onProgress: onProgress)
        report.isFull = isReadWhole
        guard isWhole, report.isComplete else { return report }
        // An order that could not be decoded may be one of those that were not listed.
        if isReadWhole, report.rejectedCount == 0 {
            report.deleted = try await forget(known.subtracting(seen.withLock { $0.ids }))
        }
        try await resolveDoubts()
        try save(
            upTo: seen.withLock { $0.servedAt }.map { $0.advanced(by: .seconds(-60)) }
                // The server's clock is unknown, but should be roughly right.
                ?? begun.advanced(by: .seconds(-600)))
        return report
    }

    private func storedIDs() throws(StoreError) -> Set<Int64> {
        try context.read { storage in
            Set(
                try storage.records(OrderRecord.self, matching: { $0.siteID == siteID }, withChildren: false).map(\.id))
        }
    }

    private func mark() throws(StoreError) -> Timestamp? {
        try context.read { storage in
            try storage.model(
                SynchronizationMark.self, matching: { $0.siteID == siteID && $0.entity == OrderRepository.entity })
        }?.modifiedUpTo
    }

    private func save(upTo moment: Timestamp) throws(StoreError) {
        try context.write { storage in
            try storage.save(
                SynchronizationMark(
                    siteID: siteID, entity: OrderRepository.entity, synchronizedAt: context.time.now(),
                    modifiedUpTo: moment))
        }
    }

    /// Deletes orders that the site did not list, after asking for them once more: a list that changes while it is read
    /// may skip one.
    ///
    /// - Returns: the number of deleted orders.
    private func forget(_ ids: Set<Int64>) async throws(StoreError) -> Int {
        var (rest, count) = (ids.sorted()[...], 0)
        while !rest.isEmpty {
            let asked = Array(rest.prefix(100))
            rest = rest.dropFirst(100)
            let page = try await load(asked)
            guard page.list.rejected.isEmpty else { continue }
            let there = Set(page.elements.map(\.id))
            let gone = asked.filter { !there.contains($0) }
            try repository.save(
                page.elements.filter { asked.contains($0.id) },
                before: { storage in
                    try OrderRepository.delete(siteID: siteID, orderIDs: gone, in: storage)
                })
            count += gone.count
        }
        return count
    }

    /// Loads up to a hundred orders by ID.
    private func load(_ ids: [Int64]) async throws(StoreError) -> Page<Order> {
        try await context.ask { () async throws(NetworkError) in
            try await remote.loadOrders(
                siteID: siteID, filter: OrderFilter(orderIDs: ids), page: PageRequest(size: 100))
        }
    }

    /// Fetches orders without a modification date: those whose last change has an unknown outcome, a hundred at a time.
    private func resolveDoubts() async throws(StoreError) {
        let doubtful = try context.read { storage in
            try storage.records(
                OrderRecord.self, matching: { $0.siteID == siteID && $0.dateModifiedGMT.isNull }, withChildren: false
            ).map(\.id)
        }
        var rest = doubtful.sorted()[...]
        while !rest.isEmpty {
            let asked = Array(rest.prefix(100))
            rest = rest.dropFirst(100)
            let page = try await load(asked)
            let found = page.elements.filter { asked.contains($0.id) }
            try repository.save(found)
            // One that is not listed may be in the trash, or gone.
            guard page.list.rejected.isEmpty else { continue }
            for id in asked where !found.contains(where: { $0.id == id }) { try await resolveDoubt(id) }
        }
    }

    private func resolveDoubt(_ id: Int64) async throws(StoreError) {
        do throws(StoreError) {
            _ = try await repository.retrieve(siteID: siteID, orderID: id)
        } catch {
            // It was deleted here meanwhile.
            guard case .notFound = error else { throw error }
        }
    }
}

/// Reports orders that are new in the database.
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
