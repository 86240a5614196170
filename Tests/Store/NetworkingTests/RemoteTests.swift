import Determinism
import Money
import Networking
import TestDoubles
import Testing
import Text

/// The requests of remotes, and their decoded responses.
struct RemoteTests {
    private let network = MockNetwork()
    private let sender: SiteClient

    init() throws {
        sender = SiteClient(
            network: network,
            credentials: .applicationPassword(
                ApplicationPassword(username: "u", password: Secret("p")), site: try WebAddress("https://shop.example")),
            retries: .never, time: VirtualTimeSource(), random: SeededRandomSource(seed: 1))
    }

    /// The query of the last request, decoded.
    private var query: String { network.requests.last?.address.query.map { PercentEncoding.decode($0) } ?? "" }

    private var body: String { String(decoding: network.requests.last?.body ?? [], as: UTF8.self) }

    private static let order = """
        {"id":7,"status":"on-hold","currency":"EUR","total":"33.30","total_tax":"0.65","discount_total":"0",
         "discount_tax":"0","shipping_total":"1","shipping_tax":"0","date_created_gmt":"2026-01-02T03:04:05",
         "billing":[],"line_items":[{"id":1,"name":"Hat","quantity":1.5,"price":17.647059,"sku":null,"subtotal":"26",
         "subtotal_tax":"0","total":"26","total_tax":"0","taxes":[{"id":"2","total":"","subtotal":"0.352941"}]}],
         "meta_data":[{"id":1,"key":"_charge_id","value":"ch_1"},{"id":2,"key":"gift","value":{"a":[1]}},
         {"id":3,"key":"_wc_order_attribution_source_type","value":"organic"}],"refunds":[{"id":9,"total":"-3.00"}]}
        """

    @Test func `orders are read exactly, page by page`() async throws {
        network.simulate(
            "/wc/v3/orders", json: "[\(Self.order),{\"id\":8}]", headers: ["X-WP-Total": "40", "X-WP-TotalPages": "2"])
        let filter = OrderFilter(
            statuses: [.pending, .custom("at-the-till")], after: Timestamp(milliseconds: 1_767_355_200_999))
        let page = try await OrdersRemote(sender).loadOrders(
            siteID: 5, filter: filter, page: PageRequest(number: 1, size: 20))
        let order = try #require(page.elements.first)
        #expect(order.siteID == 5)
        #expect(order.status == .onHold)
        #expect(try order.amount() == Money(minorUnits: 3330, currency: Currency(code: "EUR")))
        #expect(order.lineItems.first?.price?.description == "17.647059")
        #expect(order.lineItems.first?.quantity == ExactDecimal("1.5"))
        #expect(order.lineItems.first?.taxes.first?.total == nil)
        #expect(order.chargeID == "ch_1")
        #expect(order.customFields.map(\.key) == ["gift"])
        #expect(order.attribution?.sourceType == "organic")
        #expect(order.refunds.first?.total.isNegative == true)
        #expect(order.billing == nil)
        #expect(page.list.rejected.map(\.path) == ["[1].status"])
        #expect(page.total == 40)
        #expect(page.hasNext)
        for part in [
            "status=pending,at-the-till", "after=2026-01-02T12:00:00", "dates_are_gmt=true", "per_page=20", "page=1",
        ] {
            #expect(query.contains(part), "\(query)")
        }
    }

    @Test func `without headers a full page has a next one`() async throws {
        network.simulate(
            "/wc/v3/taxes", json: "[{\"id\":1,\"rate\":\"4.0000\",\"priority\":0,\"order\":1,\"class\":\"standard\"}]")
        let remote = TaxRemote(sender)
        #expect(try await remote.loadTaxRates(siteID: 5, page: PageRequest(size: 1)).hasNext)
        let page = try await remote.loadTaxRates(siteID: 5, page: PageRequest(size: 2))
        #expect(!page.hasNext)
        #expect(page.elements.first?.rate.description == "4.0000")
    }

