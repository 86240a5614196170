import Determinism
import Text

/// `customers` of wc/v3, which have accounts, and of wc-analytics, which have orders.
enum CustomerEndpoints {
    static let routes: [Route] =
        Route.collection("/wc/v3/customers", list: list, get: get, create: create, update: update, delete: delete)
        + [
            Route("GET", "/wc/v3/customers/*/downloads", downloads),
            Route("GET", "/wc-analytics/customers", analyticsList),
        ]

    private static func node(_ customer: Customer, _ store: SiteStore) -> JSONValue {
        let registered = customer.registered ?? customer.lastActive
        let offset = store.identity.offsetSeconds
        let hasPaid = store.orders.all.contains { $0.customerID == customer.userID && $0.status.isPaid }
        return [
            "id": .integer(customer.userID),
            "date_created": .text(WordPressDate.text(registered, offsetSeconds: offset)),
            "date_created_gmt": .text(WordPressDate.text(registered)),
            "date_modified": .text(WordPressDate.text(customer.lastActive, offsetSeconds: offset)),
            "date_modified_gmt": .text(WordPressDate.text(customer.lastActive)), "email": .text(customer.email),
            "first_name": customer.extras["first_name"] ?? .text(customer.billing.firstName),
            "last_name": customer.extras["last_name"] ?? .text(customer.billing.lastName), "role": "customer",
            "username": .text(customer.username),
            "billing": customer.billing.node(withEmail: true), "shipping": customer.shipping.node(withEmail: false),
            "is_paying_customer": .bool(hasPaid),
            "avatar_url": "https://secure.gravatar.com/avatar/?s=96&d=mm&r=g",
            "meta_data": customer.extras["meta_data"] ?? [],
            "_links": store.identity.links(
                "wc/v3/customers/\(customer.userID)", collection: "wc/v3/customers"),
        ]
    }

    private static func list(_ store: inout SiteStore, _ call: Call) throws(SiteError) -> Reply {
        let page = try PageChoice(call.parameters)
        let search = call.parameters.text("search")?.lowercased()
        let email = call.parameters.text("email")?.lowercased()
        let found = store.customers.filter { customer in
            customer.userID > 0 && (email.map { customer.email.lowercased() == $0 } ?? true)
                && (search.map { matches(customer, "all", $0) } ?? true)
        }.sorted { ($0.billing.name, $0.id) < ($1.billing.name, $1.id) }
        return Reply(page: page, of: found) { node($0, store) }
    }

    private static func index(_ store: SiteStore, _ call: Call) throws(SiteError) -> Int {
        let refusal = SiteError(404, "woocommerce_rest_invalid_id", "Invalid resource ID.")
        return try call.index(in: store.customers, or: refusal) { $0.userID > 0 ? $0.userID : nil }
    }

    private static func get(_ store: inout SiteStore, _ call: Call) throws(SiteError) -> Reply {
        Reply(node(store.customers[try index(store, call)], store))
    }

    /// Nothing that the store sells is downloaded.
    private static func downloads(_ store: inout SiteStore, _ call: Call) throws(SiteError) -> Reply {
        _ = try index(store, call)
        return Reply([])
    }

    private static func create(_ store: inout SiteStore, _ call: Call) throws(SiteError) -> Reply {
        guard let email = call.parameters.text("email") else { throw .missingParameter("email") }
        let stem = email.prefix { $0 != "@" }.lowercased()
        let given = call.parameters.text("username") ?? ""
        let username =
            given.isEmpty
            ? Slug.unused(stem) { name in store.customers.contains { $0.username == name } } : given
        guard !store.customers.contains(where: { $0.username == username }) else {
            throw SiteError(
                400, "registration-error-username-exists", "An account is already registered with that username.")
        }
        var customer = Customer(
            id: (store.customers.lazy.map(\.id).max() ?? 0) + 1,
            userID: max(1, store.customers.lazy.map(\.userID).max() ?? 1) + 1, username: username,
            billing: PostalAddress(), shipping: PostalAddress(), registered: call.now, lastActive: call.now)
        try customer.change(call.parameters, in: &store)
        store.customers.append(customer)
        store.report(.customer(customer.userID), .created)
        return Reply(node(customer, store), status: 201)
    }

    private static func update(_ store: inout SiteStore, _ call: Call) throws(SiteError) -> Reply {
        let index = try index(store, call)
        var customer = store.customers[index]
        guard call.parameters.text("username").map({ $0 == customer.username }) ?? true else {
            throw SiteError(400, "woocommerce_rest_customer_invalid_argument", "Username isn't editable.")
        }
        try customer.change(call.parameters, in: &store)
        customer.lastActive = call.now
        store.customers[index] = customer
        store.report(.customer(customer.userID), .updated)
        return Reply(node(customer, store))
    }

