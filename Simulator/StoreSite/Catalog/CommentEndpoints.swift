import Determinism
import Text

/// Comments on the site itself (wp/v2) and at WordPress.com (rest/v1.1): product reviews and replies to them.
enum CommentEndpoints {
    static let routes: [Route] =
        [Route("POST", "/wp/v2/comments", isWordPress: true, reply)]
        + Route.reading("/wp/v2/comments", isWordPress: true, list, get)
        + Route.changes("/wp/v2/comments/*", isWordPress: true, update)

    // MARK: Site

    private static func node(_ review: Review, _ store: SiteStore) -> JSONValue {
        let slug = store.products.first { $0.id == review.productID }?.slug ?? ""
        return [
            "id": .integer(review.id), "post": .integer(review.productID), "parent": .integer(review.parent),
            "author": .integer(review.email == store.owner.email ? 1 : 0), "author_name": .text(review.author),
            "author_url": "",
            "date": .text(WordPressDate.text(review.created, offsetSeconds: store.identity.offsetSeconds)),
            "date_gmt": .text(WordPressDate.text(review.created)),
            "content": ["rendered": .text("<p>\(review.text.escaped(\.markupReference))</p>\n")],
            "link": .text("\(store.identity.address)/product/\(slug)/#comment-\(review.id)"),
            "status": .text(review.status.word), "type": .text(review.rating > 0 ? "review" : "comment"),
            "author_avatar_urls": [], "meta": [],
            "_links": store.identity.links("wp/v2/comments/\(review.id)", collection: "wp/v2/comments"),
        ]
    }

    private static func list(_ store: inout SiteStore, _ call: Call) throws(SiteError) -> Reply {
        let page = try PageChoice(call.parameters)
        let post = try call.parameters.integer("post")
        let found = store.reviews.filter { review in
            (review.status == .approved || review.status == .unapproved)
                && (post.map { review.productID == $0 } ?? true)
        }
        return Reply(page: page, of: found.reversed()) { node($0, store) }
    }

    private static func index(_ store: SiteStore, _ call: Call) throws(SiteError) -> Int {
        let refusal = SiteError(404, "rest_comment_invalid_id", "Invalid comment ID.")
        return try call.index(in: store.reviews, or: refusal) { $0.id }
    }

    private static func get(_ store: inout SiteStore, _ call: Call) throws(SiteError) -> Reply {
        Reply(node(store.reviews[try index(store, call)], store))
    }

    private static func update(_ store: inout SiteStore, _ call: Call) throws(SiteError) -> Reply {
        let index = try index(store, call)
        let refusal = SiteError(500, "rest_comment_failed_edit", "Updating comment status failed.")
        let text = call.parameters.text("content").flatMap { $0.isEmpty ? nil : $0 }
        try store.reviews[index].change(status: call.parameters.text("status"), or: refusal, text: text)
        return Reply(node(store.reviews[index], store))
    }

    static func reply(_ store: inout SiteStore, _ call: Call) throws(SiteError) -> Reply {
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
            id: store.commentIDs.next(), productID: post, parent: parent, author: call.user.displayName,
            email: call.user.email, created: call.now, text: text, rating: 0, status: .approved)
        store.reviews.append(comment)
        return Reply(node(comment, store), status: 201)
    }

    // MARK: WordPress.com

    private static let unknown = SiteError(404, "unknown_comment", "Unknown comment")

    static func dotcomComment(_ id: Int64, _ store: SiteStore) throws(SiteError) -> JSONValue {
        guard let review = store.reviews.first(where: { $0.id == id }) else { throw unknown }
        let product = store.products.first { $0.id == review.productID }
        let site = store.identity
        let local = WordPressDate.text(review.created, offsetSeconds: site.offsetSeconds)
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
            "content": .text("<p>\(review.text.escaped(\.markupReference))</p>\n"), "raw_content": .text(review.text),
            "status": .text(review.status.rawValue),
            "parent": review.parent == 0 ? false : ["ID": .integer(review.parent), "type": "comment"],
            "type": .text(review.rating > 0 ? "review" : "comment"), "like_count": 0, "i_like": false,
        ]
    }

    static func dotcomModerate(
        _ id: Int64, _ parameters: SiteParameters, _ store: inout SiteStore
    ) throws(SiteError) -> JSONValue {
        guard let index = store.reviews.firstIndex(where: { $0.id == id }) else { throw unknown }
        let status = parameters.text("status")
        let problem = "Invalid comment status value provided: '\(status?.prefix(32) ?? "")'."
        try store.reviews[index].change(status: status, or: SiteError(400, "invalid_status", problem))
        return try dotcomComment(id, store)
    }

    /// Returns a UTC offset such as `-05:00`.
    static func zone(_ offsetSeconds: Int) -> String {
        let minutes = abs(offsetSeconds) / 60
        return "\(offsetSeconds < 0 ? "-" : "+")\((minutes / 60).zeroPadded(to: 2)):\((minutes % 60).zeroPadded(to: 2))"
    }
}

/// A product review, or a reply to one.
struct Review: Hashable, Sendable {
    enum Status: String, Hashable, Sendable {
        case approved, unapproved, spam, trash

        /// The status in wp/v2 and wc/v3.
        var word: String { self == .unapproved ? "hold" : rawValue }
    }

    var id: Int64
    var productID: Int64
    /// The parent comment; 0 for none.
    var parent: Int64
    var author: String
    var email: String
    var created: Timestamp
    var text: String
    /// 1...5; 0 for a reply.
    var rating: Int64
    var status: Status
    /// The status before it became spam or trash.
    var earlier: Status = .unapproved

    /// Changes the status to the one that a word of any API means, and the text; nil keeps them.
    ///
    /// - Throws: `refusal` for an unknown word.
    mutating func change(
        status word: String?, or refusal: SiteError, text newText: String? = nil
    ) throws(SiteError) {
        switch word {
        case nil: break
        case "approved", "approve": status = .approved
        case "unapproved", "hold": status = .unapproved
        case "spam": leave(for: .spam)
        case "trash": leave(for: .trash)
        case "unspam": if status == .spam { status = earlier }
        case "untrash": if status == .trash { status = earlier }
        default: throw refusal
        }
        if let newText { text = newText }
    }

    private mutating func leave(for new: Status) {
        if status != .spam, status != .trash { earlier = status }
        status = new
    }
}
