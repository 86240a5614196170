internal import Determinism

/// A note on an order.
struct OrderNoteEntry: Hashable, Sendable {
    var id: Int64
    var created: Timestamp
    var author: String
    var text: String
    var isForCustomer: Bool

    func node(offsetSeconds: Int, links: JSONNode) -> JSONNode {
        [
            "id": .integer(id), "author": .text(author),
            "date_created": .text(WallDate.text(created, offsetSeconds: offsetSeconds)),
            "date_created_gmt": .text(WallDate.text(created)), "note": .text(text),
            "customer_note": .bool(isForCustomer), "_links": links,
        ]
    }
}
