import Determinism
import Money
import Networking
import TestDoubles
import Testing
import Text

/// Texts and amounts as real stores write them.
@Suite struct StoreTextTests {
    private func order(_ more: String) throws(NetworkError) -> Order {
        let bytes = Array(
            """
            {"id":7,"number":"7","status":"pending","currency":"EUR","order_key":"wc_order_7",
             "date_created_gmt":"2026-02-01T09:00:00","discount_total":"0.00","discount_tax":"0.00",
             "shipping_total":"0.00","shipping_tax":"0.00","total":"10.00","total_tax":"0.00","payment_method":"",
             "payment_method_title":""\(more)}
            """.utf8)
        return try ValueMapper(Order.self, context: DecodingContext(siteID: 1)).map(response: bytes, envelope: .none)
    }

    @Test func `names and notes of an order are plain text, whatever the store allows in them`() throws {
        let order = try order(
            """
            ,"customer_note":"Ring &amp; wait<br \\/>&#8211; twice","billing":{"company":"Caf&eacute; &quot;Zw&ouml;lf&quot;"},
            "line_items":[{"id":1,"name":"<strong>Tee<\\/strong> 3 < 5 &lt;fine&gt;","quantity":1,"subtotal":"10.00",
            "subtotal_tax":"0","total":"10.00","total_tax":"0","tax_class":"","taxes":[],
            "meta_data":[{"id":1,"key":"a&amp;b","display_key":"Gr&ouml;&szlig;e","value":"a&amp;b","display_value":"<p>L<\\/p>"}]}],
            "fee_lines":[{"id":2,"name":"Wrap &amp; card","tax_class":"","total":"0","total_tax":"0","taxes":[]}],
            "payment_url":"https:\\/\\/shop.example\\/?pay=1&amp;key=<b>"
            """)
        #expect(order.customerNote == "Ring & wait\n– twice")
        #expect(order.billing?.company == "Café \"Zwölf\"")
        let item = try #require(order.lineItems.first)
        #expect(item.name == "Tee 3 < 5 <fine>")
        #expect(item.metaData.first?.displayKey == "Größe")
        // Values of plug-ins can be anything, and addresses are for programs.
        #expect(item.metaData.first?.value == .text("a&amp;b"))
        #expect(order.feeLines.first?.name == "Wrap & card")
        #expect(order.paymentURL == "https://shop.example/?pay=1&amp;key=<b>")
    }

    @Test func `an error message of a store is plain text on one line`() async throws {
        let network = MockNetwork()
        network.simulate(
            "/orders",
            json:
                #"{"code":"woocommerce_rest_invalid_coupon","message":"Coupon &quot;x&quot; <br\/>isn&#8217;t here","data":{"status":400}}"#,
            status: 400)
        let client = SiteClient(
            network: network,
            credentials: .applicationPassword(
                ApplicationPassword(username: "u", password: Secret("p")), site: try WebAddress("https://shop.example/")
            ),
            time: VirtualTimeSource(), random: SeededRandomSource(seed: 1))
        let error = await #expect(throws: NetworkError.self) { try await OrdersRemote(client).loadOrders(siteID: 1) }
        guard case .service(let service) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(service.message == "Coupon \"x\"  isn’t here")
    }

    @Test(arguments: [
        ("722.1799999999998", "722.18"), ("\"722.1799999999998\"", "722.18"), ("1e2", "100"), ("10", "10"),
        ("\"10.00\"", "10.00"), ("-5.329070518201751e-15", "0"),
    ])
    func `an amount that the store has calculated loses the noise of the calculation`(total: String, read: String)
        throws
    {
        let fee = #"{"id":2,"name":"F","tax_class":"","total":\#(total),"total_tax":"0","taxes":[]}"#
        #expect(try order(",\"fee_lines\":[\(fee)]").feeLines.first?.total.description == read)
    }

