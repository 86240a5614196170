internal import Determinism
internal import Networking
internal import Yosemite

/// A notification as JSON and for people.
struct NotificationView: Encodable, Sendable {
    var id: Int64
    /// For example `store_order`, `comment`.
    var type: String
    var read: Bool
    /// UTC, RFC 3339
    var at: String
    @Nullable var title: String?
    /// The first words of it.
    @Nullable var subject: String?

    init(_ note: Note) {
        (id, type, read, at) = (note.id, note.type, note.read, note.timestamp.description)
        _title = Nullable(wrappedValue: note.title)
        _subject = Nullable(wrappedValue: note.subject.lazy.compactMap { $0["text"]?.textValue }.first)
    }

    var row: [String] {
        [
            read ? " " : "*", String(id), String(at.prefix(16)).replacing("T", with: " ") + "Z", type,
            subject ?? title ?? "",
        ]
    }
}
