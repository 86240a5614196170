internal import Amounts
internal import Networking
internal import Yosemite

/// An order with everything about it, as JSON and for people. Amounts are decimals as the store writes them.
struct OrderDetailView: Encodable, Sendable {
    struct Item: Encodable, Sendable {
        var id: Int64
        var name: String
        @Nullable var product: Int64? = nil
        @Nullable var variation: Int64? = nil
        @Nullable var sku: String? = nil
        var quantity: String
        /// Before discounts and taxes.
        var subtotal: String
        /// After discounts, before taxes.
        var total: String
        var tax: String
        /// The line that this one is a part of.
        @Nullable var partOf: Int64? = nil
    }

    /// A fee, a way of sending, a coupon, a tax, a gift card or a refund.
    struct Line: Encodable, Sendable {
        var id: Int64
        var name: String
        var total: String
        @Nullable var tax: String? = nil
    }

    struct Totals: Encodable, Sendable {
        var discount: String
        var shipping: String
        var tax: String
        var total: String
    }

    var order: OrderView
    var lines: [Item]
    var fees: [Line]
    var shippingLines: [Line]
    var coupons: [Line]
    var taxes: [Line]
    var giftCards: [Line]
    var refunds: [Line]
    var totals: Totals
    @Nullable var billing: AddressView? = nil
    @Nullable var shipping: AddressView? = nil
    var customerNote: String
    var paymentMethodTitle: String
    @Nullable var transactionID: String? = nil
    var notes: [OrderNoteView]
    /// Those that this till took.
    var payments: [PaymentView]
    private let amountText: String
    private let paymentLines: String

    private enum CodingKeys: String, CodingKey {
        case order, lines, fees, shippingLines, coupons, taxes, giftCards, refunds, totals, billing, shipping
        case customerNote, paymentMethodTitle, transactionID, notes, payments
    }

    init(_ order: Order, notes: [OrderNote] = [], payments: [Yosemite.Payment] = []) {
        self.order = OrderView(order)
        lines = order.lineItems.map { item in
            Item(
                id: item.id, name: item.name, product: item.productID, variation: item.variationID, sku: item.sku,
                quantity: item.quantity.description, subtotal: item.subtotal.description,
                total: item.total.description, tax: item.totalTax.description, partOf: item.parent)
        }
        fees = order.feeLines.map {
            Line(id: $0.id, name: $0.name, total: $0.total.description, tax: $0.totalTax.description)
        }
        shippingLines = order.shippingLines.map {
            Line(id: $0.id, name: $0.methodTitle, total: $0.total.description, tax: $0.totalTax.description)
        }
        coupons = order.couponLines.map {
            Line(id: $0.id, name: $0.code, total: $0.discount.description, tax: $0.discountTax.description)
        }
        taxes = order.taxLines.map { Line(id: $0.id, name: $0.label, total: $0.taxTotal.description) }
        giftCards = order.giftCards.map { Line(id: $0.id, name: $0.code, total: $0.amount.description) }
        refunds = order.refunds.map { Line(id: $0.id, name: $0.reason ?? "", total: $0.total.description) }
        totals = Totals(
            discount: order.discountTotal.description, shipping: order.shippingTotal.description,
            tax: order.totalTax.description, total: order.total.description)
        (billing, shipping) = (AddressView(order.billing), AddressView(order.shipping))
        (customerNote, paymentMethodTitle) = (order.customerNote, order.paymentMethodTitle)
        transactionID = order.transactionID.flatMap { $0.isEmpty ? nil : $0 }
        self.notes = notes.map(OrderNoteView.init)
        self.payments = payments.map(PaymentView.init)
        amountText = order.amountText
        paymentLines = PaymentTable.text(payments)
    }

    var text: String {
        let number = order.number == String(order.id) ? "" : ", number \(order.number.harmless)"
        var text = "#\(order.id)\(number)  \(amountText)  \(order.status.harmless)\n"
        func add(_ name: String, _ value: String?) {
            if let value, !value.isEmpty { text += "  " + name.padded(to: 14) + value + "\n" }
        }
        add("created", order.createdAt)
        add("paid", order.paidAt ?? (order.isPaymentDue ? "no" : nil))
        add("method", paymentMethodTitle.harmless)
        add("customer", order.customer.map(String.init))
        add("billed to", billing?.text)
        add("sent to", shipping?.text)
        add("customer says", customerNote.harmless)
        for line in lines {
            text += row(
                (line.partOf == nil ? "" : "  ") + "\(line.quantity) x " + line.name, line.subtotal, line.sku ?? "")
        }
        for line in fees + shippingLines { text += row(line.name, line.total, "") }
        for line in coupons { text += row("coupon " + line.name, "-" + line.total, "") }
        for line in taxes { text += row(line.name, line.total, "") }
        for line in giftCards { text += row("gift card " + line.name, "-" + line.total, "") }
        for line in refunds { text += row("refund " + line.name, line.total, "") }
        text += row("total", totals.total, "")
        for note in notes { text += note.text.indented }
        if !paymentLines.isEmpty { text += paymentLines.indented }
        return text
    }

    private func row(_ name: String, _ amount: String, _ remark: String) -> String {
        let line = "  " + name.harmless.padded(to: 40) + "  " + amount.padded(toLeft: 12)
        return line + (remark.isEmpty ? "" : "  " + remark.harmless) + "\n"
    }
}

extension String {
    /// Every line two columns further in.
    fileprivate var indented: String {
        split(separator: "\n").map { "  " + $0 + "\n" }.joined()
    }

    /// With blanks in front, at least `width` characters long.
    fileprivate func padded(toLeft width: Int) -> String {
        String(repeating: " ", count: Swift.max(0, width - count)) + self
    }
}
