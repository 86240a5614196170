/// `orders/{id}/notes`
enum NoteEndpoints {
    static let routes: [Route] = ["wc/v3", "wc/v2"].flatMap { version in
        [
            Route("GET", "/\(version)/orders/*/notes", list), Route("POST", "/\(version)/orders/*/notes", add),
            Route("GET", "/\(version)/orders/*/notes/*", get),
            Route("DELETE", "/\(version)/orders/*/notes/*", delete),
        ]
    }

    private static let noSuchNote = SiteError(404, "woocommerce_rest_invalid_id", "Invalid resource ID.")

    private static func node(_ note: OrderNoteEntry, _ order: Int64, _ store: Store) -> JSONNode {
        let notes = "wc/v3/orders/\(order)/notes"
        return note.node(
            offsetSeconds: store.identity.offsetSeconds,
            links: store.identity.links("\(notes)/\(note.id)", collection: notes, up: "wc/v3/orders/\(order)"))
    }

    /// Newest first.
    private static func list(_ store: inout Store, _ call: Call) throws(SiteError) -> Reply {
        let order = try store.order(call.id(0, or: .noSuchOrder))
        let kind = try call.parameters.choice("type", ["any", "customer", "internal"], default: "any")
        let notes = (store.notes[order.id] ?? []).filter { kind == "any" || $0.isForCustomer == (kind == "customer") }
        return Reply(.list(notes.reversed().map { node($0, order.id, store) }))
    }

    private static func get(_ store: inout Store, _ call: Call) throws(SiteError) -> Reply {
        let order = try store.order(call.id(0, or: .noSuchOrder))
        let id = try call.id(1, or: noSuchNote)
        guard let note = store.notes[order.id]?.first(where: { $0.id == id }) else { throw noSuchNote }
        return Reply(node(note, order.id, store))
    }

    private static func add(_ store: inout Store, _ call: Call) throws(SiteError) -> Reply {
        let order = try store.order(call.id(0, or: .noSuchOrder))
        guard let text = call.parameters.text("note") else { throw .missingParameter("note") }
        let isForCustomer = try call.parameters.flag("customer_note") ?? false
        let author = try call.parameters.flag("added_by_user") ?? false ? call.user.username : "system"
        let note = store.addNote(text, to: order.id, by: author, isForCustomer: isForCustomer, at: call.now)
        return Reply(node(note, order.id, store), status: 201)
    }

    private static func delete(_ store: inout Store, _ call: Call) throws(SiteError) -> Reply {
        let order = try store.order(call.id(0, or: .noSuchOrder))
        let id = try call.id(1, or: noSuchNote)
        guard let note = store.notes[order.id]?.first(where: { $0.id == id }) else { throw noSuchNote }
        guard try call.parameters.flag("force") ?? false else {
            throw SiteError(501, "woocommerce_rest_trash_not_supported", "Notes do not support trashing.")
        }
        store.notes[order.id]?.removeAll { $0.id == id }
        return Reply(node(note, order.id, store))
    }
}
