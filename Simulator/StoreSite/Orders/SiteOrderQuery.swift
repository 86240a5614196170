import Determinism
import Text

/// The filter and sorting of a list of orders.
struct SiteOrderQuery: Sendable {
    private var states: Set<OrderState>?
    private var created: ClosedRange<Timestamp>
    private var modified: ClosedRange<Timestamp>
    private var customer: Int64?
    private var product: Int64?
    private var search: String?
    private var include: Set<Int64>?
    private var exclude: Set<Int64>
    private let sorting: String
    private let isAscending: Bool

    init(_ parameters: SiteParameters, offsetSeconds: Int) throws(SiteError) {
        let words = parameters.words("status") ?? ["any"]
        if words.contains("any") || words.isEmpty {
            states = nil
        } else {
            var states: Set<OrderState> = []
            for word in words {
                guard let state = OrderState(rawValue: word) else {
                    throw .invalidParameter("status", "status[0] is not one of any, trash, pending, processing, …")
                }
                states.insert(state)
            }
            self.states = states
        }
        let offset = try parameters.flag("dates_are_gmt") ?? false ? 0 : offsetSeconds
        func range(_ after: String, _ before: String) throws(SiteError) -> ClosedRange<Timestamp> {
            // Both ends are exclusive, and dates have whole seconds.
            let first = try parameters.moment(after, offsetSeconds: offset)?.advanced(by: .milliseconds(1))
            let last = try parameters.moment(before, offsetSeconds: offset)?.advanced(by: .milliseconds(-1))
            let from = first ?? Timestamp(milliseconds: .min)
            let to = last ?? Timestamp(milliseconds: .max)
            return from <= to ? from...to : from...from
        }
        created = try range("after", "before")
        modified = try range("modified_after", "modified_before")
        customer = try parameters.integer("customer")
        product = try parameters.integer("product")
        search = parameters.text("search").flatMap { $0.isEmpty ? nil : $0.lowercased() }
        include = parameters.words("include").flatMap { $0.isEmpty ? nil : Set($0.compactMap { Int64($0) }) }
        exclude = Set((parameters.words("exclude") ?? []).compactMap { Int64($0) })
        sorting = try parameters.choice(
            "orderby", ["date", "id", "include", "title", "slug", "modified"], default: "date")
        isAscending = try parameters.choice("order", ["asc", "desc"], default: "desc") == "asc"
    }

    /// Returns the positions of the orders in the order book.
    func places(in book: OrderBook) -> [Int] {
        var places: [Int] = []
        for (place, summary) in book.summaries.enumerated() where fits(summary) {
            if product == nil, search == nil {
                places.append(place)
            } else if isFound(in: book.order(at: place)) {
                places.append(place)
            }
        }
        // Order numbers and dates have the same order.
        if sorting == "modified" {
            places.sort { first, second in
                let (one, other) = (book.summaries[first].modified, book.summaries[second].modified)
                return one == other ? first < second : one < other
            }
        }
        return isAscending ? places : places.reversed()
    }

    private func fits(_ order: OrderSummary) -> Bool {
        if let states {
            guard states.contains(order.status) else { return false }
        } else if !order.status.isShown {
            return false
        }
        guard created.contains(order.created), modified.contains(order.modified), !exclude.contains(order.id) else {
            return false
        }
        if let include { guard include.contains(order.id) else { return false } }
        if let customer { guard order.customerID == customer else { return false } }
        return true
    }

    private func isFound(in order: StoredOrder) -> Bool {
        if let product { guard order.items.contains(where: { $0.productID == product }) else { return false } }
        guard let search else { return true }
        return String(order.id) == search || order.billing.name.lowercased().contains(search)
            || order.shipping.name.lowercased().contains(search) || order.billing.email.lowercased().contains(search)
            || order.items.contains { $0.name.lowercased().contains(search) }
    }
}

/// The properties of an order that most lists filter by, small enough to scan ten thousand orders quickly.
struct OrderSummary: Sendable {
    var id: Int64
    var status: OrderState
    var created, modified: Timestamp
    var customerID: Int64

    init(_ order: StoredOrder) {
        (id, status, created, modified) = (order.id, order.status, order.created, order.modified)
        customerID = order.customerID
    }
}
