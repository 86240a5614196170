import Determinism
import Money
import Networking
import Storage
import Testing

@testable import Yosemite

@Suite("Creating and deleting orders")
struct OrderCreationTests {
    private let key = OrderCreationKey(random: SeededRandomSource(seed: 3))

    private func create(
        _ shop: TestShop, _ order: OrderChanges = OrderChanges(status: .pending)
    ) async throws(StoreError) -> Order {
        try await shop.value {
            OrderAction.createOrder(siteID: TestShop.siteID, order: order, key: key, onCompletion: $0)
        }
    }

    private func keyed(_ id: Int64) -> String {
        OrderJSON.order(
            id, more: ["meta_data": #"[{"id":1,"key":"_cardpresent_key","value":"\#(key)"}]"#])
    }

    // MARK: Creating

    @Test("a created order contains its key and is stored")
    func created() async throws {
        let shop = try TestShop { _ in .json(OrderJSON.order(5), status: 201) }
        let items = [OrderChanges.Item(productID: 3, quantity: ExactDecimal(coefficient: 2))]
        #expect(try await create(shop, OrderChanges(status: .pending, items: items)).id == 5)
        #expect(try shop.orderIDs() == [5])
        let body = try #require(shop.site.calls.first?.body)
        #expect(body.contains(#"{"key":"_cardpresent_key","value":"\#(key)"}"#))
        #expect(body.contains(#"{"key":"_wc_order_attribution_source_type","value":"mobile_app"}"#))
        #expect(key.description.utf8.count == 32)
    }

    @Test("after a lost response the order is found by its key and was created once")
    func foundAgain() async throws {
        let keyed = keyed(6)
        let shop = try TestShop { call throws(NetworkError) in
            guard call.method == .get else { throw .lost }
            return .list([OrderJSON.order(7), keyed, OrderJSON.order(5)])
        }
        #expect(try await create(shop).id == 6)
        #expect(shop.site.calls.filter { $0.method == .post }.count == 1)
        #expect(try shop.orderIDs() == [6])
    }

    @Test("a slow site is queried once more")
    func foundLater() async throws {
        let keyed = keyed(6)
        let looks = Counter()
        let shop = try TestShop { call throws(NetworkError) in
            guard call.method == .get else { throw .timedOut(host: "shop.example", wasSent: true) }
            return looks.next() == 1 ? .list([]) : .list([keyed])
        }
        #expect(try await create(shop).id == 6)
    }

    @Test("an order that is not found is an unknown outcome, and nothing is created again")
    func notFound() async throws {
        let shop = try TestShop { call throws(NetworkError) in
            guard call.method == .get else { throw .lost }
            return .list([OrderJSON.order(7)])
        }
        let error = await #expect(throws: StoreError.self) { try await create(shop) }
        guard case .network(let network) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(network.mayHaveTakenEffect)
        #expect(shop.site.calls.filter { $0.method == .post }.count == 1)
        #expect(try shop.orderIDs().isEmpty)
    }

    @Test("a rejected order is not searched for")
    func refused() async throws {
        let shop = try TestShop { _ in .refusal("woocommerce_rest_invalid_coupon", status: 400) }
        await #expect(throws: StoreError.self) { try await create(shop) }
        #expect(shop.site.calls.count == 1)
    }

    @Test("an order that was created without its gift card is stored, and the error names it")
    func giftCard() async throws {
        let shop = try TestShop { _ in .json(OrderJSON.order(5)) }
        await #expect(throws: StoreError.giftCard(.notApplied(orderID: 5))) {
            try await create(shop, OrderChanges(giftCard: "ABCD"))
        }
        #expect(try shop.orderIDs() == [5])
        let applied = try TestShop { _ in
            .json(OrderJSON.order(5, more: ["gift_cards": #"[{"id":1,"code":"abcd","amount":"5.00"}]"#]))
        }
        #expect(try await create(applied, OrderChanges(giftCard: "ABCD")).id == 5)
    }

    @Test("an amount without goods is an order with one fee, exact to the last digit")
    func simplePayment() async throws {
        let shop = try TestShop { _ in .json(OrderJSON.order(5)) }
        let _: Order = try await shop.value {
            OrderAction.createSimplePaymentsOrder(
                siteID: TestShop.siteID, status: .pending, amount: ExactDecimal(coefficient: 10_10, scale: 2),
                isTaxed: true, key: key, onCompletion: $0)
        }
        let body = try #require(shop.site.calls.first?.body)
        #expect(body.contains(#""fee_lines":[{"name":"Simple Payments","total":"10.10","tax_status":"taxable"}]"#))
    }

    // MARK: Deleting

    private func delete(_ shop: TestShop, isPermanent: Bool = false) async throws(StoreError) {
        try await shop.value {
            OrderAction.deleteOrder(
                siteID: TestShop.siteID, orderID: 5, isPermanent: isPermanent, onCompletion: $0)
        }
    }

    private func keepWithNote(_ shop: TestShop) throws -> Order {
        try shop.save([
            OrderNote(
                siteID: TestShop.siteID, orderID: 5, id: 1, dateCreatedGMT: nil, note: "x", customerNote: false,
                author: "")
        ])
        try shop.save([
            SearchResult(siteID: TestShop.siteID, entity: "order", keyword: "x", position: 0, elementID: 5)
        ])
        return try shop.keep(OrderJSON.order(5, more: ["line_items": "[\(OrderJSON.item(1, product: 2))]"]))
    }

    @Test("a deleted order is hidden at once, and the site gets the kind of deletion", arguments: [true, false])
    func deleted(isPermanent: Bool) async throws {
        let gate = Turnstile()
        let shop = try TestShop { _ in
            await gate.pass()
            return .json(OrderJSON.order(5, status: "trash"))
        }
        _ = try keepWithNote(shop)
        let end = Task { try await delete(shop, isPermanent: isPermanent) }
        await gate.isReached()
        #expect(try shop.order(5) == nil)
        gate.open()
        try await end.value
        #expect(try shop.order(5) == nil)
        #expect(try shop.models(OrderNote.self).isEmpty)
        #expect(shop.site.calls.map(\.method) == [.delete])
        #expect(shop.site.calls.map { $0.parameters["force"] } == [String(isPermanent)])
    }

    @Test("when the site rejects the deletion, the order is restored with its notes")
    func notDeleted() async throws {
        let shop = try TestShop { _ in .refusal("woocommerce_rest_cannot_delete", status: 403) }
        let before = try keepWithNote(shop)
        await #expect(throws: StoreError.self) { try await delete(shop) }
        #expect(try shop.order(5) == before)
        #expect(try shop.models(OrderNote.self).count == 1)
        #expect(try shop.models(SearchResult.self).count == 1)
    }

    @Test("deleting a deleted order succeeds")
    func deletedBefore() async throws {
        let shop = try TestShop { _ in .refusal("woocommerce_rest_already_trashed", status: 410) }
        _ = try keepWithNote(shop)
        try await delete(shop)
        #expect(try shop.order(5) == nil)
    }

    @Test("an order that is neither stored nor at the site is not found")
    func deletesNothing() async throws {
        let shop = try TestShop { _ in .refusal("woocommerce_rest_shop_order_invalid_id", status: 404) }
        await #expect(throws: StoreError.notFound(entity: "order", id: "5")) { try await delete(shop) }
    }

    @Test("after a lost response the site is queried for the order", arguments: ["trash", nil])
    func deletionLost(status: String?) async throws {
        let shop = try TestShop { call throws(NetworkError) in
            guard call.method == .get else { throw .lost }
            guard let status else { return .refusal("woocommerce_rest_shop_order_invalid_id", status: 404) }
            return .json(OrderJSON.order(5, status: status))
        }
        _ = try keepWithNote(shop)
        try await delete(shop)
        #expect(try shop.order(5) == nil)
    }

    @Test("after a lost response the order is restored if the site still has it")
    func deletionDidNothing() async throws {
        let shop = try TestShop { call throws(NetworkError) in
            guard call.method == .get else { throw .lost }
            return .json(OrderJSON.order(5, status: "on-hold"))
        }
        _ = try keepWithNote(shop)
        await #expect(throws: StoreError.network(.lost)) { try await delete(shop) }
        #expect(try shop.order(5)?.status == .onHold)
        #expect(try shop.models(OrderNote.self).count == 1)
    }
}
