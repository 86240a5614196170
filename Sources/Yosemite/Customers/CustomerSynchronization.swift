internal import Determinism
internal import Networking
internal import Storage
internal import Synchronization

/// Brings the stored customers of a site to what the site has, page by page.
struct CustomerSynchronization: Sendable {
    let context: StoreContext
    let remote: WCAnalyticsCustomerRemote
    let siteID: Int64
    /// Nil for all.
    let pageLimit: Int?

    private struct Seen: Sendable {
        var ids: Set<Int64> = []
        var total: Int?
    }

    func run(
        onProgress: @escaping @Sendable (SynchronizationProgress) -> Void
    ) async throws(StoreError) -> SynchronizationReport {
        let known = try context.read { storage in
            Set(try storage.records(WCAnalyticsCustomerRecord.self, matching: { $0.siteID == siteID }).map(\.id))
        }
        let seen = Mutex(Seen())
        let walk = PageWalk(context: context, pageLimit: max(1, pageLimit ?? .max)) { page async throws(NetworkError) in
            let page = try await remote.loadCustomers(siteID: siteID, page: page, orderBy: .name)
            seen.withLock { seen in
                seen.ids.formUnion(page.elements.map(\.id))
                seen.total = page.total ?? seen.total
            }
            return page
        } save: { page throws(StoreError) in
            try context.write { try $0.save(page.elements) }
            return page.elements.count
        }
        var report = try await walk.run(onProgress: onProgress)
        guard report.isComplete else { return report }
        let listed = seen.withLock { $0 }
        // A list that moved while it was read, or that could not be read whole, says nothing of who is not in it.
        let isWhole = report.rejectedCount == 0 && listed.ids.count >= listed.total ?? 0
        let gone = isWhole ? known.subtracting(listed.ids).sorted() : []
        try context.write { storage in
            _ = try storage.delete(WCAnalyticsCustomer.self, matching: { $0.siteID == siteID && $0.id.isIn(gone) })
            try storage.save(
                SynchronizationMark(
                    siteID: siteID, entity: CustomerShelf.everybody, synchronizedAt: context.time.now(),
                    modifiedUpTo: nil))
        }
        report.deleted = gone.count
        return report
    }
}
