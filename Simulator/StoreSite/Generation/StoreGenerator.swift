import Determinism
import Text

/// Generates a store with a year of history.
struct StoreGenerator: Sendable {
    let configuration: StoreSiteConfiguration
    let now: Timestamp
    let random: any RandomSource

    private static let offsetSeconds = -5 * 3600
    private static let day: Int64 = 86_400

    func world() -> GeneratedWorld {
        let user = SiteUser(
            username: configuration.username, email: "\(configuration.username)@example.com",
            password: configuration.password, registered: now.advanced(by: .seconds(-500 * Self.day)))
        var account = DotcomAccount(token: configuration.token)
        var store = SiteStore(
            identity: StoreIdentity(
                id: configuration.siteID, name: "Corner Coffee &amp; Supply",
                tagline: "Everything for a good cup&hellip;",
                address: configuration.address, folder: "", offsetSeconds: Self.offsetSeconds, hasWooCommerce: true,
                hasStripe: configuration.hasStripe),
            owner: user, generator: SeededGenerator(source: random.stream("site")),
            traffic: Traffic(seed: seed("traffic")))
        store.identity.hasWooPayments = configuration.hasWooPayments
        let generator = SeededGenerator(source: random.stream("store"))
        fill(&store, generator)
        tell(&account, of: store)
        let blog = SiteStore(
            identity: StoreIdentity(
                id: configuration.siteID + 1, name: "Notes from the Counter", tagline: "A blog without a shop",
                address: configuration.address + "/blog", folder: "/blog", offsetSeconds: Self.offsetSeconds,
                hasWooCommerce: false, hasStripe: false),
            owner: user, generator: SeededGenerator(source: random.stream("blog")),
            traffic: Traffic(seed: seed("blog traffic")))
        let passwords = SeededGenerator(source: random.stream("passwords"))
        let accounts = [store, blog].map { site in
            SiteAccounts(
                user: user,
                passwords: [
                    IssuedPassword(
                        uuid: passwords.uuid(), applicationID: "", name: "Till", password: configuration.password,
                        created: now.advanced(by: .seconds(-30 * Self.day)))
                ], keys: site.identity.hasWooCommerce ? configuration.consumerKeys : [])
        }
        return GeneratedWorld(user: user, account: account, stores: [store, blog], accounts: accounts)
    }

