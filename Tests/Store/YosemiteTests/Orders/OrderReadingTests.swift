import Determinism
import Networking
import Storage
import Testing

@testable import Yosemite

@Suite("Reading orders")
struct OrderReadingTests {
    private func retrieve(_ shop: TestShop, _ id: Int64) async throws(StoreError) -> Order {
        try await shop.value {
            OrderAction.retrieveOrder(siteID: TestShop.siteID, orderID: id, onCompletion: $0)
        }
    }

    // MARK: One order

    @Test("an order that is not stored is fetched and stored")
    func notStored() async throws {
        let shop = try TestShop { .json(OrderJSON.order($0.id ?? 0)) }
        #expect(try await retrieve(shop, 5).id == 5)
        #expect(shop.site.calls.count == 1)
        #expect(try shop.order(5) != nil)
    }

    @Test(
        "for a stored order only the modification date is fetched, and the stored order is returned if it is the same")
    func unchanged() async throws {
        let shop = try TestShop { _ in .json(#"{"date_modified_gmt":"2026-02-01T10:00:00"}"#) }
        let stored = try shop.keep(OrderJSON.order(5))
        #expect(try await retrieve(shop, 5) == stored)
        #expect(shop.site.calls.map { $0.parameters["_fields"] } == ["date_modified_gmt"])
    }

    @Test("a stored order that has changed is fetched completely")
    func changed() async throws {
        let shop = try TestShop { call in
            call.parameters["_fields"] == "date_modified_gmt"
                ? .json(#"{"date_modified_gmt":"2026-02-01T10:00:01"}"#)
                : .json(OrderJSON.order(5, status: "completed", modified: "2026-02-01T10:00:01"))
        }
        try shop.keep(OrderJSON.order(5))
        #expect(try await retrieve(shop, 5).status == .completed)
        #expect(try shop.order(5)?.status == .completed)
        #expect(shop.site.calls.count == 2)
    }

    @Test("with an invalid date the whole order is fetched")
    func unreadableDate() async throws {
        let shop = try TestShop { call in
            call.parameters["_fields"] == "date_modified_gmt"
                ? .json(#"{"date_modified_gmt":null}"#) : .json(OrderJSON.order(5, status: "completed"))
        }
        try shop.keep(OrderJSON.order(5))
        #expect(try await retrieve(shop, 5).status == .completed)
    }

    @Test("an order that the site does not know is deleted with its notes, for this site only")
    func gone() async throws {
        let shop = try TestShop { _ in .refusal("woocommerce_rest_shop_order_invalid_id", status: 404) }
        try shop.keep(OrderJSON.order(5))
        try shop.keep(OrderJSON.order(5), site: 8)
        for site in [TestShop.siteID, 8] {
            try shop.save([
                OrderNote(
                    siteID: site, orderID: 5, id: 1, dateCreatedGMT: nil, note: "x", customerNote: false, author: "")
            ])
        }
        await #expect(throws: StoreError.notFound(entity: "order", id: "5")) { try await retrieve(shop, 5) }
        #expect(try shop.order(5) == nil)
        #expect(try shop.order(5, site: 8) != nil)
        #expect(try shop.models(OrderNote.self).map(\.siteID) == [8])
    }

    @Test("a missing route does not mean that the order is missing", arguments: ["rest_no_route"])
    func noRoute(code: String) async throws {
        let shop = try TestShop { _ in .refusal(code, status: 404) }
        try shop.keep(OrderJSON.order(5))
        await #expect(throws: StoreError.self) { try await retrieve(shop, 5) }
        #expect(try shop.order(5) != nil)
    }

    @Test("an unreachable site is reported, and the stored orders stay")
    func unreachable() async throws {
        let shop = try TestShop { _ throws(NetworkError) in throw .unreachable }
        try shop.keep(OrderJSON.order(5))
        await #expect(throws: StoreError.network(.unreachable)) { try await retrieve(shop, 5) }
        #expect(try shop.order(5) != nil)
    }

    @Test("a remote request fetches the whole order, whatever is stored")
    func remotely() async throws {
        let shop = try TestShop { _ in .json(OrderJSON.order(5, status: "failed")) }
        try shop.keep(OrderJSON.order(5))
        let order: Order = try await shop.value {
            OrderAction.retrieveOrderRemotely(siteID: TestShop.siteID, orderID: 5, onCompletion: $0)
        }
        #expect(order.status == .failed)
        #expect(shop.site.calls.map { $0.parameters["_fields"] == "date_modified_gmt" } == [false])
    }

    // MARK: Lists

    @Test("search results are stored by site and text, in the site's order")
    func search() async throws {
        let shop = try TestShop { call in
            call.parameters["search"] == "tea"
                ? .list([OrderJSON.order(3), OrderJSON.order(1)], total: 2, pages: 1) : .list([OrderJSON.order(2)])
        }
        for (site, keyword) in [(TestShop.siteID, "tea"), (8, "tea"), (TestShop.siteID, "cup")] {
            let _: Page<Order> = try await shop.value {
                OrderAction.searchOrders(siteID: site, keyword: keyword, onCompletion: $0)
            }
        }
        func found(_ site: Int64, _ keyword: String) async throws -> [Int64] {
            let orders: [Order] = try await shop.value {
                OrderAction.loadSearchResults(siteID: site, keyword: keyword, onCompletion: $0)
            }
            #expect(orders.allSatisfy { $0.siteID == site })
            return orders.map(\.id)
        }
        #expect(try await found(TestShop.siteID, "tea") == [3, 1])
        #expect(try await found(8, "tea") == [3, 1])
        #expect(try await found(TestShop.siteID, "cup") == [2])
        // The next time it finds less, and forgets what it found before.
        shop.site.become { _ in .list([OrderJSON.order(1)]) }
        let _: Page<Order> = try await shop.value {
            OrderAction.searchOrders(siteID: TestShop.siteID, keyword: "tea", onCompletion: $0)
        }
        #expect(try await found(TestShop.siteID, "tea") == [1])
        #expect(try await found(8, "tea") == [3, 1])
    }

    @Test(
        "fetched orders are added, replace the others of the site, or are not stored",
        arguments: OrdersWriteStrategy.allCases)
    func strategies(strategy: OrdersWriteStrategy) async throws {
        let shop = try TestShop { _ in .list([OrderJSON.order(1)], total: 1, pages: 1) }
        try shop.keep(OrderJSON.order(9))
        try shop.keep(OrderJSON.order(9), site: 8)
        let filter = OrderFilter(
            statuses: [.processing], after: Timestamp("2026-01-01T00:00:00Z"), customerID: 4, productID: 6)
        let fetched: FetchedOrders = try await shop.value {
            OrderAction.fetchFilteredOrders(
                siteID: TestShop.siteID, filter: filter, writeStrategy: strategy, size: 10, onCompletion: $0)
        }
        #expect(fetched.page.elements.map(\.id) == [1])
        let stored: [Int64] =
            switch strategy {
            case .save: [1, 9]
            case .deleteAllBeforeSaving: [1]
            case .doNotSave: [9]
            }
        #expect(try shop.orderIDs() == stored)
        #expect(try shop.orderIDs(site: 8) == [9])
        let asked = try #require(shop.site.calls.first).parameters
        #expect(
            ["status", "after", "customer", "product", "per_page"].map { asked[$0] }
                == ["processing", "2026-01-01T00:00:00", "4", "6", "10"])
    }

    @Test("when orders cannot be fetched, the stored ones stay")
    func replacementFails() async throws {
        let shop = try TestShop { _ in .refusal("internal", status: 503) }
        try shop.keep(OrderJSON.order(9))
        await #expect(throws: StoreError.self) {
            let _: FetchedOrders = try await shop.value {
                OrderAction.fetchFilteredOrders(
                    siteID: TestShop.siteID, filter: OrderFilter(), writeStrategy: .deleteAllBeforeSaving,
                    onCompletion: $0)
            }
        }
        #expect(try shop.orderIDs() == [9])
    }

    @Test("a store has orders if one is stored or the site has one, even one that cannot be decoded")
    func hasOrders() async throws {
        let shop = try TestShop { _ in .list([]) }
        func hasOrders() async throws(StoreError) -> Bool {
            try await shop.value { OrderAction.checkIfStoreHasOrders(siteID: TestShop.siteID, onCompletion: $0) }
        }
        try shop.keep(OrderJSON.order(1), site: 8)
        #expect(try await !hasOrders())
        #expect(shop.site.calls.map { $0.parameters["per_page"] } == ["1"])
        shop.site.become { _ in .json(#"[{"id":"?"}]"#) }
        #expect(try await hasOrders())
        try shop.keep(OrderJSON.order(1))
        shop.site.become { _ throws(NetworkError) in throw .unreachable }
        #expect(try await hasOrders())
    }

    @Test("stored orders are found by status, day, customer and text, newest first, with how many there are")
    func stored() async throws {
        let shop = try TestShop()
        func billing(_ first: String, _ email: String) -> String {
            """
            {"first_name":"\(first)","last_name":"Doe","company":"","address_1":"","address_2":"","city":"","state":"",\
            "postcode":"","country":"DE","email":"\(email)","phone":""}
            """
        }
        try shop.keep(OrderJSON.order(1, more: ["billing": billing("Zoë", "zoe@example.com")]))
        try shop.keep(
            OrderJSON.order(
                2, status: "completed", more: ["date_created_gmt": "\"2026-02-02T00:00:00\"", "customer_id": "4"]))
        try shop.keep(OrderJSON.order(3, status: "wholesale", more: ["number": "\"A-77\""]))
        try shop.keep(OrderJSON.order(4), site: 8)
        func ids(_ query: OrderQuery) async throws -> [Int64] {
            let found: StoredOrders = try await shop.value {
                OrderAction.loadOrders(siteID: TestShop.siteID, query: query, onCompletion: $0)
            }
            return found.orders.map(\.id)
        }
        #expect(try await ids(OrderQuery()) == [2, 3, 1])
        #expect(try await ids(OrderQuery(statuses: [.completed, .custom("wholesale")])) == [2, 3])
        #expect(try await ids(OrderQuery(since: Timestamp("2026-02-01T12:00:00Z"))) == [2])
        #expect(try await ids(OrderQuery(customerID: 4)) == [2])
        #expect(try await ids(OrderQuery(text: "ZOË")) == [1])
        #expect(try await ids(OrderQuery(text: "example.COM")) == [1])
        #expect(try await ids(OrderQuery(text: "a-77")) == [3])
        #expect(try await ids(OrderQuery(text: "%")) == [])
        let limited: StoredOrders = try await shop.value {
            OrderAction.loadOrders(siteID: TestShop.siteID, query: OrderQuery(limit: 1), onCompletion: $0)
        }
        #expect((limited.orders.count, limited.count, limited.synchronizedAt) == (1, 3, nil))
    }

    @Test("a reset deletes the orders of one site with their children, or of all sites on request")
    func reset() async throws {
        let shop = try TestShop()
        for site in [TestShop.siteID, 8] {
            try shop.keep(OrderJSON.order(1), site: site)
            try shop.save([
                OrderNote(
                    siteID: site, orderID: 1, id: 1, dateCreatedGMT: nil, note: "x", customerNote: false, author: "")
            ])
            try shop.save([SearchResult(siteID: site, entity: "order", keyword: "x", position: 0, elementID: 1)])
            try shop.save([
                SynchronizationMark(siteID: site, entity: "order", synchronizedAt: shop.time.now(), modifiedUpTo: nil)
            ])
        }
        try await shop.value { OrderAction.resetStoredOrders(siteID: TestShop.siteID, onCompletion: $0) } as Void
        #expect(try shop.models(Order.self).map(\.siteID) == [8])
        #expect(try shop.models(OrderNote.self).map(\.siteID) == [8])
        #expect(try shop.models(SearchResult.self).map(\.siteID) == [8])
        #expect(try shop.models(SynchronizationMark.self).map(\.siteID) == [8])
        try await shop.value { OrderAction.resetStoredOrders(siteID: nil, onCompletion: $0) } as Void
        #expect(try shop.models(Order.self).isEmpty)
        #expect(try shop.models(SynchronizationMark.self).isEmpty)
    }

    @Test("observers of new orders get each order once, from any store")
    func inserted() async throws {
        let shop = try TestShop { call in
            if call.route.hasSuffix("notes") { return .list([OrderJSON.note(1, "x")]) }
            return call.id.map { .json(OrderJSON.order($0)) } ?? .list([OrderJSON.order(1), OrderJSON.order(2)])
        }
        try shop.keep(OrderJSON.order(1))
        let streams = AsyncStream.makeStream(of: AsyncStream<[Order]>.self)
        try shop.dispatch(
            OrderAction.observeInsertedOrders(siteID: TestShop.siteID) { streams.continuation.yield($0) })
        var handed = streams.stream.makeAsyncIterator()
        let stream = try #require(await handed.next())
        let _: Page<Order> = try await shop.value { OrderAction.synchronizeOrders(siteID: 8, onCompletion: $0) }
        let _: Page<Order> = try await shop.value {
            OrderAction.synchronizeOrders(siteID: TestShop.siteID, onCompletion: $0)
        }
        let _: ElementList<OrderNote> = try await shop.value {
            OrderNoteAction.retrieveOrderNotes(siteID: TestShop.siteID, orderID: 3, onCompletion: $0)
        }
        var told = stream.makeAsyncIterator()
        #expect(await told.next()?.map(\.id) == [2])
        #expect(await told.next()?.map(\.id) == [3])
    }
}
