import Determinism
import Text

/// A WordPress.com notification to the owner of a site.
struct Notification: Hashable, Sendable {
    enum Subject: Hashable, Sendable {
        case order(Int64, total: String, customer: String)
        case review(Int64, product: String, author: String, text: String)
    }

    var id, siteID: Int64
    var siteName, siteAddress: String
    var subject: Subject
    var created: Timestamp
    var isRead = false

    /// A hash that changes with any part of the notification.
    var hash: Int64 {
        var hash: UInt32 = 0x811C_9DC5
        for byte in "\(id) \(siteID) \(isRead)".utf8 { hash = (hash ^ UInt32(byte)) &* 0x0100_0193 }
        return Int64(hash)
    }

    var node: JSONValue {
        let title: String
        let words: String
        let kind: (type: String, subtype: JSONValue, noticon: String, address: String)
        var ids: [JSONValue.Member] = [.init(name: "site", value: .integer(siteID))]
        switch subject {
        case .order(let order, let total, let customer):
            title = "New Order"
            words = "\(customer.isEmpty ? "Someone" : customer) placed a \(total) order from \(siteName)"
            kind = ("store_order", .null, "\u{f447}", "\(siteAddress)/wp-admin/post.php?post=\(order)&action=edit")
            ids.append(.init(name: "order", value: .integer(order)))
        case .review(let review, let product, let author, let text):
            title = "Product Review"
            words = "\(author) left a review on \(product): \(text)"
            kind = ("comment", "store_review", "\u{f300}", "\(siteAddress)/?p=\(review)#comment-\(review)")
            ids.append(.init(name: "comment", value: .integer(review)))
        }
        let range: JSONValue = [["type": "b", "indices": [0, .integer(min(words.utf16.count, siteName.utf16.count))]]]
        return [
            "id": .integer(id), "note_hash": .integer(hash), "type": .text(kind.type), "subtype": kind.subtype,
            "read": isRead ? 1 : 0, "unread": isRead ? 0 : 1, "noticon": .text(kind.noticon),
            "timestamp": .text(WordPressDate.text(created) + "+00:00"),
            "icon": "https://s.wp.com/i/store-notification.png",
            "url": .text(kind.address), "title": .text(title),
            "subject": [["text": .text(words), "ranges": range]], "header": [],
            "body": [["text": .text(words), "ranges": []]],
            "meta": ["ids": .object(ids), "links": ["site": .text("\(siteAddress)/wp-json/")]],
        ]
    }
}

extension SiteStore {
    /// Returns the subject of a notification about an event; nil if the order or review is gone.
    func subject(of event: StoreEvent) -> Notification.Subject? {
        switch event {
        case .newOrder(let id):
            guard let order = orders[id] else { return nil }
            return .order(
                id, total: StoreIdentity.symbol(order.currency) + order.totals.total.text,
                customer: order.billing.name)
        case .newReview(let id):
            guard let review = reviews.first(where: { $0.id == id }) else { return nil }
            let product = products.first { $0.id == review.productID }
            return .review(id, product: product?.name ?? "", author: review.author, text: review.text)
        }
    }
}
