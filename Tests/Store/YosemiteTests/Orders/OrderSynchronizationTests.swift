import Concurrency
import Determinism
import Networking
import Storage
import Synchronization
import Testing

@testable import Yosemite

@Suite("Synchronizing orders")
struct OrderSynchronizationTests {
    private static let date = "Sun, 01 Mar 2026 11:00:00 GMT"

    /// A site with orders from 1, a hundred a page.
    private static func pages(_ count: Int64, _ call: ScriptedSite.Call) -> HTTPResponse {
        let ids =
            Int64(call.page - 1) * 100 + 1...max(Int64(call.page - 1) * 100 + 1, min(count, Int64(call.page) * 100))
        return .list(
            ids.map { OrderJSON.order($0) }, total: Int(count), pages: Int((count + 99) / 100), date: date)
    }

    private func synchronize(
        _ shop: TestShop, filter: OrderFilter = OrderFilter(), isFull: Bool = false, pages: Int? = nil,
        onProgress: @escaping @Sendable (SynchronizationProgress) -> Void = { _ in }
    ) async throws(StoreError) -> SynchronizationReport {
        try await shop.value {
            OrderAction.synchronizeAllOrders(
                siteID: TestShop.siteID, filter: filter, isFull: isFull, pageLimit: pages, onProgress: onProgress,
                onCompletion: $0)
        }
    }

    @Test("all pages are fetched and saved, and progress is reported")
    func allPages() async throws {
        let shop = try TestShop { Self.pages(250, $0) }
        let told = Mutex<[SynchronizationProgress]>([])
        let report = try await synchronize(shop) { progress in told.withLock { $0.append(progress) } }
        #expect((report.saved, report.pages, report.isComplete, report.isFull) == (250, 3, true, true))
        #expect(try shop.orderIDs().count == 250)
        #expect(told.withLock { $0 }.map(\.pages) == [1, 2, 3])
        #expect(told.withLock { $0.last } == SynchronizationProgress(saved: 250, pages: 3, total: 250))
        let first = try #require(shop.site.calls.first)
        #expect(first.route == "wc/v3/orders")
        #expect(first.parameters["per_page"] == "100")
        #expect(first.parameters["status"] == "any")
        #expect(first.parameters["dates_are_gmt"] == "true")
        #expect(first.parameters["modified_after"] == nil)
        #expect(Set(shop.site.calls.map(\.page)) == [1, 2, 3])
    }

    @Test("the headers decide whether a page is the last one, not its length")
    func headersDecide() async throws {
        let full = try TestShop { call in
            .list((1...100).map { OrderJSON.order($0) }, total: 100, pages: 1)
        }
        #expect(try await synchronize(full).pages == 1)
        #expect(full.site.calls.count == 1)
        let short = try TestShop { call in
            .list([OrderJSON.order(Int64(call.page))], total: 2, pages: 2)
        }
        #expect(try await synchronize(short).saved == 2)
        #expect(try short.orderIDs() == [1, 2])
    }

    @Test("without headers, as through the tunnel, a full page has a next one")
    func withoutHeaders() async throws {
        let shop = try TestShop { call in
            call.page == 1 ? .list((1...100).map { OrderJSON.order($0) }) : .list([OrderJSON.order(101)])
        }
        #expect(try await synchronize(shop).saved == 101)
    }

    @Test("a page limit ends the synchronization early, and this is reported")
    func limited() async throws {
        let shop = try TestShop { Self.pages(500, $0) }
        let report = try await synchronize(shop, pages: 2)
        #expect((report.saved, report.isComplete) == (200, false))
        #expect(shop.site.calls.count == 2)
    }

    @Test("an order that cannot be decoded is reported with its position, and the others are saved")
    func badElement() async throws {
        let shop = try TestShop { _ in
            .list([OrderJSON.order(1), OrderJSON.order(2, total: "\"ten\""), OrderJSON.order(3)], total: 3, pages: 1)
        }
        let report = try await synchronize(shop)
        #expect(try shop.orderIDs() == [1, 3])
        #expect((report.saved, report.rejectedCount) == (2, 1))
        #expect(report.rejected.first?.page == 1)
        #expect(report.rejected.first?.failure.path == "[1].total")
    }

