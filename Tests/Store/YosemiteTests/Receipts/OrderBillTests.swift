import Money
import Networking
import Payments
import Receipts
import Storage
import Testing

@testable import Yosemite

/// From an order as its store writes it to the lines on paper.
@Suite struct OrderBillTests {
    /// The lines of an order's receipt between its title and its card.
    private func paper(
        _ order: String, locale: ReceiptLocale = .english, outcome: ReceiptContent.Outcome = .approved
    ) throws -> String {
        let fetched = try ValueMapper<OrderForPayment>(context: DecodingContext(siteID: 1)).map(
            response: Array(order.utf8))
        let amount = try fetched.order.amount()
        let bill = ReceiptBill(fetched.order, pricesIncludeTax: fetched.pricesIncludeTax, amount: amount)
        let content = ReceiptContent(
            kind: .sale, outcome: outcome,
            merchant: Merchant(name: "Corner Shop", merchantID: "M1", terminalID: "00000001"), payment: "P000001",
            orderID: 7, date: "2026-01-02 12:00:00", zone: "UTC+01:00", amount: amount.decimalText,
            approvedAmount: outcome == .approved ? amount.decimalText : "0", currency: amount.currency.code,
            breakdown: bill.breakdown, breakdownNote: bill.note, card: nil)
        var document = ReceiptDocument(content, copy: .customer)
        document.code = nil
        let text = PlainTextRenderer(width: 32).render(ReceiptComposer(locale: locale).compose(document))
        let parts = text.replacing("\u{A0}", with: " ").split(separator: "--------------------------------\n")
        return parts.dropFirst().joined(separator: "=\n").split(separator: "\n\n", maxSplits: 1).last.map {
            String($0.split(separator: "\n\n").first ?? "")
        } ?? ""
    }

    private func item(
        _ name: String, quantity: String = "1", subtotal: String, tax: String = "0", total: String? = nil,
        totalTax: String? = nil, meta: String = ""
    ) -> String {
        """
        {"id":1,"name":"\(name)","product_id":1,"variation_id":0,"quantity":\(quantity),"price":1,\
        "subtotal":"\(subtotal)","subtotal_tax":"\(tax)","total":"\(total ?? subtotal)",\
        "total_tax":"\(totalTax ?? tax)","tax_class":"","taxes":[],"meta_data":[\(meta)]}
        """
    }

    private func fee(_ name: String, _ total: String, tax: String = "0") -> String {
        """
        {"id":2,"name":"\(name)","tax_class":"","tax_status":"none","total":"\(total)","total_tax":"\(tax)","taxes":[]}
        """
    }

    private func shipping(_ name: String, _ total: String, tax: String = "0") -> String {
        """
        {"id":3,"method_title":"\(name)","method_id":"flat_rate","total":"\(total)","total_tax":"\(tax)","taxes":[]}
        """
    }

    private func rate(_ label: String, _ percent: String?, _ tax: String, shipping: String = "0") -> String {
        """
        {"id":4,"rate_code":"R","rate_id":1,"label":"\(label)","compound":false,"tax_total":"\(tax)",\
        "shipping_tax_total":"\(shipping)","rate_percent":\(percent ?? "null")}
        """
    }

    private func coupon(_ code: String, _ discount: String, tax: String = "0") -> String {
        """
        {"id":5,"code":"\(code)","discount":"\(discount)","discount_tax":"\(tax)"}
        """
    }

    private func order(_ total: String, currency: String = "USD", tax: String = "0", _ more: [String: String]) -> String
    {
        OrderJSON.order(
            7, total: "\"\(total)\"",
            more: ["currency": "\"\(currency)\"", "total_tax": "\"\(tax)\""].merging(more) { $1 })
    }

    // MARK: What stands there

