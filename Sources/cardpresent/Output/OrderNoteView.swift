internal import Determinism
internal import Networking

/// A note about an order, as JSON and for people.
struct OrderNoteView: Encodable, Sendable {
    var id: Int64
    var order: Int64
    var note: String
    var author: String
    /// Whether the customer has been told.
    var customer: Bool
    @Nullable var createdAt: String? = nil

    init(_ note: OrderNote) {
        (id, order, self.note) = (note.id, note.orderID, note.note)
        (author, customer) = (note.author, note.customerNote)
        createdAt = note.dateCreatedGMT?.description
    }

    /// With the text below.
    var text: String {
        let moment = createdAt.map { String($0.prefix(16)).replacing("T", with: " ") + "Z" } ?? "no date"
        let head = "\(moment)  \(author.harmless)" + (customer ? ", to the customer" : "")
        return ([head] + note.harmlessLines.map { "  " + $0 }).joined(separator: "\n") + "\n"
    }
}