    private func seed(_ label: String) -> UInt64 {
        random.stream(label).bytes(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    private func fill(_ store: inout SiteStore, _ generator: SeededGenerator) {
        store.settings = StandardSettings.settings(name: store.identity.name)
        store.taxClasses = ProductFixtures.taxClasses
        store.taxRates = ProductFixtures.taxRates
        store.gateways = PaymentGateway.standard(hasStripe: store.identity.hasStripe)
        RecordFixtures.fill(&store)
        for (index, entry) in ProductFixtures.products.enumerated() {
            store.products.append(
                Product(
                    id: store.postIDs.next(), name: entry.name, slug: Self.slug(entry.name),
                    sku: "CCS-\((index + 1).zeroPadded(to: 3))", price: Amount(hundredths: entry.price),
                    taxClass: entry.taxClass, isVirtual: entry.isVirtual,
                    stock: entry.isVirtual ? nil : Int64(generator.number(3...240))))
        }
        let bundle = ProductFixtures.bundle
        let parts = bundle.parts.compactMap { store.products.indices.contains($0) ? store.products[$0].id : nil }
        store.products.append(
            Product(
                id: store.postIDs.next(), name: bundle.name, slug: Self.slug(bundle.name), sku: "CCS-KIT",
                price: Amount(hundredths: bundle.price), taxClass: "", isVirtual: false, stock: nil, bundled: parts))
        let opened = now.advanced(by: .seconds(-400 * Self.day))
        store.coupons = [
            Coupon(
                id: store.postIDs.next(), code: "welcome10", discount: .percent(Amount(hundredths: 1000)),
                created: opened),
            Coupon(
                id: store.postIDs.next(), code: "take5", discount: .cart(Amount(hundredths: 500)), created: opened),
        ]
        for number in 1...12 {
            store.giftCards.append(
                GiftCard(
                    id: Int64(number),
                    code: "GIFT-\(generator.hexadecimal(4).uppercased())-\(number.zeroPadded(to: 4))",
                    balance: Amount(hundredths: Int64(generator.number(2...10)) * 1000)))
        }
        let count = max(0, configuration.orders)
        addCustomers(min(2000, count / 4 + 8), to: &store, generator)
        addOrders(count, to: &store, generator)
        addReviews(min(40, count / 10 + 4), to: &store, generator)
        _ = store.takeChanges()
    }

    private static func slug(_ name: String) -> String {
        let words = name.lowercased().split { !$0.isASCII || !($0.isLetter || $0.isNumber) }
        return words.joined(separator: "-")
    }

    // MARK: Customers

    private func addCustomers(_ count: Int, to store: inout SiteStore, _ generator: SeededGenerator) {
        var users: Int64 = 1
        for number in 1...count {
            let (first, last) = (generator.pick(People.firstNames) ?? "", generator.pick(People.lastNames) ?? "")
            let place = generator.pick(People.places) ?? ("New York", "NY", 10_003)
            var address = PostalAddress()
            (address.firstName, address.lastName) = (first, last)
            address.company = generator.pick(People.companies) ?? ""
            address.address1 = "\(generator.number(1...1999)) \(generator.pick(People.streets) ?? "")"
            if generator.happens(15) { address.address2 = "Apt. \(generator.number(1...60))" }
            (address.city, address.state, address.country) = (place.city, place.state, "US")
            address.postcode = place.postcode.zeroPadded(to: 5)
            address.phone = "(555) 01\(generator.number(0...9))-\(generator.number(0...9999).zeroPadded(to: 4))"
            let login = "\(Self.slug(first)).\(Self.slug(last))\(number)"
            var billing = address
            billing.email = "\(login)@example.com"
            var shipping = address
            shipping.company = ""
            let hasAccount = generator.happens(60)
            if hasAccount { users += 1 }
            let registered = now.advanced(by: .seconds(-Int64(generator.number(366...490)) * Self.day))
            store.customers.append(
                Customer(
                    id: Int64(number), userID: hasAccount ? users : 0, username: hasAccount ? login : "",
                    billing: billing, shipping: shipping, registered: hasAccount ? registered : nil,
                    lastActive: registered))
        }
    }

    // MARK: Orders

    /// Returns the order times, oldest first: more of them recently, none in the future.
    private func moments(_ count: Int, _ generator: SeededGenerator) -> [Timestamp] {
        let year = 365 * Self.day
        let ages = (0..<count).map { _ -> Int64 in
            // The minimum of two numbers is more often small than large.
            min(Int64(generator.number(60...Int(year))), Int64(generator.number(60...Int(year))))
        }
        let start = now.milliseconds / 1000
        return ages.sorted(by: >).map { Timestamp(milliseconds: (start - $0) * 1000) }
    }

    private func addOrders(_ count: Int, to store: inout SiteStore, _ generator: SeededGenerator) {
        let calculator = store.calculator
        for moment in moments(count, generator) { addOrder(at: moment, to: &store, calculator, generator) }
    }

    private func addOrder(
        at moment: Timestamp, to store: inout SiteStore, _ calculator: OrderCalculator, _ generator: SeededGenerator
    ) {
        let age = (now.milliseconds - moment.milliseconds) / 1000
        let isAtTill = generator.happens(12)
        let state = state(age: age, isAtTill: isAtTill, generator)
        var order = StoredOrder(
            id: store.postIDs.next(), key: "wc_order_\(generator.letters(13))", status: state,
            createdVia: isAtTill ? "rest-api" : "checkout", created: moment, modified: moment)
        if !isAtTill, !store.customers.isEmpty {
            let index = generator.number(0...(store.customers.count - 1))
            let customer = store.customers[index]
            (order.billing, order.shipping) = (customer.billing, customer.shipping)
            order.customerID = customer.userID
            if customer.lastActive < moment { store.customers[index].lastActive = moment }
            if generator.happens(8) { order.customerNote = generator.pick(People.notes) ?? "" }
        }
        addLines(to: &order, in: &store, isAtTill: isAtTill, generator)
        if !isAtTill, generator.happens(18), let coupon = generator.pick(store.coupons) {
            order.coupons = [CouponUse(id: store.itemIDs.next(), code: coupon.code)]
            calculator.applyCoupons(&order)
        }
        calculator.calculate(&order, nextID: { store.itemIDs.next() })
        if state.isPaid, generator.happens(2) { payWithGiftCard(&order, in: &store, calculator, generator) }
        pay(&order, in: &store, isAtTill: isAtTill, generator)
        if state == .refunded || (state == .completed && generator.happens(3)) {
            refund(&order, in: &store, age, generator)
        }
        store.orders.add(order)
    }

    private func state(age: Int64, isAtTill: Bool, _ generator: SeededGenerator) -> OrderState {
        if isAtTill {
            return age < 2 * Self.day ? generator.weighted(.pending, [(.pending, 60), (.completed, 40)]) : .completed
        }
        if age < 4 * Self.day {
            return generator.weighted(
                .pending, [(.pending, 30), (.processing, 45), (.onHold, 10), (.completed, 10), (.failed, 5)])
        }
        return generator.weighted(
            .completed,
            [
                (.completed, 74), (.processing, 6), (.pending, 5), (.onHold, 3), (.canceled, 5), (.refunded, 4),
                (.failed, 3),
            ])
    }

    private func addLines(
        to order: inout StoredOrder, in store: inout SiteStore, isAtTill: Bool, _ generator: SeededGenerator
    ) {
        var chosen: Set<Int64> = []
        for _ in 0..<generator.weighted(1, [(1, 45), (2, 30), (3, 15), (4, 7), (5, 3)]) {
            guard let product = generator.pick(store.products), chosen.insert(product.id).inserted else { continue }
            order.items += store.lines(
                for: product, quantity: generator.weighted(1, [(1, 70), (2, 20), (3, 7), (6, 3)]))
        }
        if !isAtTill, order.needsProcessing {
            let (id, title, cost) = generator.weighted(
                ("flat_rate", "Flat rate", Int64(795)),
                [
                    (("flat_rate", "Flat rate", 795), 55), (("free_shipping", "Free shipping", 0), 25),
                    (("local_pickup", "Local pickup", 0), 10), (("flat_rate", "Express", 1895), 10),
                ])
            order.shippingLines = [
                ShippingCharge(
                    id: store.itemIDs.next(), methodID: id, methodTitle: title, total: Amount(hundredths: cost))
            ]
        }
        if generator.happens(4) {
            order.fees = [
                FeeLine(
                    id: store.itemIDs.next(), name: "Gift wrapping &amp; card", taxClass: "", isTaxed: true,
                    total: Amount(hundredths: 450))
            ]
        }
    }

    private func payWithGiftCard(
        _ order: inout StoredOrder, in store: inout SiteStore, _ calculator: OrderCalculator,
        _ generator: SeededGenerator
    ) {
        let filled = store.giftCards.indices.filter { store.giftCards[$0].balance > .zero }
        guard let index = generator.pick(filled) else { return }
        // Leave something to pay, as in most orders.
        let most = order.totals.total - Amount(hundredths: 100)
        let amount = min(store.giftCards[index].balance, most)
        guard amount > .zero else { return }
        store.giftCards[index].balance -= amount
        order.giftCards = [
            GiftCardUse(id: store.giftCards[index].id, code: store.giftCards[index].code, amount: amount)
        ]
        calculator.calculate(&order, nextID: { store.itemIDs.next() })
    }

    private func pay(
        _ order: inout StoredOrder, in store: inout SiteStore, isAtTill: Bool, _ generator: SeededGenerator
    ) {
        let moment = order.created
        if !isAtTill {
            let method = generator.weighted(
                ("woocommerce_payments", "Credit card / debit card"),
                [
                    (("woocommerce_payments", "Credit card / debit card"), 55), (("cod", "Cash on delivery"), 25),
                    (("bacs", "Direct bank transfer"), 10), (("stripe", "Credit Card (Stripe)"), 10),
                ])
            (order.paymentMethod, order.paymentMethodTitle) = method
            order.meta.append(
                MetaEntry(id: store.metaIDs.next(), key: "_wc_order_attribution_source_type", value: "organic"))
            order.meta.append(
                MetaEntry(
                    id: store.metaIDs.next(), key: "_wc_order_attribution_utm_source",
                    value: .text(generator.pick("google", "bing", "newsletter", "(direct)"))))
        } else if order.status == .completed {
            (order.paymentMethod, order.paymentMethodTitle) = ("cod", "Cash")
        }
        guard order.status.isPaid || order.status == .refunded else { return }
        let paid = min(moment.advanced(by: .seconds(generator.number(1...50))), now)
        // Cash on delivery is not paid yet.
        if order.paymentMethod != "cod" || order.status != .processing { order.paid = paid }
        if order.status == .completed {
            order.completed = min(paid.advanced(by: .seconds(isAtTill ? 0 : generator.number(3600...200_000))), now)
        }
        order.modified = order.completed ?? paid
        if order.paymentMethod == "woocommerce_payments" || order.paymentMethod == "stripe" {
            order.transactionID = "pi_\(generator.letters(24))"
            order.meta.append(
                MetaEntry(id: store.metaIDs.next(), key: "_intent_id", value: .text(order.transactionID)))
        }
        _ = store.addNote(
            "Order status changed from Pending payment to \(order.status.words).", to: order.id, at: paid)
    }

    private func refund(
        _ order: inout StoredOrder, in store: inout SiteStore, _ age: Int64, _ generator: SeededGenerator
    ) {
        let isWhole = order.status == .refunded
        let part = order.totals.total.part(Int64(generator.number(10...50)), of: 100)
        let amount = isWhole ? order.totals.total : part
        guard amount > .zero else { return }
        let later = Int64(generator.number(3600...5 * 86_400))
        let moment = min((order.completed ?? order.paid ?? order.created).advanced(by: .seconds(later)), now)
        order.refunds = [
            OrderRefund(
                id: store.postIDs.next(),
                reason: generator.pick("Damaged on arrival", "Wrong item", "", "Changed my mind"),
                amount: amount, created: moment)
        ]
        order.modified = moment
    }

    // MARK: Reviews and notifications

    private func addReviews(_ count: Int, to store: inout SiteStore, _ generator: SeededGenerator) {
        for number in 0..<count {
            guard let product = generator.pick(store.products), let customer = generator.pick(store.customers),
                let (text, rating) = generator.pick(People.reviews)
            else { return }
            let age = Int64(count - number) * 3 * Self.day + Int64(generator.number(0...80_000))
            store.reviews.append(
                Review(
                    id: store.commentIDs.next(), productID: product.id, parent: 0, author: customer.billing.name,
                    email: customer.billing.email, created: now.advanced(by: .seconds(-age)), text: text,
                    rating: Int64(rating),
                    status: generator.weighted(.approved, [(.approved, 75), (.unapproved, 20), (.spam, 5)])))
        }
    }

    /// Adds notifications about the last orders and reviews.
    private func tell(_ account: inout DotcomAccount, of store: SiteStore) {
        let orders = store.orders.all.suffix(12).map { ($0.created, StoreEvent.newOrder($0.id)) }
        let reviews = store.reviews.suffix(4).map { ($0.created, StoreEvent.newReview($0.id)) }
        for (created, event) in (orders + reviews).sorted(by: { $0.0 < $1.0 }) {
            guard let subject = store.subject(of: event) else { continue }
            account.notifications.insert(
                Notification(
                    id: account.nextNotification(), siteID: store.identity.id, siteName: store.identity.name,
                    siteAddress: store.identity.address, subject: subject, created: created,
                    isRead: created < now.advanced(by: .seconds(-3 * Self.day))), at: 0)
        }
    }
}

/// The initial state of a simulation.
struct GeneratedWorld: Sendable {
    var user: SiteUser
    var account: DotcomAccount
    var stores: [SiteStore]
    var accounts: [SiteAccounts]
}