    @Test("drafts of the store's editor are never stored")
    func autoDraft() async throws {
        let shop = try TestShop { _ in .list([OrderJSON.order(1, status: "auto-draft"), OrderJSON.order(2)]) }
        _ = try await synchronize(shop)
        #expect(try shop.orderIDs() == [2])
        let page: Page<Order> = try await shop.value {
            OrderAction.synchronizeOrders(siteID: TestShop.siteID, onCompletion: $0)
        }
        #expect(page.elements.map(\.id) == [1, 2])
        #expect(try shop.orderIDs() == [2])
    }

    // MARK: What has changed

    @Test("the second synchronization fetches changes since the first one, by the server's clock")
    func incremental() async throws {
        let shop = try TestShop { Self.pages(3, $0) }
        _ = try await synchronize(shop)
        let again = try await synchronize(shop)
        #expect(!again.isFull)
        // The Date of the first answer, less a minute.
        #expect(shop.site.calls.last?.parameters["modified_after"] == "2026-03-01T10:59:00")
        _ = try await synchronize(shop, isFull: true)
        #expect(shop.site.calls.last?.parameters["modified_after"] == nil)
    }

    @Test("a filtered synchronization fetches all matching orders and does not update the mark")
    func filtered() async throws {
        let shop = try TestShop { Self.pages(3, $0) }
        let report = try await synchronize(shop, filter: OrderFilter(statuses: [.pending, .onHold]))
        #expect(report.isFull == false)
        #expect(shop.site.calls.last?.parameters["status"] == "pending,on-hold")
        _ = try await synchronize(shop)
        #expect(shop.site.calls.last?.parameters["modified_after"] == nil)
    }

    @Test("a failure on a later page keeps the saved orders, and the next synchronization fetches everything")
    func failsInTheMiddle() async throws {
        let shop = try TestShop { call in
            call.page == 1 ? Self.pages(200, call) : .refusal("internal", status: 500)
        }
        await #expect(throws: StoreError.self) { try await synchronize(shop) }
        #expect(try shop.orderIDs().count == 100)
        shop.site.become { Self.pages(200, $0) }
        #expect(try await synchronize(shop).isFull)
        #expect(try shop.orderIDs().count == 200)
    }

    @Test(
        "a response that is not a list of orders changes nothing",
        arguments: ["[{\"id\":1,", "<html>", "{\"orders\":[]}", ""])
    func badAnswers(body: String) async throws {
        let shop = try TestShop { _ in .json(body) }
        try shop.keep(OrderJSON.order(5))
        await #expect(throws: StoreError.self) { try await synchronize(shop, isFull: true) }
        #expect(try shop.orderIDs() == [5])
    }

    @Test("a full synchronization deletes orders that are missing at the site, for this site only")
    func forgets() async throws {
        let shop = try TestShop { call in
            call.parameters["include"] != nil ? .list([]) : .list([OrderJSON.order(1)], total: 1, pages: 1)
        }
        try shop.keep(OrderJSON.order(9))
        try shop.keep(OrderJSON.order(9), site: 8)
        let report = try await synchronize(shop, isFull: true)
        #expect((report.saved, report.deleted) == (1, 1))
        #expect(try shop.orderIDs() == [1])
        #expect(try shop.orderIDs(site: 8) == [9])
        #expect(shop.site.calls.last?.parameters["include"] == "9")
    }

    @Test("an order missing on the pages is queried before it is deleted")
    func slipped() async throws {
        let shop = try TestShop { call in
            .list([OrderJSON.order(call.parameters["include"] != nil ? 9 : 1, status: "completed")], total: 1, pages: 1)
        }
        try shop.keep(OrderJSON.order(9))
        #expect(try await synchronize(shop, isFull: true).deleted == 0)
        #expect(try shop.order(9)?.status == .completed)
    }

    @Test("nothing is deleted when an order of the list could not be decoded")
    func forgetsNothing() async throws {
        let shop = try TestShop { _ in .list([OrderJSON.order(9, total: "{}")], total: 1, pages: 1) }
        try shop.keep(OrderJSON.order(9))
        #expect(try await synchronize(shop, isFull: true).deleted == 0)
        #expect(try shop.orderIDs() == [9])
    }

    @Test("a list that was read before a change does not undo it")
    func olderListsLose() async throws {
        let shop = try TestShop { _ in .list([OrderJSON.order(1, modified: "2026-02-01T10:00:00")]) }
        try shop.keep(OrderJSON.order(1, status: "completed", modified: "2026-02-01T10:00:05"))
        _ = try await synchronize(shop)
        #expect(try shop.order(1)?.status == .completed)
    }

