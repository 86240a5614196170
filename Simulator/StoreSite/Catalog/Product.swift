import Text

/// A product of the store.
struct Product: CatalogElement, Hashable, Sendable {
    var id: Int64
    /// HTML, as WordPress stores it.
    var name: String
    var slug, sku: String
    /// The current price: the sale price, or the regular price.
    var price: Amount
    /// The price before a sale; nil without one.
    var regular: Amount?
    /// The slug of the tax class; empty for the standard class.
    var taxClass: String
    /// Whether nothing is shipped: an order of virtual products only needs no processing.
    var isVirtual: Bool
    /// The stock quantity; nil if stock is not managed.
    var stock: Int64?
    /// The product IDs in a bundle.
    var bundled: [Int64] = []
    /// Members of a product that clients set and the simulated store does not interpret.
    var extras = Extras()

    var type: String { bundled.isEmpty ? "simple" : "bundle" }
    var status: String { extras["status"]?.plainText ?? "publish" }
    /// Whether it is not in the trash.
    var isListed: Bool { status != "trash" }

    /// Whether the product names an element of a list, such as a category.
    func names(_ id: Int64, in list: String) -> Bool {
        extras[list]?.elements?.contains { $0["id"]?.plainText == String(id) } ?? false
    }

    /// The members that clients give, and that have no other effect.
    static let fields: [Field] = [
        Field("type", "simple", choices: ["simple", "grouped", "external", "variable", "bundle"]),
        Field("status", "publish", choices: ["draft", "pending", "private", "publish", "future", "trash"]),
        Field("featured", false),
        Field("catalog_visibility", "visible", choices: ["visible", "catalog", "search", "hidden"]),
        Field("description"), Field("short_description"), Field("downloadable", false),
        Field("tax_status", "taxable", choices: ["taxable", "shipping", "none"]),
        Field("backorders", "no", choices: ["no", "notify", "yes"]), Field("weight"),
        Field("dimensions", ["length": "", "width": "", "height": ""]), Field("shipping_class"),
        Field("reviews_allowed", true), Field("purchase_note"), Field("parent_id", 0), Field("categories", []),
        Field("tags", []), Field("images", []), Field("attributes", []), Field("default_attributes", []),
        Field("variations", []), Field("menu_order", 0), Field("meta_data", []),
    ]

    /// Changes the product as requested.
    ///
    /// - Throws: the error of WooCommerce for an invalid request; then nothing has changed.
    mutating func change(_ parameters: SiteParameters, in store: inout SiteStore) throws(SiteError) {
        var changed = self
        if let name = parameters.text("name") { changed.name = name }
        if let sku = parameters.text("sku") {
            guard sku.isEmpty || !store.products.contains(where: { $0.sku == sku && $0.id != id }) else {
                throw SiteError(400, "product_invalid_sku", "Invalid or duplicated SKU.")
            }
            changed.sku = sku
        }
        try changed.changePrice(parameters)
        if let taxClass = parameters.text("tax_class") {
            changed.taxClass = taxClass == "standard" ? "" : taxClass
        }
        changed.isVirtual = try parameters.flag("virtual") ?? isVirtual
        let quantity = try parameters.integer("stock_quantity")
        if try parameters.flag("manage_stock") ?? (stock != nil) {
            changed.stock = quantity ?? stock ?? 0
        } else {
            changed.stock = nil
        }
        try changed.extras.take(Self.fields, from: parameters) { store.metaIDs.next() }
        let slug = parameters.text("slug") ?? (changed.slug.isEmpty ? changed.name : changed.slug)
        changed.slug = Slug.unused(Slug.of(slug)) { slug in
            store.products.contains { $0.slug == slug && $0.id != id }
        }
        self = changed
    }

    private mutating func changePrice(_ parameters: SiteParameters) throws(SiteError) {
        func amount(_ name: String) throws(SiteError) -> Amount? {
            guard let text = parameters.text(name), !text.isEmpty else { return nil }
            guard let amount = Amount(text), amount >= .zero else {
                throw .invalidParameter(name, "\(name) is not a price.")
            }
            return amount
        }
        let full = try amount("regular_price") ?? regular ?? price
        var sale = extras["sale_price"]?.plainText.flatMap { Amount($0) }
        if parameters["sale_price"] != nil {
            sale = try amount("sale_price")
            extras["sale_price"] = .text(sale?.text ?? "")
        }
        if let sale, sale < full { (price, regular) = (sale, full) } else { (price, regular) = (full, nil) }
    }
}

/// The filter and sorting of a list of products.
struct ProductQuery: Sendable {
    private let search: String?
    private let words: [(name: String, value: String)]
    private let include: Set<String>?
    private let exclude: Set<String>
    private let category: Int64?
    private let tag: Int64?
    private let isOnSale: Bool?
    private let least: Amount?
    private let most: Amount?
    private let sorting: String
    private let isAscending: Bool

    init(_ parameters: SiteParameters) throws(SiteError) {
        search = parameters.text("search")?.lowercased()
        words = ["sku", "slug", "type", "status"].compactMap { name in
            parameters.text(name).flatMap { $0.isEmpty || $0 == "any" ? nil : (name, $0) }
        }
        include = parameters.words("include").flatMap { $0.isEmpty ? nil : Set($0) }
        exclude = Set(parameters.words("exclude") ?? [])
        category = try parameters.integer("category")
        tag = try parameters.integer("tag")
        isOnSale = try parameters.flag("on_sale")
        least = parameters.text("min_price").flatMap { Amount($0) }
        most = parameters.text("max_price").flatMap { Amount($0) }
        sorting = try parameters.choice(
            "orderby",
            ["date", "id", "include", "title", "slug", "modified", "price", "popularity", "rating", "menu_order"],
            default: "date")
        isAscending = try parameters.choice("order", ["asc", "desc"], default: "desc") == "asc"
    }

    func found(in products: [Product]) -> [Product] {
        let found = products.filter(fits).sorted { first, second in
            switch sorting {
            case "title": (first.name, first.id) < (second.name, second.id)
            case "slug": (first.slug, first.id) < (second.slug, second.id)
            case "price": (first.price, first.id) < (second.price, second.id)
            default: first.id < second.id
            }
        }
        return isAscending ? found : found.reversed()
    }

    private func fits(_ product: Product) -> Bool {
        for (name, value) in words {
            let own =
                switch name {
                case "sku": product.sku
                case "slug": product.slug
                case "type": product.extras["type"]?.plainText ?? product.type
                default: product.status
                }
            guard own == value else { return false }
        }
        guard product.isListed || words.contains(where: { $0.value == "trash" }) else { return false }
        guard include?.contains(String(product.id)) ?? true, !exclude.contains(String(product.id)) else { return false }
        if let category { guard product.names(category, in: "categories") else { return false } }
        if let tag { guard product.names(tag, in: "tags") else { return false } }
        if let isOnSale { guard (product.regular != nil) == isOnSale else { return false } }
        if let least { guard product.price >= least else { return false } }
        if let most { guard product.price <= most else { return false } }
        return search.map { product.name.lowercased().contains($0) } ?? true
    }
}
