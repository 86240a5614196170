internal import Determinism
internal import Yosemite

/// A reader that was used, as it is shown.
struct RememberedReaderView: Encodable, Sendable {
    var id: String
    var name: String
    /// When it became the last used one: UTC, RFC 3339.
    var usedAt: String

    init(_ reader: RememberedCardReader) { (id, name, usedAt) = (reader.id, reader.name, reader.usedAt.description) }

    var line: String { "\(id)  \(name)  used \(usedAt)\n" }
}
