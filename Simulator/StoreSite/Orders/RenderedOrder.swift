import Determinism
import Text

/// An order as JSON, with the position of every member, so that a selection of members can be copied.
struct RenderedOrder: Sendable {
    private let bytes: [UInt8]
    /// The end position of each member, in the order of ``names``.
    private let ends: [Int]

    /// Appends the selected members as an object.
    func append(to result: inout [UInt8], _ members: [Int]) {
        result.append(UInt8(ascii: "{"))
        var isFirst = true
        var index = 0
        while index < members.count {
            // Copy adjacent members together.
            var last = index
            while last + 1 < members.count, members[last + 1] == members[last] + 1 { last += 1 }
            let start = members[index] == 0 ? 1 : ends[members[index] - 1] + 1
            if !isFirst { result.append(UInt8(ascii: ",")) }
            result += bytes[start..<ends[members[last]]]
            (isFirst, index) = (false, last + 1)
        }
        result.append(UInt8(ascii: "}"))
    }

    /// Returns the indices of the selected members.
    static func members(_ choice: FieldChoice) -> [Int] { names.indices.filter { choice[names[$0]] != nil } }

    private static let names = [
        "id", "parent_id", "status", "currency", "version", "prices_include_tax", "date_created", "date_modified",
        "discount_total", "discount_tax", "shipping_total", "shipping_tax", "cart_tax", "total", "total_tax",
        "customer_id", "order_key", "billing", "shipping", "payment_method", "payment_method_title", "transaction_id",
        "customer_ip_address", "customer_user_agent", "created_via", "customer_note", "date_completed", "date_paid",
        "cart_hash", "number", "meta_data", "line_items", "tax_lines", "shipping_lines", "fee_lines", "coupon_lines",
        "refunds", "payment_url", "is_editable", "needs_payment", "needs_processing", "date_created_gmt",
        "date_modified_gmt", "date_completed_gmt", "date_paid_gmt", "currency_symbol", "gift_cards", "_links",
    ]

    init(_ order: StoredOrder, site: StoreIdentity, rates: [TaxRate], coupons: [Coupon]) {
        var writer = JSONWriter(capacity: 4096)
        func local(_ moment: Timestamp?) -> String? {
            moment.map { WordPressDate.text($0, offsetSeconds: site.offsetSeconds) }
        }
        let totals = order.totals
        writer.object { writer in
            writer.member("id", order.id)
            writer.member("parent_id", number: "0")
            writer.member("status", order.status.rawValue)
            writer.member("currency", order.currency)
            writer.member("version", StoreIdentity.wooVersion)
            writer.member("prices_include_tax", false)
            writer.member("date_created", orNull: local(order.created))
            writer.member("date_modified", orNull: local(order.modified))
            writer.member("discount_total", totals.discount)
            writer.member("discount_tax", totals.discountTax)
            writer.member("shipping_total", totals.shipping)
            writer.member("shipping_tax", totals.shippingTax)
            writer.member("cart_tax", totals.cartTax)
            writer.member("total", totals.total)
            writer.member("total_tax", totals.tax)
            writer.member("customer_id", order.customerID)
            writer.member("order_key", order.key)
            writer.member("billing", object: { order.billing.write(into: &$0, withEmail: true) })
            writer.member("shipping", object: { order.shipping.write(into: &$0, withEmail: false) })
            writer.member("payment_method", order.paymentMethod)
            writer.member("payment_method_title", order.paymentMethodTitle)
            writer.member("transaction_id", order.transactionID)
            writer.member("customer_ip_address", "")
            writer.member("customer_user_agent", "")
            writer.member("created_via", order.createdVia)
            writer.member("customer_note", order.customerNote)
            writer.member("date_completed", orNull: local(order.completed))
            writer.member("date_paid", orNull: local(order.paid))
            writer.member("cart_hash", "")
            writer.member("number", String(order.id))
            writer.member("meta_data", order.meta) { $0.write($1.node) }
            writer.member("line_items", order.items) { Self.write($1, of: order, into: &$0) }
            writer.member("tax_lines", totals.taxLines) { Self.write($1, rates, into: &$0) }
            writer.member("shipping_lines", order.shippingLines) { Self.write($1, into: &$0) }
            writer.member("fee_lines", order.fees) { Self.write($1, into: &$0) }
            writer.member("coupon_lines", order.coupons) { Self.write($1, coupons, into: &$0) }
            writer.member("refunds", order.refunds) { writer, refund in
                writer.object {
                    $0.member("id", refund.id)
                    $0.member("reason", refund.reason)
                    $0.member("total", -refund.amount)
                }
            }
            writer.member("payment_url", site.paymentAddress(order))
            writer.member("is_editable", order.isEditable)
            writer.member("needs_payment", order.needsPayment)
            writer.member("needs_processing", order.needsProcessing)
            writer.member("date_created_gmt", orNull: WordPressDate.text(order.created))
            writer.member("date_modified_gmt", orNull: WordPressDate.text(order.modified))
            writer.member("date_completed_gmt", orNull: order.completed.map { WordPressDate.text($0) })
            writer.member("date_paid_gmt", orNull: order.paid.map { WordPressDate.text($0) })
            writer.member("currency_symbol", StoreIdentity.symbol(order.currency))
            writer.member("gift_cards", order.giftCards) { writer, card in
                writer.object {
                    $0.member("id", card.id)
                    $0.member("code", card.code)
                    $0.member("amount", number: card.amount.number)
                }
            }
            writer.member("_links", node: site.links("wc/v3/orders/\(order.id)", collection: "wc/v3/orders"))
        }
        (bytes, ends) = (writer.bytes, writer.memberEnds)
    }

