import Determinism
import Networking
import Storage
import Testing

@testable import Yosemite

@Suite("Notes and statuses of orders")
struct OrderNoteStoreTests {
    private func retrieve(_ shop: TestShop, site: Int64 = TestShop.siteID) async throws(StoreError) -> ElementList<
        OrderNote
    > {
        try await shop.value { OrderNoteAction.retrieveOrderNotes(siteID: site, orderID: 5, onCompletion: $0) }
    }

    private func add(_ shop: TestShop, _ text: String = "paid at the till") async throws(StoreError) -> OrderNote {
        try await shop.value {
            OrderNoteAction.addOrderNote(
                siteID: TestShop.siteID, orderID: 5, isCustomerNote: false, note: text, onCompletion: $0)
        }
    }

    private func stored(_ shop: TestShop, site: Int64 = TestShop.siteID) throws -> [OrderNote] {
        try shop.models(OrderNote.self).filter { $0.siteID == site }
    }

    // MARK: Reading

    @Test("notes with the same number at two sites are separate")
    func keyedBySite() async throws {
        let shop = try TestShop { call in
            call.route.hasSuffix("notes") ? .list([OrderJSON.note(1, "here")]) : .json(OrderJSON.order(5))
        }
        _ = try await retrieve(shop)
        shop.site.become { call in
            call.route.hasSuffix("notes") ? .list([OrderJSON.note(1, "there")]) : .json(OrderJSON.order(5))
        }
        _ = try await retrieve(shop, site: 8)
        #expect(try stored(shop).map(\.note) == ["here"])
        #expect(try stored(shop, site: 8).map(\.note) == ["there"])
    }

