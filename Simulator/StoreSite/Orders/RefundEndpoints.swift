import Determinism
import Text

/// `orders/{id}/refunds`, and `refunds` of the whole store.
enum RefundEndpoints {
    private static let path = "/wc/v3/orders/*/refunds"

    static let routes: [Route] =
        Route.reading(path, list, get) + [
            Route("POST", path, create), Route("DELETE", path + "/*", delete), Route("GET", "/wc/v3/refunds", listAll),
        ]

    private static let noSuchRefund = SiteError(
        404, "woocommerce_rest_shop_order_refund_invalid_id", "Invalid order refund ID.")

    private static func list(_ store: inout SiteStore, _ call: Call) throws(SiteError) -> Reply {
        let order = try store.order(call.id(0, or: .noSuchOrder))
        return Reply(page: try PageChoice(call.parameters), of: order.refunds.reversed()) {
            $0.node(of: order, store.identity)
        }
    }

    private static func listAll(_ store: inout SiteStore, _ call: Call) throws(SiteError) -> Reply {
        let found = store.orders.all.flatMap { order in order.refunds.map { (order: order, refund: $0) } }
            .sorted { $0.refund.id > $1.refund.id }
        return Reply(page: try PageChoice(call.parameters), of: found) { $0.refund.node(of: $0.order, store.identity) }
    }

    private static func index(_ store: SiteStore, _ call: Call) throws(SiteError) -> (StoredOrder, Int) {
        let order = try store.order(call.id(0, or: .noSuchOrder))
        return (order, try call.index(in: order.refunds, at: 1, or: noSuchRefund) { $0.id })
    }

    private static func get(_ store: inout SiteStore, _ call: Call) throws(SiteError) -> Reply {
        let (order, index) = try index(store, call)
        return Reply(order.refunds[index].node(of: order, store.identity))
    }

    private static func delete(_ store: inout SiteStore, _ call: Call) throws(SiteError) -> Reply {
        var (order, index) = try index(store, call)
        guard try call.parameters.flag("force") ?? false else {
            throw SiteError(501, "woocommerce_rest_trash_not_supported", "Refunds do not support trashing.")
        }
        let refund = order.refunds.remove(at: index)
        order.modified = call.now
        store.orders.put(order)
        return Reply(refund.node(of: order, store.identity))
    }

    private static func refusal(_ message: String, status: Int = 500) -> SiteError {
        SiteError(status, "woocommerce_rest_cannot_create_order_refund", message)
    }

    /// Creates a refund. With `api_refund`, which is the default, the gateway of the order gives the money back.
    private static func create(_ store: inout SiteStore, _ call: Call) throws(SiteError) -> Reply {
        var order = try store.order(call.id(0, or: .noSuchOrder))
        let parameters = call.parameters
        var itemIDs = store.itemIDs
        let lines = try RefundLine.lines(parameters["line_items"], of: order) { itemIDs.next() }
        let amount: Amount
        if let given = parameters["amount"], given != .null, given != "" {
            guard let number = given.plainText.flatMap({ Amount($0) }) else {
                throw .invalidParameter("amount", "amount is not a number.")
            }
            amount = number
        } else {
            amount = lines.lazy.map { $0.total + $0.totalTax }.sum()
        }
        guard amount >= .zero else {
            throw SiteError(
                400, "woocommerce_rest_invalid_order_refund", "Refund amount must be greater than zero.")
        }
        guard amount <= order.totals.total - order.refunded else { throw refusal("Invalid refund amount.") }
        var details = RefundDetails(
            refundedBy: try parameters.integer("refunded_by") ?? call.user.id,
            isPaidBack: try parameters.flag("api_refund") ?? true, lines: lines)
        guard !details.isPaidBack || Charge.Gateway(rawValue: order.paymentMethod) != nil else {
            throw refusal("The payment gateway for this order does not exist.")
        }
        for entry in parameters["meta_data"]?.elements?.prefix(100) ?? [] {
            guard let key = entry["key"]?.plainText, !key.isEmpty else { continue }
            details.meta.append(MetaEntry(id: store.metaIDs.next(), key: key, value: entry["value"] ?? .null))
        }
        store.itemIDs = itemIDs
        let refund = OrderRefund(
            id: store.postIDs.next(), reason: parameters.text("reason") ?? "", amount: amount, created: call.now,
            details: details)
        if details.isPaidBack { store.payments.refund(order: order.id, amount) }
        order.refunds.append(refund)
        order.modified = call.now
        if order.refunded >= order.totals.total { store.move(&order, to: .refunded, at: call.now) }
        store.orders.put(order)
        return Reply(refund.node(of: order, store.identity), status: 201)
    }
}

/// The parts of a refund besides its amount.
struct RefundDetails: Hashable, Sendable {
    var refundedBy: Int64 = 1
    /// Whether the gateway gave the money back.
    var isPaidBack = false
    var lines: [RefundLine] = []
    var meta: [MetaEntry] = []
}

/// A line of an order, or part of it, that a refund gives back.
struct RefundLine: TaxedLine, Hashable, Sendable {
    var id: Int64
    /// The line of the order.
    var line: Int64
    var quantity: Int64
    /// Positive, without tax.
    var total: Amount
    var taxes: [ChargedTax]