    /// Deletes an account. Its orders become those of `reassign`, or of a guest.
    private static func delete(_ store: inout SiteStore, _ call: Call) throws(SiteError) -> Reply {
        let index = try index(store, call)
        guard try call.parameters.flag("force") ?? false else {
            throw SiteError(501, "woocommerce_rest_trash_not_supported", "Customers do not support trashing.")
        }
        let customer = store.customers[index]
        let heir = try call.parameters.integer("reassign") ?? 0
        guard heir == 0 || (heir != customer.userID && store.customers.contains { $0.userID == heir }) else {
            throw SiteError(400, "woocommerce_rest_customer_invalid_reassign", "Invalid resource id for reassignment.")
        }
        let shown = node(customer, store)
        store.customers.remove(at: index)
        for var order in store.orders.all where order.customerID == customer.userID {
            order.customerID = heir
            store.orders.put(order)
        }
        store.report(.customer(customer.userID), .deleted)
        return Reply(shown)
    }

    private static func matches(_ customer: Customer, _ place: String, _ keyword: String) -> Bool {
        let name = customer.billing.name.lowercased().contains(keyword)
        let username = customer.username.lowercased().contains(keyword)
        let email = customer.billing.email.lowercased().contains(keyword)
        return switch place {
        case "name": name
        case "username": username
        case "email": email
        default: name || username || email
        }
    }

    /// A customer's purchases.
    private struct Purchases {
        var count: Int64 = 0
        var spent = Amount.zero
    }

    private static func analyticsList(_ store: inout SiteStore, _ call: Call) throws(SiteError) -> Reply {
        let page = try PageChoice(call.parameters)
        let sorting = try call.parameters.choice(
            "orderby",
            [
                "username", "name", "country", "city", "state", "postcode", "date_registered", "date_last_active",
                "orders_count", "total_spend", "avg_order_value",
            ], default: "date_registered")
        let isAscending = try call.parameters.choice("order", ["asc", "desc"], default: "desc") == "asc"
        let place = try call.parameters.choice("searchby", ["name", "username", "email", "all"], default: "name")
        let search = call.parameters.text("search").flatMap { $0.isEmpty ? nil : $0.lowercased() }
        let withEmail = call.parameters.words("filter_empty")?.contains("email") ?? false
        var purchases: [Int64: Purchases] = [:]
        var guests: [String: Int64] = [:]
        var accounts: [Int64: Int64] = [:]
        for customer in store.customers {
            if customer.userID > 0 {
                accounts[customer.userID] = customer.id
            } else {
                guests[customer.billing.email] = customer.id
            }
        }
        for order in store.orders.all where order.status.isCounted {
            let buyer = order.customerID > 0 ? accounts[order.customerID] : guests[order.billing.email]
            guard let buyer else { continue }
            purchases[buyer, default: Purchases()].count += 1
            purchases[buyer, default: Purchases()].spent += order.totals.total - order.refunded
        }
        var found = store.customers.filter { customer in
            (!withEmail || !customer.billing.email.isEmpty) && (search.map { matches(customer, place, $0) } ?? true)
        }
        found.sort { first, second in
            let (one, other) = (purchases[first.id] ?? Purchases(), purchases[second.id] ?? Purchases())
            return switch sorting {
            case "name": (first.billing.name, first.id) < (second.billing.name, second.id)
            case "username": (first.username, first.id) < (second.username, second.id)
            case "country": (first.billing.country, first.id) < (second.billing.country, second.id)
            case "city": (first.billing.city, first.id) < (second.billing.city, second.id)
            case "state": (first.billing.state, first.id) < (second.billing.state, second.id)
            case "postcode": (first.billing.postcode, first.id) < (second.billing.postcode, second.id)
            case "date_last_active": (first.lastActive, first.id) < (second.lastActive, second.id)
            case "orders_count": (one.count, first.id) < (other.count, second.id)
            case "total_spend": (one.spent, first.id) < (other.spent, second.id)
            case "avg_order_value":
                (one.spent.part(1, of: max(1, one.count)), first.id)
                    < (other.spent.part(1, of: max(1, other.count)), second.id)
            default: (first.registered?.milliseconds ?? 0, first.id) < (second.registered?.milliseconds ?? 0, second.id)
            }
        }
        if !isAscending { found.reverse() }
        return Reply(page: page, of: found) { analyticsNode($0, purchases[$0.id] ?? Purchases(), store) }
    }