    @Test func `items, a coupon, a fee, shipping, two taxes, and a tip add up to the amount`() throws {
        let text = try paper(
            order(
                "37.18", tax: "2.18",
                [
                    "line_items": "["
                        + item(
                            "Hoodie", quantity: "2", subtotal: "30.00", total: "27.00",
                            meta: #"{"id":1,"key":"size","value":"M","display_key":"Size","display_value":"M"}"#)
                        + "," + item("Cap", subtotal: "5.00", total: "4.50") + "]",
                    "coupon_lines": "[" + coupon("WELCOME10", "3.50") + "]",
                    "fee_lines": "[" + fee("Tip", "1.00") + "," + fee("Gift wrap", "0.50") + "]",
                    "shipping_lines": "[" + shipping("Flat rate", "2.00") + "]",
                    "tax_lines": "[" + rate("State", "6.25", "2.05", shipping: "0.03") + ","
                        + rate("City 0.5%", "0.5", "0.10") + "]",
                ]))
        #expect(
            text == """
                2 × Hoodie                $30.00
                  Size: M
                Cap                        $5.00
                =
                Subtotal                  $35.00
                Discount (WELCOME10)      -$3.50
                Fees (Gift wrap)           $0.50
                Shipping (Flat rate)       $2.00
                Tip                        $1.00
                Taxes (State 6.25%)        $2.08
                Taxes (City 0.5%)          $0.10
                TOTAL                     $37.18
                =
                """)
    }

