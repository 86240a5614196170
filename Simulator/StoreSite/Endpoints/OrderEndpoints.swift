internal import Determinism

/// `orders` of wc/v1 to wc/v3: lists, and orders one by one.
enum OrderEndpoints {
    static let routes: [Route] =
        ["wc/v3", "wc/v2"].flatMap { version in
            [
                Route("GET", "/\(version)/orders", list), Route("POST", "/\(version)/orders", create),
                Route("GET", "/\(version)/orders/*", get), Route("DELETE", "/\(version)/orders/*", delete),
            ] + Route.changes("/\(version)/orders/*", update)
        } + [Route("GET", "/wc/v3/reports/orders/totals", totals)]

    private static func list(_ store: inout Store, _ call: Call) throws(SiteError) -> Reply {
        let page = try PageChoice(call.parameters)
        let query = try OrderQuery(call.parameters, offsetSeconds: store.identity.offsetSeconds)
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

    private static func get(_ store: inout Store, _ call: Call) throws(SiteError) -> Reply {
        try shown(call.id(0, or: .noSuchOrder), &store, call)
    }

    private static func shown(
        _ id: Int64, _ store: inout Store, _ call: Call, status: Int = 200
    ) throws(SiteError) -> Reply {
        let render = store.rendering()
        guard let order = store.orders.rendering(id, render) else { throw .noSuchOrder }
        var bytes: [UInt8] = []
        order.append(to: &bytes, RenderedOrder.members(call.parameters.fields("_fields")))
        return Reply(bytes: bytes, status: status)
    }

    private static func create(_ store: inout Store, _ call: Call) throws(SiteError) -> Reply {
        let before = store
        do throws(SiteError) {
            let key = "wc_order_\(store.chance.letters(13))"
            var order = StoredOrder(
                id: store.nextPost(), key: key, status: .pending, createdVia: "rest-api", created: call.now,
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

    private static func update(_ store: inout Store, _ call: Call) throws(SiteError) -> Reply {
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

    /// Without `force` it goes to the trash. The answer shows the order as it was.
    private static func delete(_ store: inout Store, _ call: Call) throws(SiteError) -> Reply {
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

    private static func totals(_ store: inout Store, _ call: Call) throws(SiteError) -> Reply {
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
