import Determinism
import Money
import Networking
import Settings
import Storage
import Testing

@testable import Yosemite

@Suite("Changing orders")
struct OrderChangeTests {
    private func setStatus(
        _ shop: TestShop, _ status: OrderStatusEnum, of id: Int64 = 5
    ) async throws(StoreError) -> Order {
        try await shop.value {
            OrderAction.updateOrderStatus(siteID: TestShop.siteID, orderID: id, status: status, onCompletion: $0)
        }
    }

    // MARK: Shown at once

    @Test("a new status is shown before the site responds, and then the response is stored")
    func optimistic() async throws {
        let gate = Turnstile()
        let shop = try TestShop { _ in
            await gate.pass()
            return .json(OrderJSON.order(5, status: "completed", modified: "2026-02-01T11:00:00"))
        }
        try shop.keep(OrderJSON.order(5, more: ["needs_payment": "true"]))
        let order = Task { try await setStatus(shop, .completed) }
        await gate.isReached()
        let shown = try #require(try shop.order(5))
        #expect(shown.status == .completed)
        #expect(!shown.isPaymentDue)
        gate.open()
        let stored = try await order.value
        #expect(try shop.order(5) == stored)
        #expect(shop.site.calls.map(\.body) == [#"{"status":"completed"}"#])
    }

    @Test("without optimistic updates the stored order stays until the site responds")
    func switchedOff() async throws {
        let gate = Turnstile()
        var features = FeatureOverrides()
        try features.add(environment: "-optimisticOrderUpdates")
        let shop = try TestShop(features: features) { _ in
            await gate.pass()
            return .json(OrderJSON.order(5, status: "completed", modified: "2026-02-01T11:00:00"))
        }
        let before = try shop.keep(OrderJSON.order(5))
        let order = Task { try await setStatus(shop, .completed) }
        await gate.isReached()
        #expect(try shop.order(5) == before)
        gate.open()
        _ = try await order.value
        #expect(try shop.order(5)?.status == .completed)
    }

    @Test("a rejected change is reverted to exactly the stored order", arguments: [400, 401, 403, 429])
    func refused(status: Int) async throws {
        let shop = try TestShop { _ in .refusal("rest_invalid_param", status: status) }
        let before = try shop.keep(
            OrderJSON.order(5, more: ["needs_payment": "true", "line_items": "[\(OrderJSON.item(1, product: 2))]"]))
        await #expect(throws: StoreError.self) { try await setStatus(shop, .completed) }
        #expect(try shop.order(5) == before)
    }

    @Test("a second change is not reverted to the preview of a rejected first one")
    func turns() async throws {
        let gate = Turnstile()
        let shop = try TestShop { call in
            await gate.pass()
            return .refusal("rest_invalid_param", status: 400)
        }
        let before = try shop.keep(OrderJSON.order(5))
        let first = Task { try await setStatus(shop, .processing) }
        await gate.isReached()
        let second = Task { try await setStatus(shop, .completed) }
        gate.open()
        await #expect(throws: StoreError.self) { try await first.value }
        await #expect(throws: StoreError.self) { try await second.value }
        #expect(try shop.order(5) == before)
    }

    @Test("an order received from the site in the meantime is not reverted")
    func meanwhile() async throws {
        let gate = Turnstile()
        let shop = try TestShop { _ in
            await gate.pass()
            return .refusal("rest_invalid_param", status: 400)
        }
        try shop.keep(OrderJSON.order(5))
        let order = Task { try await setStatus(shop, .completed) }
        await gate.isReached()
        let newer = try shop.keep(OrderJSON.order(5, status: "cancelled", modified: "2026-02-02T00:00:00"))
        gate.open()
        await #expect(throws: StoreError.self) { try await order.value }
        #expect(try shop.order(5) == newer)
    }

    @Test("an order that the site does not know is deleted")
    func unknown() async throws {
        let shop = try TestShop { _ in .refusal("woocommerce_rest_shop_order_invalid_id", status: 404) }
        try shop.keep(OrderJSON.order(5))
        await #expect(throws: StoreError.notFound(entity: "order", id: "5")) { try await setStatus(shop, .completed) }
        #expect(try shop.order(5) == nil)
    }

    // MARK: Lost answers

    @Test("a lost response is a success if the site made the change")
    func lostAndDone() async throws {
        let shop = try TestShop { call throws(NetworkError) in
            guard call.method == .get else { throw .lost }
            return .json(OrderJSON.order(5, status: "completed", modified: "2026-02-01T11:00:00"))
        }
        try shop.keep(OrderJSON.order(5))
        #expect(try await setStatus(shop, .completed).status == .completed)
        #expect(shop.site.calls.filter { $0.method == .post }.count == 1)
    }