    @Test func `prices that include taxes are shown with them, and the taxes are informational`() throws {
        let more = [
            "prices_include_tax": "true",
            "line_items": "[" + item("Tee", quantity: "2", subtotal: "16.81", tax: "3.19") + "]",
            "shipping_lines": "[" + shipping("DHL", "4.20", tax: "0.80") + "]",
            "tax_lines": "[" + rate("MwSt.", "19.0", "3.19", shipping: "0.80") + "]",
        ]
        let text = try paper(order("25.00", currency: "EUR", tax: "3.99", more), locale: .german)
        #expect(
            text == """
                2 × Tee                  20,00 €
                =
                Zwischensumme            20,00 €
                Versand (DHL)             5,00 €
                Enthaltene Steuern        3,99 €
                (MwSt. 19%)
                GESAMT                   25,00 €
                =
                """)
    }

    @Test func `prices with taxes that do not add up are shown without taxes`() throws {
        // Rounded by line, the prices with taxes come to 10.01.
        let text = try paper(
            order(
                "10.00", tax: "1.66",
                [
                    "prices_include_tax": "true",
                    "line_items": "[" + item("A", subtotal: "4.17", tax: "0.84") + ","
                        + item("B", subtotal: "4.17", tax: "0.83") + "]",
                    "tax_lines": "[" + rate("VAT", "20", "1.66") + "]",
                ]))
        #expect(text.contains("A                          $4.17\nB                          $4.17\n"))
        #expect(text.contains("Subtotal                   $8.34\nTaxes (VAT 20%)            $1.66\nTOTAL"))
    }

    @Test(arguments: [
        ("JPY", "1100", "1000", "100", "Tea                       ¥1,000", "TOTAL                     ¥1,100"),
        // A store with two decimals may write yen with them.
        ("JPY", "1100.00", "1000.00", "100.00", "Tea                       ¥1,000", "TOTAL                     ¥1,100"),
        ("KWD", "1.250", "1.125", "0.125", "Tea                    KWD 1.125", "TOTAL                  KWD 1.250"),
    ])
    func `a currency has its own number of digits`(
        currency: String, total: String, net: String, tax: String, first: String, last: String
    ) throws {
        let text = try paper(
            order(
                total, currency: currency, tax: tax,
                [
                    "line_items": "[" + item("Tea", subtotal: net) + "]",
                    "tax_lines": "[" + rate("VAT", nil, tax) + "]",
                ])
        )
        #expect(text.contains(first) && text.contains(last))
    }

    @Test func `two coupons have a line each, or one line if the store splits them differently`() throws {
        func text(_ second: String) throws -> String {
            try paper(
                order(
                    "7.00",
                    [
                        "line_items": "[" + item("Tea", subtotal: "10.00", total: "7.00") + "]",
                        "coupon_lines": "[" + coupon("A", "1.00") + "," + coupon("B", second) + "]",
                    ]))
        }
        #expect(try text("2.00").contains("Discount (A)              -$1.00\nDiscount (B)              -$2.00\n"))
        #expect(try text("2.50").contains("Discount (A, B)           -$3.00\n"))
    }

    @Test func `a negative fee and a gift card reduce the amount, and no gift card code is printed`()
        throws
    {
        let text = try paper(
            order(
                "3.00",
                [
                    "line_items": "[" + item("Tea", subtotal: "10.00") + "]",
                    "fee_lines": "[" + fee("Loyalty", "-2.00") + "]",
                    "gift_cards": #"[{"id":9,"code":"GIFT-SECRET-CODE","amount":5}]"#,
                ]))
        #expect(text.contains("Fees (Loyalty)            -$2.00\nGift card                 -$5.00\n"))
        #expect(!text.contains("SECRET"))
    }

    @Test(arguments: ["Tip", "TIP (10%)", "Gratuity", "Trinkgeld", "Propina 5%", "チップ代", "بقشيش"])
    func `a fee named like a tip is a tip`(name: String) throws {
        let text = try paper(
            order(
                "11.00",
                [
                    "line_items": "[" + item("Tea", subtotal: "10.00") + "]",
                    "fee_lines": "[" + fee(name, "1.00") + "]",
                ]))
        #expect(text.contains("Tip                        $1.00\n"))
    }

    @Test(arguments: ["Tipping point poster", "Multiple", "Stipend"])
    func `a fee with a similar name is a fee`(name: String) throws {
        let text = try paper(
            order(
                "11.00",
                [
                    "line_items": "[" + item("Tea", subtotal: "10.00") + "]",
                    "fee_lines": "[" + fee(name, "1.00") + "]",
                ]))
        #expect(text.contains("Fees"))
    }

    @Test func `fractions, tags, entities, and control characters become plain text`() throws {
        let text = try paper(
            order(
                "5.00",
                [
                    "line_items": "["
                        + item(
                            #"Ribbon &amp; <b>bow<\/b>\u001b[31m\n"#, quantity: "0.50", subtotal: "5.00",
                            meta:
                                #"{"id":1,"key":"pa_colour","value":"red","display_key":"Colour","display_value":"<p>Red<\/p>\n"},{"id":2,"key":"_hidden","value":"x"},{"id":3,"key":"parts","value":{"a":1}}"#
                        ) + "]"
                ]))
        #expect(text.hasPrefix("0.5 × Ribbon & bow[31m     $5.00\n  Colour: Red\n="))
        #expect(!text.contains("hidden") && !text.contains("parts"))
    }

    @Test func `the options of a variation are not listed again when they are in its name`() throws {
        let meta =
            #"{"id":1,"key":"pa_color","value":"red","display_key":"Color","display_value":"Red"},"#
            + #"{"id":2,"key":"pa_size","value":"l","display_key":"Size","display_value":"<p>L<\/p>"},"#
            + #"{"id":3,"key":"gift","value":"yes","display_key":"Gift wrap","display_value":"Yes"}"#
        let named = try paper(
            order("5.00", ["line_items": "[" + item("T-Shirt - Red, L", subtotal: "5.00", meta: meta) + "]"]))
        #expect(named.hasPrefix("T-Shirt - Red, L           $5.00\n  Gift wrap: Yes\n="))
        // With many options, WooCommerce leaves them out of the name.
        let plain = try paper(order("5.00", ["line_items": "[" + item("T-Shirt", subtotal: "5.00", meta: meta) + "]"]))
        #expect(plain.contains("  Color: Red\n  Size: L\n  Gift wrap: Yes\n="))
    }

    // MARK: What does not add up

    @Test(arguments: [
        [
            "line_items":
                #"[{"id":1,"name":"Tea","quantity":1,"subtotal":"9.00","subtotal_tax":"0","total":"9.00","total_tax":"0","tax_class":"","taxes":[],"meta_data":[]}]"#
        ],
        [
            "fee_lines":
                #"[{"id":2,"name":"F","tax_class":"","tax_status":"none","total":"99999999999999999999","total_tax":"0","taxes":[]}]"#
        ],
    ])
    func `an order that does not add up shows only its amount, and has a flag for programs`(more: [String: String])
        throws
    {
        let json = order("10.00", more)
        let fetched = try ValueMapper<OrderForPayment>(context: DecodingContext(siteID: 1)).map(
            response: Array(json.utf8))
        let bill = ReceiptBill(fetched.order, pricesIncludeTax: true, amount: try fetched.order.amount())
        #expect(bill == ReceiptBill(note: .doesNotAddUp))
        #expect(try paper(json).contains("TOTAL                     $10.00"))
        #expect(try !paper(json).contains("Tea"))
    }

    @Test func `ten thousand items are as many lines`() throws {
        let items = (1...10_000).map { item("Item \($0)", subtotal: "0.01") }.joined(separator: ",")
        let text = try paper(order("100.00", ["line_items": "[\(items)]"]))
        #expect(text.split(separator: "\n").count(where: { $0.hasPrefix("Item ") }) == 10_000)
        #expect(text.hasSuffix("TOTAL                    $100.00\n="))
    }
}
