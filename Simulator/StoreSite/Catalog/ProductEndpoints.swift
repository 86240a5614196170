import Text

/// `products`, with the fields that orders need, and their reviews.
enum ProductEndpoints {
    static let routes: [Route] =
        Route.reading("/wc/v3/products/reviews", reviews, review)
        + Route.changes("/wc/v3/products/reviews/*", moderate)
        + Route.collection(
            "/wc/v3/products", list: list, get: get, create: create, update: update, delete: delete)

    static func node(_ product: Product, _ store: SiteStore) -> JSONValue {
        let node: JSONValue = [
            "id": .integer(product.id), "name": .text(product.name), "slug": .text(product.slug),
            "permalink": .text("\(store.identity.address)/product/\(product.slug)/"), "type": .text(product.type),
            "status": "publish", "featured": false, "catalog_visibility": "visible", "description": "",
            "short_description": "", "sku": .text(product.sku), "price": .text(product.price.text),
            "regular_price": .text((product.regular ?? product.price).text), "sale_price": "",
            "on_sale": .bool(product.regular != nil), "purchasable": true,
            "virtual": .bool(product.isVirtual), "downloadable": false, "tax_status": "taxable",
            "tax_class": .text(product.taxClass), "manage_stock": .bool(product.stock != nil),
            "stock_quantity": product.stock.map { .integer($0) } ?? .null,
            "stock_status": .text(product.stock.map { $0 > 0 } ?? true ? "instock" : "outofstock"), "images": [],
            "bundled_items": .list(product.bundled.map { ["product_id": .integer($0)] }),
            "_links": store.identity.links("wc/v3/products/\(product.id)", collection: "wc/v3/products"),
        ]
        guard !product.extras.members.isEmpty else { return node }
        var extras = product.extras
        for name in ["categories", "tags"] {
            guard let elements = extras[name]?.elements else { continue }
            let known = store.records["products/\(name)"] ?? []
            extras[name] = .list(
                elements.compactMap { element in
                    let id = element["id"]?.plainText
                    return known.first { String($0.id) == id }.map { record in
                        [
                            "id": .integer(record.id), "name": .text(record.name),
                            "slug": record.extras["slug"] ?? "",
                        ]
                    }
                })
        }
        return node.joined(extras.members)
    }

    private static func list(_ store: inout SiteStore, _ call: Call) throws(SiteError) -> Reply {
        let page = try PageChoice(call.parameters)
        let query = try ProductQuery(call.parameters)
        return Reply(page: page, of: query.found(in: store.products)) { node($0, store) }
    }

    private static func index(_ store: SiteStore, _ call: Call) throws(SiteError) -> Int {
        let refusal = SiteError(404, "woocommerce_rest_product_invalid_id", "Invalid ID.")
        return try call.index(in: store.products, or: refusal) { $0.id }
    }

    private static func get(_ store: inout SiteStore, _ call: Call) throws(SiteError) -> Reply {
        Reply(node(store.products[try index(store, call)], store))
    }

    // MARK: Changes

    private static func create(_ store: inout SiteStore, _ call: Call) throws(SiteError) -> Reply {
        guard call.parameters["id"] == nil else {
            throw SiteError(400, "woocommerce_rest_product_exists", "Cannot create existing product.")
        }
        var product = Product(
            id: 0, name: "AUTO-DRAFT", slug: "", sku: "", price: .zero, taxClass: "", isVirtual: false, stock: nil)
        try product.change(call.parameters, in: &store)
        product.id = store.postIDs.next()
        let moment = call.now
        product.extras["date_created"] = .text(
            WordPressDate.text(moment, offsetSeconds: store.identity.offsetSeconds))
        product.extras["date_created_gmt"] = .text(WordPressDate.text(moment))
        product.extras.complete(Product.fields)
        store.products.append(product)
        store.report(.product(product.id), .created)
        return Reply(node(product, store), status: 201)
    }

    private static func update(_ store: inout SiteStore, _ call: Call) throws(SiteError) -> Reply {
        let product = try store.changeElement(at: index(store, call), of: \.products, call)
        store.report(.product(product.id), .updated)
        return Reply(node(product, store))
    }

    /// Deletes a product; without `force` it goes to the trash.
    private static func delete(_ store: inout SiteStore, _ call: Call) throws(SiteError) -> Reply {
        let product = try store.deleteElement(at: index(store, call), of: \.products, call, name: "product")
        store.report(.product(product.id), .deleted)
        return Reply(node(product, store))
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

    private static func reviewIndex(_ store: SiteStore, _ call: Call) throws(SiteError) -> Int {
        try call.index(in: store.reviews, or: noSuchReview) { $0.rating > 0 ? $0.id : nil }
    }

    private static func review(_ store: inout SiteStore, _ call: Call) throws(SiteError) -> Reply {
        Reply(node(store.reviews[try reviewIndex(store, call)], store))
    }

    private static func moderate(_ store: inout SiteStore, _ call: Call) throws(SiteError) -> Reply {
        let index = try reviewIndex(store, call)
        let refusal = SiteError.invalidParameter(
            "status", "status is not one of approved, hold, spam, unspam, trash, untrash.")
        try store.reviews[index].change(
            status: call.parameters.text("status"), or: refusal, text: call.parameters.text("review"))
        return Reply(node(store.reviews[index], store))
    }
}
