/// The orders of a store, oldest first, with what was written of each.
struct OrderBook: Sendable {
    private var orders: [StoredOrder] = []
    private(set) var summaries: [OrderSummary] = []
    private var places: [Int64: Int] = [:]
    /// What ``RenderedOrder`` made of an order, until the order changes.
    private var rendered: [RenderedOrder?] = []

    var count: Int { orders.count }

    var all: [StoredOrder] { orders }

    subscript(id: Int64) -> StoredOrder? { places[id].map { orders[$0] } }

    /// The order at a place in the order of their numbers.
    func order(at place: Int) -> StoredOrder { orders[place] }

    mutating func add(_ order: StoredOrder) {
        places[order.id] = orders.count
        orders.append(order)
        summaries.append(OrderSummary(order))
        rendered.append(nil)
    }

    mutating func put(_ order: StoredOrder) {
        guard let place = places[order.id] else { return add(order) }
        orders[place] = order
        summaries[place] = OrderSummary(order)
        rendered[place] = nil
    }

    mutating func remove(_ id: Int64) {
        guard let place = places.removeValue(forKey: id) else { return }
        orders.remove(at: place)
        summaries.remove(at: place)
        rendered.remove(at: place)
        for (index, order) in orders.enumerated().dropFirst(place) { places[order.id] = index }
    }

    /// Everything has to be written anew.
    mutating func forgetRendered() { rendered = rendered.map { _ in nil } }

    mutating func rendering(at place: Int, _ render: (StoredOrder) -> RenderedOrder) -> RenderedOrder {
        if let known = rendered[place] { return known }
        let made = render(orders[place])
        rendered[place] = made
        return made
    }

    mutating func rendering(_ id: Int64, _ render: (StoredOrder) -> RenderedOrder) -> RenderedOrder? {
        places[id].map { rendering(at: $0, render) }
    }
}