    @Test("a lost response is a failure if the site did not make the change, and the site's order is stored")
    func lostAndNotDone() async throws {
        let shop = try TestShop { call throws(NetworkError) in
            guard call.method == .get else { throw .lost }
            return .json(OrderJSON.order(5, status: "on-hold", modified: "2026-02-01T11:00:00"))
        }
        try shop.keep(OrderJSON.order(5))
        await #expect(throws: StoreError.network(.lost)) { try await setStatus(shop, .completed) }
        #expect(try shop.order(5)?.status == .onHold)
    }

    @Test("after an unknown outcome nothing is reverted, and the order is fetched the next time")
    func lostForGood() async throws {
        let shop = try TestShop { _ throws(NetworkError) in throw .lost }
        try shop.keep(OrderJSON.order(5))
        await #expect(throws: StoreError.network(.lost)) { try await setStatus(shop, .completed) }
        #expect(try shop.order(5)?.status == .completed)
        // The date of change of an order that the site never touched is the same: it must not be trusted.
        shop.site.become { call in
            call.parameters["_fields"] == "date_modified_gmt"
                ? .json(#"{"date_modified_gmt":"2026-02-01T10:00:00"}"#) : .json(OrderJSON.order(5))
        }
        let order: Order = try await shop.value {
            OrderAction.retrieveOrder(siteID: TestShop.siteID, orderID: 5, onCompletion: $0)
        }
        #expect(order.status == .pending)
        #expect(try shop.order(5)?.status == .pending)
    }

    @Test("a synchronization fetches an order with an unknown outcome even if it is unchanged at the site")
    func doubtIsSettled() async throws {
        let shop = try TestShop { _ in .list([OrderJSON.order(5)], total: 1, pages: 1) }
        func synchronize() async throws(StoreError) -> SynchronizationReport {
            try await shop.value { OrderAction.synchronizeAllOrders(siteID: TestShop.siteID, onCompletion: $0) }
        }
        _ = try await synchronize()
        shop.site.become { _ throws(NetworkError) in throw .lost }
        await #expect(throws: StoreError.self) { try await setStatus(shop, .completed) }
        shop.site.become { call in
            call.id == nil ? .list([], total: 0, pages: 0) : .json(OrderJSON.order(5))
        }
        _ = try await synchronize()
        #expect(try shop.order(5)?.status == .pending)
    }

    // MARK: Fields

    @Test("only the chosen fields are sent", arguments: OrderUpdateField.allCases)
    func fields(field: OrderUpdateField) async throws {
        let shop = try TestShop { _ in .json(OrderJSON.order(5)) }
        let order = try shop.keep(
            OrderJSON.order(
                5,
                more: [
                    "line_items":
                        "[\(OrderJSON.item(1, product: 2)),\(OrderJSON.item(3, product: 4, more: ",\"bundled_by\":1"))]",
                    "fee_lines": "[\(OrderJSON.fee(8, "Wrap", total: "1.50"))]", "customer_id": "4",
                    "billing": #"{"first_name":"A","email":"a@example.com"}"#, "shipping": #"{"first_name":"B"}"#,
                ]))
        let _: Order = try await shop.value {
            OrderAction.updateOrder(order: order, fields: [field], onCompletion: $0)
        }
        let body = try #require(shop.site.calls.first?.body)
        let names: [OrderUpdateField: String] = [
            .customerNote: "customer_note", .shippingAddress: "shipping", .billingAddress: "billing",
            .fees: "fee_lines", .shippingLines: "shipping_lines", .couponLines: "coupon_lines", .items: "line_items",
            .status: "status", .customerID: "customer_id", .paymentMethodID: "payment_method",
            .paymentMethodTitle: "payment_method_title",
        ]
        #expect(body.hasPrefix("{\"\(try #require(names[field]))\":"))
        for (other, name) in names where other != field { #expect(!body.contains("\"\(name)\":"), "\(name)") }
        // A part of a bundle belongs to its line, and the store's plug-in.
        if field == .items {
            #expect(body.contains(#""product_id":2"#))
            #expect(!body.contains(#""product_id":4"#))
        }
    }

    @Test("a preview of fields is reverted when the site rejects them")
    func optimisticFields() async throws {
        let shop = try TestShop { _ in .refusal("rest_invalid_param", status: 400) }
        let before = try shop.keep(OrderJSON.order(5))
        await #expect(throws: StoreError.self) {
            let _: Order = try await shop.value {
                OrderAction.updateOrderOptimistically(
                    order: before.copy(customerNote: "Ring twice"), fields: [.customerNote], onCompletion: $0)
            }
        }
        #expect(try shop.order(5) == before)
    }

    @Test("an order of another site with the same number is unchanged")
    func otherSite() async throws {
        let shop = try TestShop { _ in .json(OrderJSON.order(5, status: "completed")) }
        let other = try shop.keep(OrderJSON.order(5), site: 8)
        _ = try await setStatus(shop, .completed)
        #expect(try shop.order(5, site: 8) == other)
    }

    // MARK: Gift cards

    @Test(
        "a rejected gift card is a typed error",
        arguments: [
            ("woocommerce_rest_gift_card_cannot_apply", GiftCardError.cannotApply("No.")),
            ("woocommerce_rest_gift_card_cannot_parse_data", GiftCardError.invalid("No.")),
        ])
    func giftCard(code: String, expected: GiftCardError) async throws {
        let shop = try TestShop { _ in .refusal(code, status: 400) }
        let order = try shop.keep(OrderJSON.order(5))
        await #expect(throws: StoreError.giftCard(expected)) {
            let _: Order = try await shop.value {
                OrderAction.updateOrder(order: order, giftCard: "ABCD", fields: [], onCompletion: $0)
            }
        }
    }

    @Test("a store without gift cards accepts the order without the card, and this is reported")
    func giftCardNotApplied() async throws {
        let shop = try TestShop { _ in .json(OrderJSON.order(5)) }
        let order = try shop.keep(OrderJSON.order(5))
        await #expect(throws: StoreError.giftCard(.notApplied(orderID: 5))) {
            let _: Order = try await shop.value {
                OrderAction.updateOrder(order: order, giftCard: "ABCD", fields: [], onCompletion: $0)
            }
        }
        #expect(shop.site.calls.first?.body == #"{"gift_cards":[{"code":"ABCD"}]}"#)
    }

    // MARK: Simple payments

    @Test("an e-mail address for the receipt leaves the rest of the billing address alone")
    func simplePayment() async throws {
        let shop = try TestShop { call in
            .json(OrderJSON.order(5, more: ["fee_lines": "[\(OrderJSON.fee(8, "Simple Payments", total: "12.50"))]"]))
        }
        try shop.keep(OrderJSON.order(5, more: ["billing": #"{"first_name":"Anna","city":"Bern"}"#]))
        let _: Order = try await shop.value {
            OrderAction.updateSimplePaymentsOrder(
                siteID: TestShop.siteID, orderID: 5, feeID: 8, status: .pending,
                amount: ExactDecimal(coefficient: 1250, scale: 2), isTaxed: false, orderNote: "thanks",
                email: "anna@example.com", onCompletion: $0)
        }
        let body = try #require(shop.site.calls.first?.body)
        for part in [
            #""first_name":"Anna""#, #""city":"Bern""#, #""email":"anna@example.com""#,
            #""fee_lines":[{"id":8,"name":"Simple Payments","total":"12.50","tax_status":"none"}]"#,
            #""customer_note":"thanks""#,
        ] {
            #expect(body.contains(part), "\(part)")
        }
    }

    // MARK: Locally

    @Test("an order that was paid here is marked as paid without a request")
    func paidLocally() async throws {
        let shop = try TestShop()
        try shop.keep(OrderJSON.order(5, more: ["needs_payment": "true"]))
        try shop.keep(OrderJSON.order(5), site: 8)
        let paid: Order = try await shop.value {
            OrderAction.markOrderAsPaidLocally(
                siteID: TestShop.siteID, orderID: 5, datePaid: shop.time.now(), onCompletion: $0)
        }
        #expect((paid.status, paid.datePaidGMT, paid.isPaymentDue) == (.processing, shop.time.now(), false))
        #expect(try shop.order(5) == paid)
        #expect(try shop.order(5, site: 8)?.status == .pending)
        #expect(shop.site.calls.isEmpty)
        await #expect(throws: StoreError.notFound(entity: "order", id: "6")) {
            let _: Order = try await shop.value {
                OrderAction.markOrderAsPaidLocally(
                    siteID: TestShop.siteID, orderID: 6, datePaid: shop.time.now(), onCompletion: $0)
            }
        }
    }
}