    private static func analyticsNode(_ customer: Customer, _ bought: Purchases, _ store: SiteStore) -> JSONValue {
        let offset = store.identity.offsetSeconds
        return [
            "id": .integer(customer.id), "user_id": .integer(customer.userID), "name": .text(customer.billing.name),
            "username": .text(customer.username), "country": .text(customer.billing.country),
            "city": .text(customer.billing.city), "state": .text(customer.billing.state),
            "postcode": .text(customer.billing.postcode), "email": .text(customer.billing.email),
            "date_registered": .optional(customer.registered.map { WordPressDate.text($0, offsetSeconds: offset) }),
            "date_registered_gmt": .optional(customer.registered.map { WordPressDate.text($0) }),
            "date_last_active": .text(WordPressDate.text(customer.lastActive, offsetSeconds: offset)),
            "date_last_active_gmt": .text(WordPressDate.text(customer.lastActive)),
            "orders_count": .integer(bought.count),
            "total_spend": .number(bought.spent.number),
            "avg_order_value": .number(bought.spent.numberEach(bought.count)), "_links": [],
        ]
    }
}

/// A customer with an account, or a guest.
struct Customer: Hashable, Sendable {
    /// The ID in wc-analytics, which includes guests.
    var id: Int64
    /// The ID of the account; 0 for a guest.
    var userID: Int64
    var username: String
    var billing, shipping: PostalAddress
    /// When the account was created; nil for a guest.
    var registered: Timestamp?
    var lastActive: Timestamp
    /// Members of an account that clients set and the simulated store does not interpret.
    var extras = Extras()

    var email: String { extras["email"]?.plainText ?? billing.email }

    private static let fields = [
        Field("email"), Field("first_name"), Field("last_name"), Field("meta_data", []),
    ]

    /// Changes the account as requested.
    ///
    /// - Throws: the error of WooCommerce for an invalid request; then nothing has changed.
    fileprivate mutating func change(_ parameters: SiteParameters, in store: inout SiteStore) throws(SiteError) {
        var changed = self
        try changed.extras.take(Self.fields, from: parameters) { store.metaIDs.next() }
        if parameters["email"] != nil {
            let email = changed.email
            guard PostalAddress.isEmail(email) else {
                throw .invalidParameter("email", "Invalid email address.")
            }
            guard !store.customers.contains(where: { $0.userID > 0 && $0.email == email && $0.id != id }) else {
                throw SiteError(
                    400, "registration-error-email-exists", "An account is already registered with your email address.")
            }
        }
        if let billing = parameters["billing"] { changed.billing.change(billing) }
        if let shipping = parameters["shipping"] { changed.shipping.change(shipping) }
        guard changed.billing.email.isEmpty || PostalAddress.isEmail(changed.billing.email) else {
            throw .invalidParameter("billing", "Invalid email address.")
        }
        self = changed
    }
}

/// A billing or shipping address.
struct PostalAddress: Hashable, Sendable {
    var firstName = ""
    var lastName = ""
    var company = ""
    var address1 = ""
    var address2 = ""
    var city = ""
    var state = ""
    var postcode = ""
    var country = ""
    /// Billing addresses only.
    var email = ""
    var phone = ""

    var name: String { [firstName, lastName].filter { !$0.isEmpty }.joined(separator: " ") }

    static func isEmail(_ text: String) -> Bool {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        return parts.count == 2 && !parts[0].isEmpty && parts[1].contains(".") && !text.contains(" ")
    }

    /// Updates the fields in a request and keeps the others.
    mutating func change(_ node: JSONValue) {
        func take(_ name: String, _ field: WritableKeyPath<PostalAddress, String>) {
            if let text = node[name]?.plainText { self[keyPath: field] = text }
        }
        take("first_name", \.firstName)
        take("last_name", \.lastName)
        take("company", \.company)
        take("address_1", \.address1)
        take("address_2", \.address2)
        take("city", \.city)
        take("state", \.state)
        take("postcode", \.postcode)
        take("country", \.country)
        take("email", \.email)
        take("phone", \.phone)
    }

    func write(into writer: inout JSONWriter, withEmail: Bool) {
        writer.member("first_name", firstName)
        writer.member("last_name", lastName)
        writer.member("company", company)
        writer.member("address_1", address1)
        writer.member("address_2", address2)
        writer.member("city", city)
        writer.member("state", state)
        writer.member("postcode", postcode)
        writer.member("country", country)
        if withEmail { writer.member("email", email) }
        writer.member("phone", phone)
    }

    func node(withEmail: Bool) -> JSONValue {
        var writer = JSONWriter()
        writer.object { write(into: &$0, withEmail: withEmail) }
        return JSONReader.node(writer.bytes) ?? .null
    }
}