    private static func write(_ item: LineItem, of order: StoredOrder, into writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("id", item.id)
            writer.member("name", item.name)
            writer.member("product_id", item.productID)
            writer.member("variation_id", item.variationID)
            writer.member("quantity", item.quantity)
            writer.member("tax_class", item.taxClass)
            writer.member("subtotal", item.subtotal)
            writer.member("subtotal_tax", item.subtotalTax)
            writer.member("total", item.total)
            writer.member("total_tax", item.totalTax)
            writer.member("taxes", item.taxes) { writer, tax in
                writer.object {
                    $0.member("id", tax.rateID)
                    $0.member("total", tax.total.number)
                    $0.member("subtotal", tax.subtotal.number)
                }
            }
            writer.member("meta_data", node: [])
            writer.member("sku", item.sku)
            writer.member("price", number: item.total.numberEach(item.quantity))
            writer.member("image") {
                $0.member("id", "")
                $0.member("src", "")
            }
            writer.member("parent_name", orNull: nil)
            if let parent = item.bundledBy {
                writer.member("bundled_by", parent)
            } else {
                writer.member("bundled_by", "")
            }
            writer.member("bundled_item_title", "")
            writer.member("bundled_items", item.bundledItems) { $0.write(.integer($1)) }
        }
    }

    private static func write(_ line: SiteOrderTotals.TaxLine, _ rates: [TaxRate], into writer: inout JSONWriter) {
        let rate = rates.first { $0.id == line.rateID }
        writer.object { writer in
            writer.member("id", line.id)
            writer.member("rate_code", rate?.code ?? "")
            writer.member("rate_id", line.rateID)
            writer.member("label", rate?.name ?? "Tax")
            writer.member("compound", rate?.isCompound ?? false)
            writer.member("tax_total", line.tax)
            writer.member("shipping_tax_total", line.shippingTax)
            writer.member("rate_percent", number: Self.percent(rate?.rate ?? 0))
            writer.member("meta_data", node: [])
        }
    }

    /// Returns a percentage such as `8.875`.
    private static func percent(_ rate: Int64) -> String {
        var text = "\(rate / 10_000).\(Int(rate % 10_000).zeroPadded(to: 4))"[...]
        while text.hasSuffix("0") { text = text.dropLast() }
        return String(text.hasSuffix(".") ? text.dropLast() : text)
    }

    private static func write(_ line: ShippingCharge, into writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("id", line.id)
            writer.member("method_title", line.methodTitle)
            writer.member("method_id", line.methodID)
            writer.member("instance_id", "1")
            writer.member("total", line.total)
            writer.member("total_tax", line.totalTax)
            writer.member("taxes", line.taxes, Self.write)
            writer.member("meta_data", node: [])
        }
    }

    private static func write(_ fee: FeeLine, into writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("id", fee.id)
            writer.member("name", fee.name)
            writer.member("tax_class", fee.taxClass)
            writer.member("tax_status", fee.isTaxed ? "taxable" : "none")
            writer.member("amount", fee.total.number)
            writer.member("total", fee.total)
            writer.member("total_tax", fee.totalTax)
            writer.member("taxes", fee.taxes, Self.write)
            writer.member("meta_data", node: [])
        }
    }

    /// Writes the tax of fees and shipping, which have no coupons.
    private static func write(_ writer: inout JSONWriter, _ tax: ChargedTax) {
        writer.object {
            $0.member("id", tax.rateID)
            $0.member("total", tax.total.number)
            $0.member("subtotal", "")
        }
    }

    private static func write(_ use: CouponUse, _ coupons: [Coupon], into writer: inout JSONWriter) {
        let coupon = coupons.first { $0.code == use.code }
        writer.object { writer in
            writer.member("id", use.id)
            writer.member("code", use.code)
            writer.member("discount", use.discount)
            writer.member("discount_tax", use.discountTax)
            writer.member("meta_data", node: [])
            writer.member("discount_type", coupon?.type ?? "fixed_cart")
            if let coupon {
                writer.member("nominal_amount", number: coupon.discount.amount.number)
            }
            writer.member("free_shipping", coupon?.extras["free_shipping"] == true)
        }
    }
}