    @Test("imported orders, which have no modification date, cost no requests of their own")
    func imported() async throws {
        let shop = try TestShop { call in
            .list((1...60).map { OrderJSON.order($0, modified: nil) }, total: 60, pages: 1)
        }
        for _ in 1...2 {
            _ = try await synchronize(shop)
            #expect(shop.site.calls.count == 1)
            shop.site.become { _ in .list([], total: 0, pages: 0) }
        }
        #expect(try shop.orderIDs().count == 60)
    }

    @Test("orders with an unknown outcome are fetched together, however many there are")
    func doubts() async throws {
        let shop = try TestShop { _ in .list([], total: 0, pages: 0) }
        _ = try await synchronize(shop)
        for id in 1...130 {
            let order = try shop.keep(OrderJSON.order(Int64(id)))
            _ = try shop.storage.performAndSave { try $0.save(order.copy(dateModifiedGMT: .some(nil))) }
        }
        shop.site.become { call in
            guard call.id == nil else { return .refusal("woocommerce_rest_shop_order_invalid_id", status: 404) }
            let asked = (call.parameters["include"] ?? "").split(separator: ",").compactMap { Int64($0) }
            return .list(asked.filter { $0 != 7 }.map { OrderJSON.order($0, status: "completed") }, total: 0, pages: 0)
        }
        _ = try await synchronize(shop, filter: OrderFilter())
        // The list, two batches, and the one that is gone.
        #expect(shop.site.calls.count == 4)
        #expect(try shop.orderIDs().count == 129)
        #expect(try shop.order(130)?.status == .completed)
        #expect(try shop.models(Order.self).allSatisfy { $0.dateModifiedGMT != nil })
    }

    // MARK: Together and apart

    @Test("two identical requests at the same time are combined")
    func shared() async throws {
        let gate = Turnstile()
        let shop = try TestShop { call in
            if call.route == "wc/v3/orders" { await gate.pass() }
            return .list(call.route == "wc/v3/orders" ? [OrderJSON.order(1)] : [], total: 1, pages: 1)
        }
        let first = Task { try await synchronize(shop) }
        let second = Task { try await synchronize(shop) }
        await gate.isReached()
        // Everything enqueued before these has ended by then.
        for _ in 1...20 {
            let _: ElementList<OrderStatus> = try await shop.value {
                OrderStatusAction.retrieveOrderStatuses(siteID: TestShop.siteID, onCompletion: $0)
            }
        }
        gate.open()
        let saved = try await first.value.saved + second.value.saved
        #expect(saved == 2)
        #expect(shop.site.calls.filter { $0.route == "wc/v3/orders" }.count == 1)
    }

    @Test("a canceled synchronization completes once, keeps the fetched pages, and sets no mark")
    func canceled() async throws {
        let gate = Turnstile()
        let shop = try TestShop { call in
            if call.page > 1 { await gate.pass() }
            return Self.pages(1000, call)
        }
        let saved = Turnstile()
        let report = Task { try await synchronize(shop) { _ in Task { await saved.pass() } } }
        await gate.isReached()
        await saved.isReached()
        saved.open()
        try shop.dispatch(OrderAction.cancelSynchronization(siteID: 8))
        try shop.dispatch(OrderAction.cancelSynchronization(siteID: TestShop.siteID))
        gate.open()
        await #expect(throws: StoreError.canceled) { try await report.value }
        let kept = try shop.orderIDs().count
        #expect(kept >= 100 && kept < 1000)
        #expect(try shop.models(SynchronizationMark.self).isEmpty)
        // The store works on.
        shop.site.become { Self.pages(1, $0) }
        #expect(try await synchronize(shop).saved == 1)
    }

    @Test("a database that cannot be written is a typed error")
    func unwritable() async throws {
        let shop = try TestShop(
            storage: UnwritableStorage(storage: try SQLiteStorageManager(inMemoryWith: SeededRandomSource(seed: 1)))
        ) { Self.pages(1, $0) }
        await #expect(throws: StoreError.storage(.busy(path: "till.sqlite"))) { try await synchronize(shop) }
    }

    @Test("rejected credentials are reported as such")
    func refused() async throws {
        let shop = try TestShop { _ in .refusal("woocommerce_rest_cannot_view", status: 401) }
        let error = await #expect(throws: StoreError.self) { try await synchronize(shop) }
        guard case .network(.service(let service)) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(service.kind == .unauthorized)
    }
}