    @Test("notes missing at the site are deleted, unless one could not be decoded")
    func forgotten() async throws {
        let shop = try TestShop { _ in .list([OrderJSON.note(1, "a"), OrderJSON.note(2, "b")]) }
        try shop.keep(OrderJSON.order(5))
        _ = try await retrieve(shop)
        shop.site.become { _ in .list([OrderJSON.note(2, "b"), #"{"id":{}}"#]) }
        let list = try await retrieve(shop)
        #expect(list.rejected.count == 1)
        #expect(try stored(shop).map(\.id) == [1, 2])
        shop.site.become { _ in .list([OrderJSON.note(2, "b")]) }
        _ = try await retrieve(shop)
        #expect(try stored(shop).map(\.id) == [2])
    }

    @Test("stored notes are sorted newest first")
    func loaded() async throws {
        let shop = try TestShop { _ in
            .list([OrderJSON.note(1, "old", at: "2026-01-01T00:00:00"), OrderJSON.note(2, "new")])
        }
        try shop.keep(OrderJSON.order(5))
        _ = try await retrieve(shop)
        let notes: [OrderNote] = try await shop.value {
            OrderNoteAction.loadOrderNotes(siteID: TestShop.siteID, orderID: 5, onCompletion: $0)
        }
        #expect(notes.map(\.note) == ["new", "old"])
    }

    @Test("notes of an order that the site does not know are deleted")
    func unknownOrder() async throws {
        let shop = try TestShop { _ in .refusal("woocommerce_rest_order_invalid_id", status: 404) }
        try shop.keep(OrderJSON.order(5))
        await #expect(throws: StoreError.notFound(entity: "order", id: "5")) { try await retrieve(shop) }
        #expect(try shop.order(5) == nil)
    }

    // MARK: Writing

    @Test("a new note of an order that is not stored is stored with its order")
    func orderComesToo() async throws {
        let shop = try TestShop { call in
            call.method == .post ? .json(OrderJSON.note(9, "paid at the till"), status: 201) : .json(OrderJSON.order(5))
        }
        #expect(try await add(shop).id == 9)
        #expect(try stored(shop).map(\.id) == [9])
        #expect(try shop.order(5) != nil)
        #expect(
            shop.site.calls.first?.body
                == #"{"note":"paid at the till","customer_note":false,"added_by_user":true}"#)
    }

    @Test("a written note is stored even if its order cannot be fetched")
    func neverDropped() async throws {
        let shop = try TestShop { call throws(NetworkError) in
            guard call.method == .post else { throw .unreachable }
            return .json(OrderJSON.note(9, "paid at the till"), status: 201)
        }
        #expect(try await add(shop).id == 9)
        #expect(try stored(shop).map(\.id) == [9])
    }

    @Test("after a lost response the note is found at the site and was written once")
    func lostAndThere() async throws {
        let shop = try TestShop { call throws(NetworkError) in
            guard call.method == .get else { throw .lost }
            return .list([OrderJSON.note(9, "paid at the till"), OrderJSON.note(1, "other")])
        }
        try shop.keep(OrderJSON.order(5))
        #expect(try await add(shop).id == 9)
        #expect(shop.site.calls.filter { $0.method == .post }.count == 1)
        #expect(try stored(shop).map(\.id) == [9])
    }

    @Test(
        "an older note with the same text is not mistaken for the lost one",
        arguments: [(9, "2026-02-01T00:00:00"), (1, "2026-03-01T12:00:00")])
    func lostAndOlder(id: Int64, at: String) async throws {
        let shop = try TestShop { call throws(NetworkError) in
            guard call.method == .get else { throw .lost }
            return .list([OrderJSON.note(id, "paid at the till", at: at)])
        }
        try shop.keep(OrderJSON.order(5))
        // This one was there before.
        try shop.save([
            OrderNote(
                siteID: TestShop.siteID, orderID: 5, id: 1, dateCreatedGMT: nil, note: "paid at the till",
                customerNote: false, author: "")
        ])
        await #expect(throws: StoreError.network(.lost)) { try await add(shop) }
        #expect(try stored(shop).map(\.id) == [1])
    }

    @Test("a rejected note is not stored", arguments: [400, 401, 403])
    func refused(status: Int) async throws {
        let shop = try TestShop { _ in .refusal("rest_invalid_param", status: status) }
        try shop.keep(OrderJSON.order(5))
        await #expect(throws: StoreError.self) { try await add(shop) }
        #expect(try stored(shop).isEmpty)
    }

    @Test("a note that cannot be stored is an error of the database")
    func unwritable() async throws {
        let shop = try TestShop(
            storage: UnwritableStorage(storage: try SQLiteStorageManager(inMemoryWith: SeededRandomSource(seed: 1)))
        ) { call in call.method == .post ? .json(OrderJSON.note(9, "x")) : .json(OrderJSON.order(5)) }
        await #expect(throws: StoreError.storage(.busy(path: "till.sqlite"))) { try await add(shop) }
    }

    // MARK: Statuses

    private func statuses(_ words: String...) -> HTTPResponse {
        .list(words.map { #"{"slug":"\#($0)","name":"\#($0)","total":1}"# })
    }

    private func retrieveStatuses(_ shop: TestShop, site: Int64 = TestShop.siteID) async throws(StoreError) {
        let _: ElementList<OrderStatus> = try await shop.value {
            OrderStatusAction.retrieveOrderStatuses(siteID: site, onCompletion: $0)
        }
    }

    @Test("statuses that a site no longer lists are deleted, for this site only")
    func statusesForgotten() async throws {
        let (both, one) = (statuses("pending", "wholesale"), statuses("pending"))
        let shop = try TestShop { _ in both }
        try await retrieveStatuses(shop)
        try await retrieveStatuses(shop, site: 8)
        #expect(shop.site.calls.first?.route == "wc/v3/reports/orders/totals")
        shop.site.become { _ in one }
        try await retrieveStatuses(shop)
        let stored: [OrderStatus] = try await shop.value {
            OrderStatusAction.loadOrderStatuses(siteID: TestShop.siteID, onCompletion: $0)
        }
        #expect(stored.map(\.slug) == [.pending])
        #expect(try shop.models(OrderStatus.self).filter { $0.siteID == 8 }.count == 2)
    }

    @Test("a reset of statuses deletes those of one site, or of all sites on request")
    func statusesReset() async throws {
        let answer = statuses("pending")
        let shop = try TestShop { _ in answer }
        try await retrieveStatuses(shop)
        try await retrieveStatuses(shop, site: 8)
        try await shop.value {
            OrderStatusAction.resetStoredOrderStatuses(siteID: TestShop.siteID, onCompletion: $0)
        } as Void
        #expect(try shop.models(OrderStatus.self).map(\.siteID) == [8])
        try await shop.value { OrderStatusAction.resetStoredOrderStatuses(siteID: nil, onCompletion: $0) } as Void
        #expect(try shop.models(OrderStatus.self).isEmpty)
    }

    @Test("a failure leaves the statuses as they were")
    func statusesFail() async throws {
        let answer = statuses("pending")
        let shop = try TestShop { _ in answer }
        try await retrieveStatuses(shop)
        shop.site.become { _ in .refusal("internal", status: 500) }
        await #expect(throws: StoreError.self) { try await retrieveStatuses(shop) }
        #expect(try shop.models(OrderStatus.self).count == 1)
    }
}
