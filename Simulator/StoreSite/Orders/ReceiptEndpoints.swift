import Determinism
import Text

/// `orders/{id}/receipt`, and the receipt page.
enum ReceiptEndpoints {
    static let routes: [Route] = [
        Route("POST", "/wc/v3/orders/*/receipt", create), Route("GET", "/wc/v3/orders/*/receipt", get),
    ]

    private static func order(_ store: SiteStore, _ call: Call) throws(SiteError) -> StoredOrder {
        let refusal = SiteError(404, "woocommerce_rest_not_found", "Order not found")
        guard let order = store.orders[try call.id(0, or: refusal)] else { throw refusal }
        return order
    }

    private static func node(_ receipt: SimulatedStoredReceipt, _ store: SiteStore) -> Reply {
        Reply(
            [
                "receipt_url": .text("\(store.identity.address)/wc/file/transient/\(receipt.name)"),
                "expiration_date": .text(WordPressDate.day(receipt.expires)),
            ])
    }

    private static func create(_ store: inout SiteStore, _ call: Call) throws(SiteError) -> Reply {
        let order = try order(store, call)
        let days = try call.parameters.integer("expiration_days", in: 0...3650, default: 1)
        let isNew = try call.parameters.flag("force_new") ?? false
        let today = call.now.civil(offsetSeconds: store.identity.offsetSeconds)
        if !isNew, let known = valid(store.receipts.last { $0.orderID == order.id }, today) {
            return node(known, store)
        }
        let expires = call.now.advanced(by: .seconds(days * 86_400))
            .civil(offsetSeconds: store.identity.offsetSeconds)
        let receipt = SimulatedStoredReceipt(
            name: store.generator.hexadecimal(38), orderID: order.id,
            expires: CivilDate(year: expires.year, month: expires.month, day: expires.day))
        store.receipts.removeAll { $0.orderID == order.id }
        store.receipts.append(receipt)
        return node(receipt, store)
    }

    private static func get(_ store: inout SiteStore, _ call: Call) throws(SiteError) -> Reply {
        let order = try order(store, call)
        let today = call.now.civil(offsetSeconds: store.identity.offsetSeconds)
        guard let receipt = valid(store.receipts.last(where: { $0.orderID == order.id }), today) else {
            throw SiteError(404, "woocommerce_rest_not_found", "Receipt not found")
        }
        return node(receipt, store)
    }

    private static func valid(_ receipt: SimulatedStoredReceipt?, _ today: CivilDate) -> SimulatedStoredReceipt? {
        guard let receipt else { return nil }
        let isValid =
            (today.year, today.month, today.day) <= (receipt.expires.year, receipt.expires.month, receipt.expires.day)
        return isValid ? receipt : nil
    }

    /// Returns the page at `receipt_url`.
    static func page(_ name: String, _ store: SiteStore, at now: Timestamp) -> SiteResponse {
        let today = now.civil(offsetSeconds: store.identity.offsetSeconds)
        guard let receipt = valid(store.receipts.first(where: { $0.name == name }), today),
            let order = store.orders[receipt.orderID]
        else { return .html("<!DOCTYPE html><title>Page not found</title>", status: 404) }
        let symbol = StoreIdentity.symbol(order.currency)
        func row(_ words: String, _ amount: Amount) -> String {
            "<tr><td>\(HTMLText.plain(words).escaped(\.markupReference))</td><td>\(symbol)\(amount.text)</td></tr>"
        }
        let lines = order.items.map { row("\($0.name) × \($0.quantity)", $0.subtotal) }.joined()
        var totals = row("Subtotal", order.items.lazy.map(\.subtotal).sum())
        if order.totals.discount != .zero { totals += row("Discount", -order.totals.discount) }
        for fee in order.fees { totals += row(fee.name, fee.total) }
        if order.totals.shipping != .zero { totals += row("Shipping", order.totals.shipping) }
        if order.totals.tax != .zero { totals += row("Taxes", order.totals.tax) }
        let paid =
            order.paid.map { WordPressDate.day($0.civil(offsetSeconds: store.identity.offsetSeconds)) } ?? "not paid"
        return .html(
            """
            <!DOCTYPE html><html lang="en"><head><meta charset="UTF-8"><title>Receipt for order \(order.id)</title>\
            </head><body><h1>Receipt from \(store.identity.name)</h1>\
            <p>Amount paid: \(symbol)\(order.totals.total.text)</p><p>Date paid: \(paid)</p>\
            <p>Payment method: \(order.paymentMethodTitle.escaped(\.markupReference))</p><h2>Summary: Order #\(order.id)</h2>\
            <table>\(lines)\(totals)\(row("Amount paid", order.totals.total))</table></body></html>
            """)
    }
}

/// A receipt that is visible without signing in until it expires.
struct SimulatedStoredReceipt: Hashable, Sendable {
    /// The unguessable name.
    var name: String
    var orderID: Int64
    /// The last day of its validity.
    var expires: CivilDate
}
