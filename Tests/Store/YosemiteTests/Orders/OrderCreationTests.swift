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
        let shop = try TestShop { call in
            call.method == .get ? .json(#"{"id":3}"#) : .json(OrderJSON.order(5), status: 201)
        }
        let items = [OrderChanges.Item(productID: 3, quantity: ExactDecimal(coefficient: 2))]
        #expect(try await create(shop, OrderChanges(status: .pending, items: items)).id == 5)
        #expect(try shop.orderIDs() == [5])
        #expect(shop.site.calls.map(\.route) == ["wc/v3/products/3", "wc/v3/orders"])
        let body = try #require(shop.site.calls.last?.body)
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

    @Test("an order that WordPress rejects is not searched for")
    func refused() async throws {
        let shop = try TestShop { _ in .refusal("rest_invalid_param", status: 400) }
        await #expect(throws: StoreError.self) { try await create(shop) }
        #expect(shop.site.calls.count == 1)
    }

    // MARK: What a store leaves behind

    @Test("an unknown product is reported before anything is created")
    func unknownProduct() async throws {
        let shop = try TestShop { call in
            call.route == "wc/v3/products/4"
                ? .refusal("woocommerce_rest_product_invalid_id", status: 404) : .json(#"{"id":3}"#)
        }
        let items = [3, 3, 4].map { OrderChanges.Item(productID: $0, quantity: ExactDecimal(coefficient: 1)) }
        await #expect(throws: StoreError.notFound(entity: "product", id: "4")) {
            try await create(shop, OrderChanges(items: items))
        }
        #expect(shop.site.calls.map(\.route) == ["wc/v3/products/3", "wc/v3/products/4"])
    }

    @Test("an unknown coupon is reported before anything is created")
    func unknownCoupon() async throws {
        let shop = try TestShop { call in
            .list(call.parameters["code"] == "a&b" ? [#"{"id":1}"#] : [])
        }
        await #expect(throws: StoreError.notFound(entity: "coupon", id: "nope")) {
            try await create(shop, OrderChanges(coupons: ["a&b", "nope"]))
        }
        #expect(shop.site.calls.allSatisfy { $0.route == "wc/v3/coupons" })
    }

    @Test("a store that doesn't allow to look up products and coupons still gets the order")
    func hiddenCatalog() async throws {
        let shop = try TestShop { call in
            call.method == .get
                ? .refusal("woocommerce_rest_cannot_view", status: 403) : .json(OrderJSON.order(5), status: 201)
        }
        let items = [OrderChanges.Item(productID: 3, quantity: ExactDecimal(coefficient: 1))]
        #expect(try await create(shop, OrderChanges(items: items, coupons: ["x"])).id == 5)
    }

    @Test("an unreachable store gets no order")
    func unreachable() async throws {
        let shop = try TestShop { _ throws(NetworkError) in throw .unreachable }
        let items = [OrderChanges.Item(productID: 3, quantity: ExactDecimal(coefficient: 1))]
        await #expect(throws: StoreError.network(.unreachable)) { try await create(shop, OrderChanges(items: items)) }
        #expect(shop.site.calls.allSatisfy { $0.method == .get })
    }

    @Test("the draft that a store keeps of a rejected order is deleted", arguments: ["any", "auto-draft"])
    func draft(status: String) async throws {
        let draft = keyed(6)
        let shop = try TestShop { call in
            switch call.method {
            case .post: .refusal("woocommerce_rest_invalid_coupon", status: 400)
            case .get: .list(call.parameters["status"] == status ? [OrderJSON.order(7), draft] : [OrderJSON.order(7)])
            default: .json(draft)
            }
        }
        let error = await #expect(throws: StoreError.self) { try await create(shop) }
        guard case .network(.service(let service)) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(service.code == "woocommerce_rest_invalid_coupon")
        let deletions = shop.site.calls.filter { $0.method == .delete }
        #expect(deletions.map(\.route) == ["wc/v3/orders/6"])
        #expect(deletions.first?.parameters["force"] == "true" || deletions.first?.body.contains("true") == true)
        #expect(try shop.orderIDs().isEmpty)
    }

    @Test("a draft that can't be deleted is named")
    func draftLeft() async throws {
        let draft = keyed(6)
        let shop = try TestShop { call in
            call.method == .get ? .list([draft]) : .refusal("woocommerce_rest_invalid_coupon", status: 400)
        }
        let error = await #expect(throws: StoreError.self) { try await create(shop) }
        guard case .orderLeft(orderID: 6, because: _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test("an order with a line without a product is deleted, and the product is named")
    func emptyLine() async throws {
        let line =
            #"{"id":1,"name":"","product_id":0,"quantity":1,"subtotal":"0","subtotal_tax":"0","total":"0","total_tax":"0","taxes":[]}"#
        let created = OrderJSON.order(5, more: ["line_items": "[\(OrderJSON.item(2, product: 3)),\(line)]"])
        let shop = try TestShop { call in
            call.method == .get ? .refusal("rest_no_route", status: 404) : .json(created)
        }
        let items = [3, 4].map { OrderChanges.Item(productID: $0, quantity: ExactDecimal(coefficient: 1)) }
        await #expect(throws: StoreError.notFound(entity: "product", id: "4")) {
            try await create(shop, OrderChanges(items: items))
        }
        #expect(shop.site.calls.last?.method == .delete)
        #expect(try shop.orderIDs().isEmpty)
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