    @Test func `an amount with more decimals than its currency stays as it is, and is no amount to pay`() throws {
        let fee = #"{"id":2,"name":"F","tax_class":"","total":12.345,"total_tax":"0","taxes":[]}"#
        let total = try #require(try order(",\"fee_lines\":[\(fee)]").feeLines.first?.total)
        #expect(total.description == "12.345")
        #expect(throws: MoneyError.tooManyDecimals("12.345", currency: "EUR", allowed: 2)) {
            try Money(total, currency: Currency(code: "EUR"))
        }
    }

    // MARK: Several ways to write one thing

    @Test func `a deleted refund is no refund`() throws {
        let refunds = #"[{"id":0,"reason":"","total":"-0.00"},{"id":9,"reason":"Late &amp; cold","total":"-1.00"}]"#
        #expect(try order(",\"refunds\":\(refunds)").refunds.map(\.id) == [9])
        #expect(try order(",\"refunds\":\(refunds)").refunds.first?.reason == "Late & cold")
    }

    @Test func `the telephone number of the shipping address can be in the metadata`() throws {
        let meta = #","meta_data":[{"id":1,"key":"_shipping_phone","value":"555 0100"}]"#
        #expect(try order(meta).shipping?.phone == "555 0100")
        #expect(try order(meta + #","shipping":{"city":"Graz","phone":""}"#).shipping?.city == "Graz")
        #expect(try order(meta + #","shipping":{"city":"Graz","phone":""}"#).shipping?.phone == "555 0100")
        #expect(try order(meta + #","shipping":{"phone":"555 0199"}"#).shipping?.phone == "555 0199")
        #expect(try order("").shipping == nil)
    }

    @Test func `a notification without a readable time is the oldest, and an unusable one loses no others`() throws {
        let notes = """
            {"last_seen_time":"1","number":5,"notes":[
             {"id":1,"note_hash":11,"read":false,"icon":null,"timestamp":1234,"url":999,"subject":[{"text":"a"}],"title":"3 Likes"},
             {"id":2,"note_hash":12,"type":"store_order","read":0,"noticon":42,"timestamp":null,"subject":[],"body":[{"text":""}]},
             {"id":"x","note_hash":13},null,
             {"id":5,"note_hash":15,"type":"comment","read":1,"timestamp":"2026-02-01T10:00:00+00:00"}]}
            """
        let list = try ListMapper(Note.self, in: "notes").map(response: Array(notes.utf8), envelope: .none)
        #expect(list.elements.map(\.id) == [1, 2, 5])
        #expect(list.elements.map(\.timestamp.milliseconds) == [0, 0, 1_769_940_000_000])
        #expect(list.rejected.map(\.path) == ["notes[2].id", "notes[3]"])
    }

    @Test(arguments: [
        (#""name":"T-Shirt - Red, L","parent_name":"T-Shirt""#, "T-Shirt - Red, L"),
        (#""name":"Red, L","parent_name":"T-Shirt &amp; Cap""#, "T-Shirt & Cap - Red, L"),
        (#""name":"","parent_name":"T-Shirt""#, "T-Shirt"), (#""name":"Tea","parent_name":null"#, "Tea"),
        (#""name":"Tea""#, "Tea"),
    ])
    func `a variation has the name of its product`(names: String, full: String) throws {
        let item =
            #"{"id":1,\#(names),"quantity":1,"subtotal":"1","subtotal_tax":"0","total":"1","total_tax":"0","taxes":[]}"#
        #expect(try order(",\"line_items\":[\(item)]").lineItems.first?.fullName == full)
    }

    @Test func `an order without a modification date was not modified since its creation`() throws {
        let modified = try order(#","date_modified_gmt":"2026-02-01T10:00:00""#)
        #expect(modified.dateModifiedGMT == Timestamp("2026-02-01T10:00:00Z"))
        for imported in [try order(#","date_modified_gmt":null"#), try order("")] {
            #expect(imported.dateModifiedGMT == Timestamp("2026-02-01T09:00:00Z"))
        }
    }
}
