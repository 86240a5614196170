internal import Determinism
internal import Networking
internal import Storage
internal import Synchronization

/// Brings the stored orders of a site to what the site has, page by page.
///
/// Without a filter, only what has changed since the last whole synchronisation is asked for. The mark of that is the
/// server's clock when it answered the first page, less a margin: what changes while the pages are read is read the next
/// time. Orders that were deleted at the site are no change that it tells, so only a full synchronisation finds them.
struct OrderSynchronization: Sendable {
    let context: StoreContext
    let remote: OrdersRemote
    let shelf: OrderShelf
    let siteID: Int64
    let filter: OrderFilter
    let isFull: Bool
    /// Nil for all.
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
        let walk = PageWalk(context: context, pageLimit: max(1, pageLimit ?? .max)) {
            [filter] page async throws(NetworkError) in
            let page = try await remote.loadOrders(siteID: siteID, filter: filter, page: page)
            seen.withLock { seen in
                seen.ids.formUnion(page.elements.map(\.id))
                seen.servedAt = seen.servedAt ?? page.servedAt
            }
            return page
        } save: { page throws(StoreError) in
            try shelf.save(page.elements, evenOverNewer: isFull)
            return page.elements.count
        }
        var report = try await walk.run(onProgress: onProgress)
        report.isFull = isReadWhole
        guard isWhole, report.isComplete else { return report }
        // What could not be read may be one of those that were not seen.
        if isReadWhole, report.rejectedCount == 0 {
            report.deleted = try await forget(known.subtracting(seen.withLock { $0.ids }))
        }
        try await settleDoubts()
        try save(
            upTo: seen.withLock { $0.servedAt }.map { $0.advanced(by: .seconds(-60)) }
                // Nothing is known of the server's clock but that it is about right.
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
                SynchronizationMark.self, matching: { $0.siteID == siteID && $0.entity == OrderShelf.entity })
        }?.modifiedUpTo
    }

    private func save(upTo moment: Timestamp) throws(StoreError) {
        try context.write { storage in
            try storage.save(
                SynchronizationMark(
                    siteID: siteID, entity: OrderShelf.entity, synchronizedAt: context.time.now(),
                    modifiedUpTo: moment))
        }
    }

    /// Forgets orders that the site did not list, unless it says that it has them: a list that moves while it is read
    /// may leave one out.
    ///
    /// - Returns: how many were forgotten.
    private func forget(_ ids: Set<Int64>) async throws(StoreError) -> Int {
        var (rest, count) = (ids.sorted()[...], 0)
        while !rest.isEmpty {
            let asked = Array(rest.prefix(100))
            rest = rest.dropFirst(100)
            let page = try await context.ask { () async throws(NetworkError) in
                try await remote.loadOrders(
                    siteID: siteID, filter: OrderFilter(orderIDs: asked), page: PageRequest(size: 100))
            }
            guard page.list.rejected.isEmpty else { continue }
            let there = Set(page.elements.map(\.id))
            let gone = asked.filter { !there.contains($0) }
            try shelf.save(
                page.elements.filter { asked.contains($0.id) },
                before: { storage in
                    try OrderShelf.delete(siteID: siteID, orderIDs: gone, in: storage)
                })
            count += gone.count
        }
        return count
    }

    /// Asks for orders of which nobody knows whether a change reached the site: they have no date of change.
    private func settleDoubts() async throws(StoreError) {
        let doubtful = try context.read { storage in
            try storage.records(
                OrderRecord.self, matching: { $0.siteID == siteID && $0.dateModifiedGMT.isNull }, limit: 25,
                withChildren: false
            ).map(\.id)
        }
        for id in doubtful {
            do throws(StoreError) {
                _ = try await shelf.retrieve(siteID: siteID, orderID: id, from: remote)
            } catch {
                // Forgotten by now.
                if case .notFound = error { continue }
                throw error
            }
        }
    }
}
