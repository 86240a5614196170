internal import Text

/// `products`, with the fields that orders need, and their reviews.
enum ProductEndpoints {
    static let routes: [Route] =
        Route.reading("/wc/v3/products/reviews", reviews, review) + Route.reading("/wc/v3/products", list, get)
        + Route.changes("/wc/v3/products/reviews/*", moderate)

    static func node(_ product: Product, _ store: SiteStore) -> JSONValue {
        [
            "id": .integer(product.id), "name": .text(product.name), "slug": .text(product.slug),
            "permalink": .text("\(store.identity.address)/product/\(product.slug)/"), "type": .text(product.type),
            "status": "publish", "featured": false, "catalog_visibility": "visible", "description": "",
            "short_description": "", "sku": .text(product.sku), "price": .text(product.price.text),
            "regular_price": .text(product.price.text), "sale_price": "", "on_sale": false, "purchasable": true,
            "virtual": .bool(product.isVirtual), "downloadable": false, "tax_status": "taxable",
            "tax_class": .text(product.taxClass), "manage_stock": .bool(product.stock != nil),
            "stock_quantity": product.stock.map { .integer($0) } ?? .null, "stock_status": "instock", "images": [],
            "bundled_items": .list(product.bundled.map { ["product_id": .integer($0)] }),
            "_links": store.identity.links("wc/v3/products/\(product.id)", collection: "wc/v3/products"),
        ]
    }

    private static func list(_ store: inout SiteStore, _ call: Call) throws(SiteError) -> Reply {
        let page = try PageChoice(call.parameters)
        let search = call.parameters.text("search")?.lowercased()
        let sku = call.parameters.text("sku")
        let found = store.products.filter { product in
            (search.map { product.name.lowercased().contains($0) } ?? true) && (sku.map { product.sku == $0 } ?? true)
        }
        return Reply(page: page, of: found.reversed()) { node($0, store) }
    }

    private static func get(_ store: inout SiteStore, _ call: Call) throws(SiteError) -> Reply {
        let refusal = SiteError(404, "woocommerce_rest_product_invalid_id", "Invalid ID.")
        return Reply(node(store.products[try call.index(in: store.products, or: refusal) { $0.id }], store))
    }

    // MARK: Reviews

    private static func node(_ review: Review, _ store: SiteStore) -> JSONValue {
        let product = store.products.first { $0.id == review.productID }
        return [
            "id": .integer(review.id),
            "date_created": .text(WordPressDate.text(review.created, offsetSeconds: store.identity.offsetSeconds)),
            "date_created_gmt": .text(WordPressDate.text(review.created)), "product_id": .integer(review.productID),
            "product_name": .text(product?.name ?? ""),
            "product_permalink": .text("\(store.identity.address)/product/\(product?.slug ?? "")/"),
            "status": .text(review.status.word), "reviewer": .text(review.author),
            "reviewer_email": .text(review.email),
            "review": .text("<p>\(review.text.escaped(\.markupReference))</p>\n"),
            "rating": .integer(review.rating), "verified": false, "reviewer_avatar_urls": [],
            "_links": store.identity.links(
                "wc/v3/products/reviews/\(review.id)", collection: "wc/v3/products/reviews"),
        ]
    }

    private static func reviews(_ store: inout SiteStore, _ call: Call) throws(SiteError) -> Reply {
        let page = try PageChoice(call.parameters)
        let status = try call.parameters.choice(
            "status", ["all", "hold", "approved", "spam", "trash"], default: "approved")
        let found = store.reviews.filter { review in
            review.rating > 0
                && (status == "all"
                    ? review.status == .approved || review.status == .unapproved
                    : review.status.word == status)
        }
        return Reply(page: page, of: found.reversed()) { node($0, store) }
    }

    private static let noSuchReview = SiteError(404, "woocommerce_rest_review_invalid_id", "Invalid review ID.")

    private static func index(_ store: SiteStore, _ call: Call) throws(SiteError) -> Int {
        try call.index(in: store.reviews, or: noSuchReview) { $0.rating > 0 ? $0.id : nil }
    }

    private static func review(_ store: inout SiteStore, _ call: Call) throws(SiteError) -> Reply {
        Reply(node(store.reviews[try index(store, call)], store))
    }

    private static func moderate(_ store: inout SiteStore, _ call: Call) throws(SiteError) -> Reply {
        let index = try index(store, call)
        let refusal = SiteError.invalidParameter(
            "status", "status is not one of approved, hold, spam, unspam, trash, untrash.")
        try store.reviews[index].change(
            status: call.parameters.text("status"), or: refusal, text: call.parameters.text("review"))
        return Reply(node(store.reviews[index], store))
    }
}

/// A product of the store.
struct Product: Hashable, Sendable {
    var id: Int64
    var name: String
    var slug: String
    var sku: String
    var price: Amount
    /// The slug of the tax class; empty for the standard class.
    var taxClass: String
    /// Whether nothing is shipped: an order of virtual products only needs no processing.
    var isVirtual: Bool
    /// The stock quantity; nil if stock is not managed.
    var stock: Int64?
    /// The product IDs in a bundle.
    var bundled: [Int64] = []
    var type: String { bundled.isEmpty ? "simple" : "bundle" }
}
