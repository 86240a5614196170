internal import Determinism

/// Everything that one site keeps.
struct Store: Sendable {
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
    var notes: [Int64: [OrderNoteEntry]] = [:]
    var trackings: [Int64: [Tracking]] = [:]
    var reviews: [Review] = []
    var receipts: [StoredReceipt] = []
    var payments = PaymentBook()
    /// What happened that the owner is told of.
    var events: [StoreEvent] = []
    var chance: Chance
    /// What visitors do that leaves no order.
    var traffic: Traffic

    /// Orders, products, coupons and refunds share their numbers.
    private var lastPost: Int64 = 10
    private var lastItem: Int64 = 0
    private var lastComment: Int64 = 0
    private var lastMeta: Int64 = 0

    init(identity: StoreIdentity, owner: SiteUser, chance: Chance, traffic: Traffic) {
        (self.identity, self.owner, self.chance, self.traffic) = (identity, owner, chance, traffic)
    }

    mutating func nextPost() -> Int64 {
        lastPost += 1
        return lastPost
    }

    mutating func nextItem() -> Int64 {
        lastItem += 1
        return lastItem
    }

    mutating func nextComment() -> Int64 {
        lastComment += 1
        return lastComment
    }

    mutating func nextMeta() -> Int64 {
        lastMeta += 1
        return lastMeta
    }

    func setting(_ group: String, _ id: String) -> SiteSetting? {
        settings.first { $0.group == group && $0.id == id }
    }

    func settingText(_ group: String, _ id: String) -> String { setting(group, id)?.value.plainText ?? "" }

    /// Where the store says that it is.
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
        calculator.calculate(&order, nextID: { nextItem() })
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
            id: nextComment(), created: now, author: author, text: text, isForCustomer: isForCustomer)
        notes[orderID, default: []].append(note)
        return note
    }

    /// Moves an order to a state with everything that follows from it, and notes it.
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
