import Determinism
import Text

/// The state of one site.
struct SiteStore: Sendable {
    var identity: StoreIdentity
    let owner: SiteUser
    var orders = OrderBook()
    var products: [Product] = []
    var coupons: [Coupon] = []
    var giftCards: [GiftCard] = []
    var taxRates: [TaxRate] = []
    var taxClasses: [TaxClass] = []
    var settings: [SiteSetting] = []
    var customers: [Customer] = []
    /// The elements of each collection of a ``RecordKind``, by its path.
    var records: [String: [Record]] = [:]
    /// The locations of each shipping zone.
    var zoneLocations: [Int64: [JSONValue]] = [:]
    var gateways: [PaymentGateway] = []
    var notes: [Int64: [OrderNoteEntry]] = [:]
    var trackings: [Int64: [Tracking]] = [:]
    var reviews: [Review] = []
    var receipts: [SimulatedStoredReceipt] = []
    var payments = PaymentBook()
    var webhooks: [Webhook] = []
    /// Webhooks whose address was not tried yet.
    var newWebhooks: [Int64] = []
    /// The changes of products, customers, and coupons since the last ``takeChanges()``.
    private var changes: [ChangedResource] = []
    /// Events for notifications to the owner.
    var events: [StoreEvent] = []
    var generator: SeededGenerator
    /// The traffic of visitors without an order.
    var traffic: Traffic

    /// Orders, products, coupons, and refunds share one sequence of IDs.
    var postIDs = IDSequence(last: 10)
    var itemIDs = IDSequence()
    var commentIDs = IDSequence()
    var metaIDs = IDSequence()
    /// The IDs of categories, tags, and other ``Record``s.
    var recordIDs = IDSequence(last: 14)

    init(identity: StoreIdentity, owner: SiteUser, generator: SeededGenerator, traffic: Traffic) {
        (self.identity, self.owner, self.generator, self.traffic) = (identity, owner, generator, traffic)
    }

    mutating func report(_ resource: StoreResource, _ change: StoreChange) {
        changes.append(ChangedResource(resource: resource, change: change))
    }

    /// Returns what happened since the last call, each thing once.
    mutating func takeChanges() -> [ChangedResource] {
        let all = orders.takeChanges().map { ChangedResource(resource: .order($0.id), change: $0.change) } + changes
        changes = []
        var found: [ChangedResource] = []
        for each in all {
            // A new order that is changed in the same request is only new.
            let isNew = found.contains(ChangedResource(resource: each.resource, change: .created))
            guard !found.contains(each), !(isNew && each.change == .updated) else { continue }
            found.append(each)
        }
        return found
    }

    func setting(_ group: String, _ id: String) -> SiteSetting? {
        settings.first { $0.group == group && $0.id == id }
    }

    func settingText(_ group: String, _ id: String) -> String { setting(group, id)?.value.plainText ?? "" }

    /// The store's address.
    var base: PostalAddress {
        var address = PostalAddress()
        let place = settingText("general", "woocommerce_default_country").split(separator: ":")
        address.country = place.first.map(String.init) ?? ""
        address.state = place.dropFirst().first.map(String.init) ?? ""
        address.address1 = settingText("general", "woocommerce_store_address")
        address.address2 = settingText("general", "woocommerce_store_address_2")
        address.city = settingText("general", "woocommerce_store_city")
        address.postcode = settingText("general", "woocommerce_store_postcode")
        return address
    }

    var calculator: OrderCalculator {
        OrderCalculator(
            rates: settingText("general", "woocommerce_calc_taxes") == "yes" ? taxRates : [], coupons: coupons,
            base: base, taxBasedOn: settingText("tax", "woocommerce_tax_based_on"))
    }

    mutating func calculate(_ order: inout StoredOrder) {
        let calculator = calculator
        calculator.calculate(&order, nextID: { itemIDs.next() })
    }

    /// - Throws: ``SiteError/noSuchOrder``
    func order(_ id: Int64) throws(SiteError) -> StoredOrder {
        guard let order = orders[id] else { throw .noSuchOrder }
        return order
    }

    mutating func addNote(
        _ text: String, to orderID: Int64, by author: String = "system", isForCustomer: Bool = false, at now: Timestamp
    ) -> OrderNoteEntry {
        let note = OrderNoteEntry(
            id: commentIDs.next(), created: now, author: author, text: text, isForCustomer: isForCustomer)
        notes[orderID, default: []].append(note)
        return note
    }

    /// Changes the status of an order with all consequences, and adds a note.
    mutating func move(_ order: inout StoredOrder, to state: OrderState, at now: Timestamp, why: String = "") {
        guard order.status != state else { return }
        let words = "Order status changed from \(order.status.words) to \(state.words)."
        order.status = state
        if state.isPaid, order.paid == nil { order.paid = now }
        if state == .completed { order.completed = now }
        _ = addNote(why.isEmpty ? words : "\(why) \(words)", to: order.id, at: now)
    }

    func rendering() -> (StoredOrder) -> RenderedOrder {
        { [identity, taxRates, coupons] in RenderedOrder($0, site: identity, rates: taxRates, coupons: coupons) }
    }
}

/// A sequence of IDs.
struct IDSequence: Sendable {
    /// The last ID that was used.
    var last: Int64 = 0

    mutating func next() -> Int64 {
        last += 1
        return last
    }
}

/// An event that the owner of a store is notified of.
enum StoreEvent: Hashable, Sendable {
    case newOrder(Int64)
    case newReview(Int64)
}
