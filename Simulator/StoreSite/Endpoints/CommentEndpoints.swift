internal import Determinism

/// Comments: of the site itself, wp/v2, and of WordPress.com, rest/v1.1. Here they are reviews of products and the
/// replies to them.
enum CommentEndpoints {
    static let routes: [Route] =
        [
            Route("GET", "/wp/v2/comments", isWordPress: true, list),
            Route("GET", "/wp/v2/comments/*", isWordPress: true, get),
            Route("POST", "/wp/v2/comments", isWordPress: true, reply),
        ] + Route.changes("/wp/v2/comments/*", isWordPress: true, update)

    /// Moves a comment to the state that a word of either interface means.
    ///
    /// - Returns: whether it means any.
    static func moderate(_ review: inout Review, _ word: String) -> Bool {
        func leave(for status: Review.Status) {
            if review.status != .spam, review.status != .trash { review.earlier = review.status }
            review.status = status
        }
        switch word {
        case "approved", "approve": review.status = .approved
        case "unapproved", "hold": review.status = .unapproved
        case "spam": leave(for: .spam)
        case "trash": leave(for: .trash)
        case "unspam": if review.status == .spam { review.status = review.earlier }
        case "untrash": if review.status == .trash { review.status = review.earlier }
        default: return false
        }
        return true
    }

    // MARK: The site itself

    private static func word(_ status: Review.Status) -> String {
        switch status {
        case .approved: "approved"
        case .unapproved: "hold"
        case .spam: "spam"
        case .trash: "trash"
        }
    }

    private static func node(_ review: Review, _ store: Store) -> JSONNode {
        let slug = store.products.first { $0.id == review.productID }?.slug ?? ""
        return [
            "id": .integer(review.id), "post": .integer(review.productID), "parent": .integer(review.parent),
            "author": .integer(review.email == store.owner.email ? 1 : 0), "author_name": .text(review.author),
            "author_url": "",
            "date": .text(WallDate.text(review.created, offsetSeconds: store.identity.offsetSeconds)),
            "date_gmt": .text(WallDate.text(review.created)),
            "content": ["rendered": .text("<p>\(HTMLText.escaped(review.text))</p>\n")],
            "link": .text("\(store.identity.address)/product/\(slug)/#comment-\(review.id)"),
            "status": .text(word(review.status)), "type": .text(review.rating > 0 ? "review" : "comment"),
            "author_avatar_urls": [], "meta": [],
            "_links": store.identity.links("wp/v2/comments/\(review.id)", collection: "wp/v2/comments"),
        ]
    }

    private static func list(_ store: inout Store, _ call: Call) throws(SiteError) -> Reply {
        let page = try PageChoice(call.parameters)
        let post = try call.parameters.integer("post")
        let found = store.reviews.filter { review in
            (review.status == .approved || review.status == .unapproved)
                && (post.map { review.productID == $0 } ?? true)
        }
        return Reply(page: page, of: found.reversed().map { node($0, store) })
    }

    private static func index(_ store: Store, _ call: Call) throws(SiteError) -> Int {
        let refusal = SiteError(404, "rest_comment_invalid_id", "Invalid comment ID.")
        let id = try call.id(0, or: refusal)
        guard let index = store.reviews.firstIndex(where: { $0.id == id }) else { throw refusal }
        return index
    }

    private static func get(_ store: inout Store, _ call: Call) throws(SiteError) -> Reply {
        Reply(node(store.reviews[try index(store, call)], store))
    }

    private static func update(_ store: inout Store, _ call: Call) throws(SiteError) -> Reply {
        let index = try index(store, call)
        if let status = call.parameters.text("status") {
            guard moderate(&store.reviews[index], status) else {
                throw SiteError(500, "rest_comment_failed_edit", "Updating comment status failed.")
            }
        }
        if let text = call.parameters.text("content"), !text.isEmpty { store.reviews[index].text = text }
        return Reply(node(store.reviews[index], store))
    }

    static func reply(_ store: inout Store, _ call: Call) throws(SiteError) -> Reply {
        let post = try call.parameters.integer("post") ?? 0
        guard store.products.contains(where: { $0.id == post }) else {
            throw SiteError(
                403, "rest_comment_invalid_post_id",
                "Sorry, you are not allowed to create this comment without a post.")
        }
        let text = call.parameters.text("content") ?? call.parameters["content"]?["raw"]?.plainText ?? ""
        guard !text.isEmpty else {
            throw SiteError(400, "rest_comment_content_invalid", "Invalid comment content.")
        }
        let parent = try call.parameters.integer("parent") ?? 0
        guard parent == 0 || store.reviews.contains(where: { $0.id == parent && $0.productID == post }) else {
            throw SiteError(403, "rest_comment_invalid_parent", "Sorry, you cannot reply to this comment.")
        }
        let isKnown = store.reviews.contains {
            $0.productID == post && $0.parent == parent && $0.text == text && $0.email == call.user.email
        }
        guard !isKnown else {
            throw SiteError(
                409, "comment_duplicate",
                "Duplicate comment detected; it looks as though you&#8217;ve already said that!")
        }
        let comment = Review(
            id: store.nextComment(), productID: post, parent: parent, author: call.user.displayName,
            email: call.user.email, created: call.now, text: text, rating: 0, status: .approved)
        store.reviews.append(comment)
        return Reply(node(comment, store), status: 201)
    }

    // MARK: WordPress.com

    private static let unknown = SiteError(404, "unknown_comment", "Unknown comment")

    static func dotcomComment(_ id: Int64, _ store: Store) throws(SiteError) -> JSONNode {
        guard let review = store.reviews.first(where: { $0.id == id }) else { throw unknown }
        let product = store.products.first { $0.id == review.productID }
        let site = store.identity
        let local = WallDate.text(review.created, offsetSeconds: site.offsetSeconds)
        return [
            "ID": .integer(review.id),
            "post": [
                "ID": .integer(review.productID), "title": .text(product?.name ?? ""), "type": "product",
                "link": .text("\(site.address)/product/\(product?.slug ?? "")/"),
            ],
            "author": [
                "ID": 0, "login": "", "email": .text(review.email), "name": .text(review.author), "first_name": "",
                "last_name": "", "nice_name": "", "URL": "", "avatar_URL": "", "profile_URL": "",
            ], "date": .text(local + zone(site.offsetSeconds)),
            "URL": .text("\(site.address)/product/\(product?.slug ?? "")/#comment-\(review.id)"),
            "content": .text("<p>\(HTMLText.escaped(review.text))</p>\n"), "raw_content": .text(review.text),
            "status": .text(review.status.rawValue),
            "parent": review.parent == 0 ? false : ["ID": .integer(review.parent), "type": "comment"],
            "type": .text(review.rating > 0 ? "review" : "comment"), "like_count": 0, "i_like": false,
        ]
    }

    static func dotcomModerate(
        _ id: Int64, _ parameters: SiteParameters, _ store: inout Store
    ) throws(SiteError) -> JSONNode {
        guard let index = store.reviews.firstIndex(where: { $0.id == id }) else { throw unknown }
        if let status = parameters.text("status") {
            guard moderate(&store.reviews[index], status) else {
                throw SiteError(400, "invalid_status", "Invalid comment status value provided: '\(status.prefix(32))'.")
            }
        }
        return try dotcomComment(id, store)
    }

    /// `-05:00`
    static func zone(_ offsetSeconds: Int) -> String {
        let minutes = abs(offsetSeconds) / 60
        return "\(offsetSeconds < 0 ? "-" : "+")\(WallDate.pad(minutes / 60)):\(WallDate.pad(minutes % 60))"
    }
}
