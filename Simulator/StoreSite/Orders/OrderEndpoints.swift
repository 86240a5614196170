import Determinism
import Text

/// `orders` of wc/v1 to wc/v3: lists and single orders.
enum OrderEndpoints {
    static let routes: [Route] =
        ["wc/v3", "wc/v2"].flatMap { version in
            [
                Route("GET", "/\(version)/orders", list), Route("POST", "/\(version)/orders", create),
                Route("GET", "/\(version)/orders/*", get), Route("DELETE", "/\(version)/orders/*", delete),
            ] + Route.changes("/\(version)/orders/*", update)
        } + [Route("GET", "/wc/v3/reports/orders/totals", totals)]

    private static func list(_ store: inout SiteStore, _ call: Call) throws(SiteError) -> Reply {
        let page = try PageChoice(call.parameters)
        let query = try SiteOrderQuery(call.parameters, offsetSeconds: store.identity.offsetSeconds)
        let places = query.places(in: store.orders)
        let members = RenderedOrder.members(call.parameters.fields("_fields"))
        let render = store.rendering()
        var bytes: [UInt8] = []
        let chosen = page.slice(places)
        bytes.reserveCapacity(chosen.count * 3072 + 2)
        bytes.append(UInt8(ascii: "["))
        for place in chosen {
            if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
            store.orders.rendering(at: place, render).append(to: &bytes, members)
        }
        bytes.append(UInt8(ascii: "]"))
        var reply = Reply(bytes: bytes)
        reply.paging = page.paging(places.count)
        return reply
    }

    private static func get(_ store: inout SiteStore, _ call: Call) throws(SiteError) -> Reply {
        try shown(call.id(0, or: .noSuchOrder), &store, call)
    }

    private static func shown(
        _ id: Int64, _ store: inout SiteStore, _ call: Call, status: Int = 200
    ) throws(SiteError) -> Reply {
        let render = store.rendering()
        guard let order = store.orders.rendering(id, render) else { throw .noSuchOrder }
        var bytes: [UInt8] = []
        order.append(to: &bytes, RenderedOrder.members(call.parameters.fields("_fields")))
        return Reply(bytes: bytes, status: status)
    }

    private static func create(_ store: inout SiteStore, _ call: Call) throws(SiteError) -> Reply {
        let before = store
        do throws(SiteError) {
            let key = "wc_order_\(store.generator.letters(13))"
            var order = StoredOrder(
                id: store.postIDs.next(), key: key, status: .pending, createdVia: "rest-api", created: call.now,
                modified: call.now)
            order.currency = store.settingText("general", "woocommerce_currency")
            try OrderEditor(parameters: call.parameters, now: call.now, isNew: true).apply(to: &order, in: &store)
            store.orders.put(order)
            if order.status.isShown { store.events.append(.newOrder(order.id)) }
            return try shown(order.id, &store, call, status: 201)
        } catch {
            store = before
            throw error
        }
    }

    private static func update(_ store: inout SiteStore, _ call: Call) throws(SiteError) -> Reply {
        var order = try store.order(call.id(0, or: .noSuchOrder))
        let before = store
        do throws(SiteError) {
            try OrderEditor(parameters: call.parameters, now: call.now, isNew: false).apply(to: &order, in: &store)
        } catch {
            store = before
            throw error
        }
        store.orders.put(order)
        return try shown(order.id, &store, call)
    }

    /// Deletes an order; without `force` it goes to the trash. The response shows the order before the change.
    private static func delete(_ store: inout SiteStore, _ call: Call) throws(SiteError) -> Reply {
        let id = try call.id(0, or: .noSuchOrder)
        var order = try store.order(id)
        let reply = try shown(id, &store, call)
        if try call.parameters.flag("force") ?? false {
            store.orders.remove(id)
            (store.notes[id], store.trackings[id]) = (nil, nil)
        } else {
            guard order.status != .trash else {
                throw SiteError(410, "woocommerce_rest_already_trashed", "The order has already been deleted.")
            }
            (order.status, order.modified) = (.trash, call.now)
            store.orders.put(order)
        }
        return reply
    }

    private static func totals(_ store: inout SiteStore, _ call: Call) throws(SiteError) -> Reply {
        var counts: [OrderState: Int] = [:]
        for order in store.orders.all { counts[order.status, default: 0] += 1 }
        return Reply(
            .list(
                OrderState.listed.map { state in
                    [
                        "slug": .text(state.rawValue), "name": .text(state.words),
                        "total": .integer(counts[state] ?? 0),
                    ]
                }))
    }
}

extension SiteStore {
    /// Returns the order lines of a product: one, or for a bundle one more for each part.
    mutating func lines(for product: Product, quantity: Int64) -> [LineItem] {
        let price = product.price.times(quantity)
        var whole = LineItem(
            id: itemIDs.next(), name: product.name, productID: product.id, quantity: quantity, sku: product.sku,
            taxClass: product.taxClass, needsProcessing: !product.isVirtual, subtotal: price, total: price)
        let parts = product.bundled.compactMap { id in products.first { $0.id == id } }.map { part in
            LineItem(
                id: itemIDs.next(), name: part.name, productID: part.id, quantity: quantity, sku: part.sku,
                taxClass: part.taxClass, needsProcessing: !part.isVirtual, subtotal: .zero, total: .zero,
                bundledBy: whole.id)
        }
        whole.bundledItems = parts.map(\.id)
        return [whole] + parts
    }

    /// Adds or updates the customer of an order, with an account or as a guest.
    mutating func remember(_ order: StoredOrder, at now: Timestamp) {
        let isAccount = order.customerID > 0
        guard isAccount || !order.billing.email.isEmpty else { return }
        let index = customers.firstIndex { customer in
            isAccount
                ? customer.userID == order.customerID
                : customer.userID == 0 && customer.billing.email == order.billing.email
        }
        if let index {
            customers[index].lastActive = now
        } else {
            customers.append(
                Customer(
                    id: (customers.last?.id ?? 0) + 1, userID: 0, username: "", billing: order.billing,
                    shipping: order.shipping, registered: nil, lastActive: now))
        }
    }
}
