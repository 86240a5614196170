/// `products`, as much of them as orders need, and their reviews.
enum ProductEndpoints {
    static let routes: [Route] =
        [
            Route("GET", "/wc/v3/products", list), Route("GET", "/wc/v3/products/reviews", reviews),
            Route("GET", "/wc/v3/products/reviews/*", review), Route("GET", "/wc/v3/products/*", get),
        ] + Route.changes("/wc/v3/products/reviews/*", moderate)

    static func node(_ product: Product, _ store: Store) -> JSONNode {
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

    private static func list(_ store: inout Store, _ call: Call) throws(SiteError) -> Reply {
        let page = try PageChoice(call.parameters)
        let search = call.parameters.text("search")?.lowercased()
        let sku = call.parameters.text("sku")
        let found = store.products.filter { product in
            (search.map { product.name.lowercased().contains($0) } ?? true) && (sku.map { product.sku == $0 } ?? true)
        }
        return Reply(page: page, of: found.reversed().map { node($0, store) })
    }

    private static func get(_ store: inout Store, _ call: Call) throws(SiteError) -> Reply {
        let refusal = SiteError(404, "woocommerce_rest_product_invalid_id", "Invalid ID.")
        let id = try call.id(0, or: refusal)
        guard let product = store.products.first(where: { $0.id == id }) else { throw refusal }
        return Reply(node(product, store))
    }

    // MARK: Reviews

    private static func word(_ status: Review.Status) -> String {
        switch status {
        case .approved: "approved"
        case .unapproved: "hold"
        case .spam: "spam"
        case .trash: "trash"
        }
    }

    private static func node(_ review: Review, _ store: Store) -> JSONNode {
        let product = store.products.first { $0.id == review.productID }
        return [
            "id": .integer(review.id),
            "date_created": .text(WallDate.text(review.created, offsetSeconds: store.identity.offsetSeconds)),
            "date_created_gmt": .text(WallDate.text(review.created)), "product_id": .integer(review.productID),
            "product_name": .text(product?.name ?? ""),
            "product_permalink": .text("\(store.identity.address)/product/\(product?.slug ?? "")/"),
            "status": .text(word(review.status)), "reviewer": .text(review.author),
            "reviewer_email": .text(review.email), "review": .text("<p>\(HTMLText.escaped(review.text))</p>\n"),
            "rating": .integer(review.rating), "verified": false, "reviewer_avatar_urls": [],
            "_links": store.identity.links(
                "wc/v3/products/reviews/\(review.id)", collection: "wc/v3/products/reviews"),
        ]
    }

    private static func reviews(_ store: inout Store, _ call: Call) throws(SiteError) -> Reply {
        let page = try PageChoice(call.parameters)
        let status = try call.parameters.choice(
            "status", ["all", "hold", "approved", "spam", "trash"], default: "approved")
        let found = store.reviews.filter { review in
            review.rating > 0
                && (status == "all"
                    ? review.status == .approved || review.status == .unapproved
                    : word(review.status) == status)
        }
        return Reply(page: page, of: found.reversed().map { node($0, store) })
    }

    private static let noSuchReview = SiteError(404, "woocommerce_rest_review_invalid_id", "Invalid review ID.")

    private static func index(_ store: Store, _ call: Call) throws(SiteError) -> Int {
        let id = try call.id(0, or: noSuchReview)
        guard let index = store.reviews.firstIndex(where: { $0.id == id && $0.rating > 0 }) else { throw noSuchReview }
        return index
    }

    private static func review(_ store: inout Store, _ call: Call) throws(SiteError) -> Reply {
        Reply(node(store.reviews[try index(store, call)], store))
    }

    private static func moderate(_ store: inout Store, _ call: Call) throws(SiteError) -> Reply {
        let index = try index(store, call)
        if let status = call.parameters.text("status") {
            guard CommentEndpoints.moderate(&store.reviews[index], status) else {
                throw .invalidParameter("status", "status is not one of approved, hold, spam, unspam, trash, untrash.")
            }
        }
        if let text = call.parameters.text("review") { store.reviews[index].text = text }
        return Reply(node(store.reviews[index], store))
    }
}