    /// Reads `line_items` of a request: `id`, `quantity`, `refund_total`, and `refund_tax` with the tax of each rate.
    ///
    /// - Throws: `rest_invalid_param`, and an error for a line that the order doesn't have.
    static func lines(
        _ node: JSONValue?, of order: StoredOrder, nextID: () -> Int64
    ) throws(SiteError) -> [RefundLine] {
        guard let node, node != .null else { return [] }
        guard let entries = node.elements, entries.count <= 100 else {
            throw .invalidParameter("line_items", "line_items is not of type array.")
        }
        func amount(_ node: JSONValue?, _ name: String) throws(SiteError) -> Amount {
            guard let node, node != .null, node != "" else { return .zero }
            guard let amount = node.plainText.flatMap({ Amount($0) }) else {
                throw .invalidParameter("line_items", "\(name) is not a number.")
            }
            return amount
        }
        let known =
            order.items.map(\.id) + order.fees.map(\.id) + order.shippingLines.map(\.id)
        var lines: [RefundLine] = []
        for entry in entries {
            guard let line = entry["id"]?.plainText.flatMap({ Int64($0) }), known.contains(line) else {
                throw SiteError(
                    400, "woocommerce_rest_invalid_item_id", "Order item ID provided is not associated with order.")
            }
            let quantity = entry["quantity"]?.plainText.flatMap { Int64($0) } ?? 0
            guard (0...LineItem.mostPieces).contains(quantity) else {
                throw .invalidParameter("line_items", "quantity must be between 0 and \(LineItem.mostPieces).")
            }
            var taxes: [ChargedTax] = []
            for tax in entry["refund_tax"]?.elements?.prefix(100) ?? [] {
                guard let rate = tax["id"]?.plainText.flatMap({ Int64($0) }) else {
                    throw .invalidParameter("line_items", "refund_tax[id] is not of type integer.")
                }
                let total = try amount(tax["refund_total"], "refund_tax[refund_total]")
                taxes.append(ChargedTax(rateID: rate, total: total, subtotal: total))
            }
            lines.append(
                RefundLine(
                    id: nextID(), line: line, quantity: quantity,
                    total: try amount(entry["refund_total"], "refund_total"), taxes: taxes))
        }
        return lines
    }

    /// The members of every kind of line: amounts are negative.
    fileprivate var members: [JSONValue.Member] {
        let taxes = taxes.map { tax -> JSONValue in
            [
                "id": .integer(tax.rateID), "total": .text((-tax.total).text), "subtotal": .text((-tax.subtotal).text),
            ]
        }
        return [
            .init(name: "total", value: .text((-total).text)),
            .init(name: "total_tax", value: .text((-totalTax).text)), .init(name: "taxes", value: .list(taxes)),
            .init(
                name: "meta_data",
                value: [["id": .integer(id), "key": "_refunded_item_id", "value": .text(String(line))]]),
        ]
    }
}

extension OrderRefund {
    func node(of order: StoredOrder, _ site: StoreIdentity) -> JSONValue {
        let path = "wc/v3/orders/\(order.id)/refunds"
        func lines(_ named: (RefundLine) -> [JSONValue.Member]?) -> JSONValue {
            .list(
                details.lines.compactMap { line in
                    named(line).map { .object([.init(name: "id", value: .integer(line.id))] + $0 + line.members) }
                })
        }
        let items = lines { line in
            guard let item = order.items.first(where: { $0.id == line.line }) else { return nil }
            return [
                .init(name: "name", value: .text(item.name)),
                .init(name: "product_id", value: .integer(item.productID)),
                .init(name: "variation_id", value: .integer(item.variationID)),
                .init(name: "quantity", value: .integer(-line.quantity)),
                .init(name: "tax_class", value: .text(item.taxClass)),
                .init(name: "subtotal", value: .text((-line.total).text)),
                .init(name: "subtotal_tax", value: .text((-line.totalTax).text)),
                .init(name: "sku", value: .text(item.sku)),
                .init(name: "price", value: .number(line.total.numberEach(max(1, line.quantity)))),
            ]
        }
        let shipping = lines { line in
            order.shippingLines.first { $0.id == line.line }.map {
                [
                    .init(name: "method_title", value: .text($0.methodTitle)),
                    .init(name: "method_id", value: .text($0.methodID)),
                ]
            }
        }
        let fees = lines { line in
            order.fees.first { $0.id == line.line }.map { [.init(name: "name", value: .text($0.name))] }
        }
        return [
            "id": .integer(id), "parent_id": .integer(order.id),
            "date_created": .text(WordPressDate.text(created, offsetSeconds: site.offsetSeconds)),
            "date_created_gmt": .text(WordPressDate.text(created)), "amount": .text(amount.text),
            "reason": .text(reason), "refunded_by": .integer(details.refundedBy),
            "refunded_payment": .bool(details.isPaidBack), "meta_data": .list(details.meta.map(\.node)),
            "line_items": items, "shipping_lines": shipping, "tax_lines": [], "fee_lines": fees,
            "_links": site.links("\(path)/\(id)", collection: path, up: "wc/v3/orders/\(order.id)"),
        ]
    }
}
