import Determinism
import Text

/// `coupons`
enum CouponEndpoints {
    static let routes: [Route] = Route.collection(
        "/wc/v3/coupons", list: list, get: get, create: create, update: update, delete: delete)

    private static func node(_ coupon: Coupon, _ store: SiteStore) -> JSONValue {
        let created = coupon.created ?? Timestamp(milliseconds: 0)
        let offset = store.identity.offsetSeconds
        let uses = store.orders.all.filter { order in
            order.status.isCounted && order.coupons.contains { $0.code == coupon.code }
        }
        var members: [JSONValue.Member] = [
            .init(name: "id", value: .integer(coupon.id)), .init(name: "code", value: .text(coupon.code)),
            .init(name: "amount", value: .text(coupon.discount.amount.text)),
            .init(name: "date_created", value: .text(WordPressDate.text(created, offsetSeconds: offset))),
            .init(name: "date_created_gmt", value: .text(WordPressDate.text(created))),
            .init(name: "discount_type", value: .text(coupon.type)),
            .init(name: "usage_count", value: .integer(uses.count)), .init(name: "used_by", value: []),
        ]
        members += Coupon.fields.map { .init(name: $0.name, value: coupon.extras[$0.name] ?? $0.standard) }
        members.append(
            .init(
                name: "_links",
                value: store.identity.links("wc/v3/coupons/\(coupon.id)", collection: "wc/v3/coupons")))
        return .object(members)
    }

    private static func list(_ store: inout SiteStore, _ call: Call) throws(SiteError) -> Reply {
        let page = try PageChoice(call.parameters)
        let code = call.parameters.text("code")?.lowercased()
        let search = call.parameters.text("search")?.lowercased()
        let found = store.coupons.filter { coupon in
            coupon.isListed && (code.map { coupon.code == $0 } ?? true)
                && (search.map { coupon.code.contains($0) } ?? true)
        }
        return Reply(page: page, of: found.reversed()) { node($0, store) }
    }

    private static func index(_ store: SiteStore, _ call: Call) throws(SiteError) -> Int {
        let refusal = SiteError(404, "woocommerce_rest_shop_coupon_invalid_id", "Invalid ID.")
        return try call.index(in: store.coupons, or: refusal) { $0.id }
    }

    private static func get(_ store: inout SiteStore, _ call: Call) throws(SiteError) -> Reply {
        Reply(node(store.coupons[try index(store, call)], store))
    }

    private static func create(_ store: inout SiteStore, _ call: Call) throws(SiteError) -> Reply {
        guard call.parameters["code"] != nil else { throw .missingParameter("code") }
        var coupon = Coupon(id: 0, code: "", discount: .cart(.zero), created: call.now)
        try coupon.change(call.parameters, in: &store)
        coupon.id = store.postIDs.next()
        store.coupons.append(coupon)
        store.report(.coupon(coupon.id), .created)
        return Reply(node(coupon, store), status: 201)
    }

    private static func update(_ store: inout SiteStore, _ call: Call) throws(SiteError) -> Reply {
        let coupon = try store.changeElement(at: index(store, call), of: \.coupons, call)
        store.report(.coupon(coupon.id), .updated)
        return Reply(node(coupon, store))
    }

    /// Deletes a coupon; without `force` it goes to the trash and is not accepted any more.
    private static func delete(_ store: inout SiteStore, _ call: Call) throws(SiteError) -> Reply {
        let coupon = try store.deleteElement(at: index(store, call), of: \.coupons, call, name: "coupon")
        store.report(.coupon(coupon.id), .deleted)
        return Reply(node(coupon, store))
    }
}

/// A coupon that the store accepts.
struct Coupon: CatalogElement, Hashable, Sendable {
    enum Discount: Hashable, Sendable {
        /// In hundredths of a percent.
        case percent(Amount)
        case cart(Amount)
        /// For each piece.
        case product(Amount)

        var amount: Amount {
            switch self {
            case .percent(let amount), .cart(let amount), .product(let amount): amount
            }
        }
    }

    var id: Int64
    /// In lowercase.
    var code: String
    var discount: Discount
    var created: Timestamp?
    /// Members of a coupon that clients set and the simulated store does not interpret.
    var extras = Extras()

    /// Whether it is not in the trash.
    var isListed: Bool { extras["status"] != "trash" }

    var type: String {
        switch discount {
        case .percent: "percent"
        case .cart: "fixed_cart"
        case .product: "fixed_product"
        }
    }

    fileprivate static let fields: [Field] = [
        Field("status", "publish", choices: ["publish", "draft", "pending", "private", "trash"]), Field("description"),
        Field("date_expires", .null), Field("individual_use", false), Field("product_ids", []),
        Field("excluded_product_ids", []), Field("usage_limit", .null), Field("usage_limit_per_user", .null),
        Field("limit_usage_to_x_items", .null), Field("free_shipping", false), Field("product_categories", []),
        Field("excluded_product_categories", []), Field("exclude_sale_items", false), Field("minimum_amount", "0.00"),
        Field("maximum_amount", "0.00"), Field("email_restrictions", []), Field("meta_data", []),
    ]

    /// Changes the coupon as requested.
    ///
    /// - Throws: the error of WooCommerce for an invalid request; then nothing has changed.
    mutating func change(_ parameters: SiteParameters, in store: inout SiteStore) throws(SiteError) {
        var changed = self
        if let code = parameters.text("code")?.lowercased() {
            guard !code.isEmpty else {
                throw SiteError(400, "woocommerce_rest_empty_coupon_code", "The coupon code cannot be empty.")
            }
            guard !store.coupons.contains(where: { $0.code == code && $0.id != id }) else {
                throw SiteError(
                    400, "woocommerce_rest_coupon_code_already_exists", "The coupon code already exists")
            }
            changed.code = code
        }
        var amount = discount.amount
        if let given = parameters["amount"], given != "" {
            guard let number = given.plainText.flatMap({ Amount($0) }), number >= .zero else {
                throw .invalidParameter("amount", "amount is not a number.")
            }
            amount = number
        }
        let type = try parameters.choice(
            "discount_type", ["percent", "fixed_cart", "fixed_product"], default: type)
        switch type {
        case "percent": changed.discount = .percent(amount)
        case "fixed_product": changed.discount = .product(amount)
        default: changed.discount = .cart(amount)
        }
        guard type != "percent" || amount <= Amount(hundredths: 10_000) else {
            throw SiteError(400, "coupon_invalid_amount", "Invalid discount amount.")
        }
        try changed.extras.take(Self.fields, from: parameters) { store.metaIDs.next() }
        self = changed
    }
}
