import Determinism
import Text

/// `orders/{id}/notes`
enum NoteEndpoints {
    static let routes: [Route] = ["wc/v3", "wc/v2"].flatMap { version in
        let path = "/\(version)/orders/*/notes"
        return Route.reading(path, list, get) + [Route("POST", path, add), Route("DELETE", "\(path)/*", delete)]
    }

    private static let noSuchNote = SiteError(404, "woocommerce_rest_invalid_id", "Invalid resource ID.")

    private static func node(_ note: OrderNoteEntry, _ order: Int64, _ store: SiteStore) -> JSONValue {
        let notes = "wc/v3/orders/\(order)/notes"
        return note.node(
            offsetSeconds: store.identity.offsetSeconds,
            links: store.identity.links("\(notes)/\(note.id)", collection: notes, up: "wc/v3/orders/\(order)"))
    }

    /// Lists the notes, newest first.
    private static func list(_ store: inout SiteStore, _ call: Call) throws(SiteError) -> Reply {
        let order = try store.order(call.id(0, or: .noSuchOrder))
        let kind = try call.parameters.choice("type", ["any", "customer", "internal"], default: "any")
        let notes = (store.notes[order.id] ?? []).filter { kind == "any" || $0.isForCustomer == (kind == "customer") }
        return Reply(.list(notes.reversed().map { node($0, order.id, store) }))
    }

    private static func note(_ store: SiteStore, _ call: Call) throws(SiteError) -> (StoredOrder, OrderNoteEntry) {
        let order = try store.order(call.id(0, or: .noSuchOrder))
        let notes = store.notes[order.id] ?? []
        return (order, notes[try call.index(in: notes, at: 1, or: noSuchNote) { $0.id }])
    }

    private static func get(_ store: inout SiteStore, _ call: Call) throws(SiteError) -> Reply {
        let (order, note) = try note(store, call)
        return Reply(node(note, order.id, store))
    }

    private static func add(_ store: inout SiteStore, _ call: Call) throws(SiteError) -> Reply {
        let order = try store.order(call.id(0, or: .noSuchOrder))
        guard let text = call.parameters.text("note") else { throw .missingParameter("note") }
        let isForCustomer = try call.parameters.flag("customer_note") ?? false
        let author = try call.parameters.flag("added_by_user") ?? false ? call.user.username : "system"
        let note = store.addNote(text, to: order.id, by: author, isForCustomer: isForCustomer, at: call.now)
        return Reply(node(note, order.id, store), status: 201)
    }

    private static func delete(_ store: inout SiteStore, _ call: Call) throws(SiteError) -> Reply {
        let (order, note) = try note(store, call)
        guard try call.parameters.flag("force") ?? false else {
            throw SiteError(501, "woocommerce_rest_trash_not_supported", "Notes do not support trashing.")
        }
        store.notes[order.id]?.removeAll { $0.id == note.id }
        return Reply(node(note, order.id, store))
    }
}

/// A note on an order.
struct OrderNoteEntry: Hashable, Sendable {
    var id: Int64
    var created: Timestamp
    var author, text: String
    var isForCustomer: Bool

    func node(offsetSeconds: Int, links: JSONValue) -> JSONValue {
        [
            "id": .integer(id), "author": .text(author),
            "date_created": .text(WordPressDate.text(created, offsetSeconds: offsetSeconds)),
            "date_created_gmt": .text(WordPressDate.text(created)), "note": .text(text),
            "customer_note": .bool(isForCustomer), "_links": links,
        ]
    }
}