    @Test func `only the set properties of an order are sent`() async throws {
        network.simulate("/wc/v3/orders", json: Self.order, status: 201)
        let changes = OrderChanges(
            status: .pending, items: [.init(productID: 3, quantity: ExactDecimal(coefficient: 2))],
            fees: [.init(name: "Tip", total: ExactDecimal(coefficient: 150, scale: 2), isTaxed: false)])
        _ = try await OrdersRemote(sender).createOrder(siteID: 5, changes, idempotencyKey: "k")
        #expect(
            body
                == #"{"status":"pending","line_items":[{"product_id":3,"quantity":2}],"fee_lines":[{"name":"Tip","total":"1.50","tax_status":"none"}]}"#
        )
        #expect(network.requests.last?.headers["Idempotency-Key"] == "k")
    }

    @Test func `an order is deleted with DELETE, and a note belongs to its order`() async throws {
        network.simulate("/wc/v3/orders/7", json: Self.order)
        network.simulate("/orders/7/notes", json: #"{"id":2,"note":"paid","customer_note":false,"author":"me"}"#)
        _ = try await OrdersRemote(sender).deleteOrder(siteID: 5, orderID: 7, force: true)
        #expect(network.requests.last?.method == .delete)
        #expect(query.hasSuffix("force=true"))
        let note = try await OrdersRemote(sender).addOrderNote(
            siteID: 5, orderID: 7, isCustomerNote: false, note: "paid")
        #expect(note.orderID == 7)
        #expect(note.siteID == 5)
        #expect(body == #"{"note":"paid","customer_note":false,"added_by_user":true}"#)
    }

    @Test func `a refund names itself and its lines, and no gateway gives money back`() async throws {
        network.simulate("/orders/7/refunds", json: Self.refund, status: 201)
        let draft = RefundDraft(
            amount: try #require(ExactDecimal("5.00")), reason: "Broken",
            lines: [
                RefundDraft.Line(
                    id: 31, quantity: 1, total: try #require(ExactDecimal("4.62")),
                    taxes: [2: try #require(ExactDecimal("0.38"))])
            ], name: "re_1")
        let refund = try await RefundsRemote(sender).createRefund(siteID: 5, orderID: 7, draft)
        #expect(
            body == #"{"amount":"5.00","reason":"Broken","api_refund":false,"line_items":[{"id":31,"quantity":1,"#
                + #""refund_total":"4.62","refund_tax":[{"id":2,"refund_total":"0.38"}]}],"#
                + #""meta_data":[{"key":"_cardpresent_refund_id","value":"re_1"}]}"#)
        #expect((refund.siteID, refund.orderID, refund.id) == (5, 7, 9))
        #expect(try refund.amount(in: Currency(code: "EUR")) == Money(minorUnits: 500, currency: Currency(code: "EUR")))
        #expect(refund.refundedPayment == false)
        #expect(refund.lineItems.map(\.refundedItemID) == [31])
        #expect(refund.lineItems.first?.total.description == "-4.62")
    }

    private static let refund = """
        {"id":9,"parent_id":7,"date_created_gmt":"2026-01-02T03:04:05","amount":"5.00","reason":"Broken (re_1).",
         "refunded_by":1,"refunded_payment":false,"meta_data":[],"line_items":[{"id":40,"name":"Hat","product_id":3,
         "variation_id":0,"quantity":-1,"tax_class":"","subtotal":"-4.62","subtotal_tax":"-0.38","total":"-4.62",
         "total_tax":"-0.38","taxes":[{"id":2,"total":"-0.38","subtotal":"-0.38"}],"sku":"","price":4.62,
         "meta_data":[{"id":50,"key":"_refunded_item_id","value":"31"}]}],"shipping_lines":[],"tax_lines":[]}
        """

    @Test func `a refund without metadata is recognized by its reason`() async throws {
        network.simulate("/orders/7/refunds", json: "[\(Self.refund)]")
        let page = try await RefundsRemote(sender).loadRefunds(
            siteID: 5, orderID: 7, refundIDs: [9], page: PageRequest(size: 100))
        #expect(query.contains("include=9"))
        let refund = try #require(page.elements.first)
        #expect(refund.isNamed("re_1"))
        #expect(!refund.isNamed("re_12"))
        #expect(!refund.isNamed("re"))
    }

    @Test func `a payment is captured at each gateway's own path`() async throws {
        network.simulate("/capture_terminal_payment", json: #"{"id":"pi_1","status":"succeeded"}"#)
        let first = try await WCPayRemote(sender).captureOrderPayment(
            siteID: 5, orderID: 7, paymentIntentID: "pi_1", idempotencyKey: "k")
        #expect(first.status == .succeeded)
        #expect(query == "rest_route=/wc/v3/payments/orders/7/capture_terminal_payment")
        _ = try await StripeRemote(sender).captureOrderPayment(
            siteID: 5, orderID: 7, paymentIntentID: "pi_1", idempotencyKey: "k")
        #expect(query == "rest_route=/wc/v3/wc_stripe/orders/7/capture_terminal_payment")
        #expect(body == #"{"_fields":"id,status","payment_intent_id":"pi_1"}"#)
    }

    @Test func `a capture error keeps the server's code and message`() async throws {
        network.simulate(
            "/capture_terminal_payment",
            json: #"{"code":"wcpay_capture_error","message":"Already captured","data":{"status":502}}"#, status: 502)
        await #expect(
            throws: NetworkError.service(
                ServiceError(status: 502, code: "wcpay_capture_error", message: "Already captured"))
        ) {
            try await WCPayRemote(sender).captureOrderPayment(
                siteID: 5, orderID: 7, paymentIntentID: "pi_1", idempotencyKey: "k")
        }
    }

    @Test func `a missing account is not an error`() async throws {
        network.simulate("payments/accounts", json: "[]")
        #expect(try await WCPayRemote(sender).loadAccount(siteID: 5) == nil)
        network.simulate(
            "account/summary",
            json: #"{"status":"restricted_soon","is_live":null,"country":"US","store_currencies":{"default":"usd"}}"#)
        let account = try await StripeRemote(sender).loadAccount(siteID: 5)
        #expect(account?.status == .restrictedSoon)
        network.removeAllAnswers()
        network.simulate("payments/accounts", json: #"{"beep":{}}"#)
        await #expect(throws: NetworkError.undecodable(DecodingFailure(.missing, at: "status"))) {
            try await WCPayRemote(sender).loadAccount(siteID: 5)
        }
    }

    @Test func `a connection token does not print its secret`() async throws {
        network.simulate("connection_tokens", json: #"{"secret":"canary","test_mode":true}"#)
        let token = try await WCPayRemote(sender).loadConnectionToken(siteID: 5)
        #expect(token.secret.revealed() == "canary")
        #expect(!"\(token)".contains("canary"))
    }

    @Test func `carriers are grouped by country`() async throws {
        network.simulate(
            "shipment-trackings/providers", json: #"{"Austria":{"post.at":"https://a/%1$s"},"Nowhere":[]}"#)
        let groups = try await ShipmentsRemote(sender).loadProviders(siteID: 5, orderID: 7)
        #expect(groups.map(\.name) == ["Austria", "Nowhere"])
        #expect(groups.first?.providers.first?.url == "https://a/%1$s")
    }

    @Test func `an unknown setting is an error with its path`() async throws {
        network.simulate("woocommerce_tax_based_on", json: #"{"id":"x","value":"moon"}"#)
        await #expect(throws: NetworkError.undecodable(DecodingFailure(.invalid("a valid TaxBasedOn"), at: "value"))) {
            try await SiteSettingsRemote(sender).loadTaxBasedOn(siteID: 5)
        }
    }

    @Test func `a report is read in the store's own time`() async throws {
        network.simulate(
            "reports/revenue/stats",
            json: """
                {"totals":{"orders_count":3,"num_items_sold":5,"total_sales":800.10,"net_revenue":800},"intervals":[
                 {"interval":"2019-07-09","date_start":"2019-07-09 00:00:00","date_end":"2019-07-09 23:59:59",
                  "subtotals":{"orders_count":3,"num_items_sold":5,"total_sales":800.10,"net_revenue":800}}]}
                """)
        let stats = try await OrderStatsRemoteV4(sender).loadOrderStats(
            siteID: 5,
            .init(
                interval: .day, earliest: CivilDate(year: 2019, month: 7, day: 9),
                latest: CivilDate(year: 2019, month: 7, day: 9, hour: 23, minute: 59, second: 59), quantity: 1))
        #expect(stats.totals.totalSales.description == "800.10")
        #expect(stats.intervals.first?.dateEnd.hour == 23)
        #expect(query.contains("after=2019-07-09T00:00:00&before=2019-07-09T23:59:59&per_page=1"))
    }
}
