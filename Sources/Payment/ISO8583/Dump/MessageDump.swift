import CardSecrets
import SmartCard
public import Text

/// A message for people and programs: every field with its place and its value. Card data is masked.
public struct MessageDump: Sendable {
    /// A field.
    public struct Entry: Hashable, Sendable {
        public let field: Int
        public let name: String
        /// The format, for example `n 6`.
        public let format: String
        /// The offset of the first byte, that of the length where there is one.
        public let offset: Int
        /// The bytes of length and value.
        public let byteCount: Int
        /// The value: text as it is, bytes in hexadecimal digits, secrets masked.
        public let value: String
        /// What stands inside the field.
        public let parts: [Part]
    }

    /// A part of a field: a data object, a part of fixed length, or a table.
    public struct Part: Hashable, Sendable {
        /// A tag or a name.
        public let name: String
        public let value: String
    }

    public let type: MessageType
    /// The header in hexadecimal digits; empty without one.
    public let header: String
    public let entries: [Entry]
    /// What field 39 means; nil without one.
    public let result: String?
    /// What looks wrong.
    public let doubts: [MessageDoubt]

    /// - Parameters:
    ///   - decoded: a message that was decoded with its places.
    ///   - profile: the profile that it was decoded with.
    ///   - request: the request that it answers, whose card number is masked, too; nil for none.
    public init(_ decoded: DecodedMessage, _ profile: MessageProfile, answering request: ISOMessage? = nil) {
        let message = decoded.message
        type = message.type
        header = decoded.header.hexadecimal
        let number = KnownNumber(message) ?? request.flatMap { KnownNumber($0) }
        entries = decoded.places.map { place in
            let format = profile.table[place.field]
            let mask = FieldMask(field: place.field, format: format, number: number)
            return message.withBytes(of: place.field) { bytes in
                Entry(
                    field: place.field, name: format?.name ?? "", format: format?.attributeText ?? "",
                    offset: place.offset, byteCount: place.count, value: mask.value(bytes),
                    parts: mask.parts(bytes))
            }
                ?? Entry(
                    field: place.field, name: format?.name ?? "Bitmap, tertiary", format: "", offset: place.offset,
                    byteCount: place.count, value: "", parts: [])
        }
        result = message.text(of: 39).map { profile.results.meaning(of: $0) ?? "unknown code" }
        doubts = profile.doubts(about: message)
    }

    /// The dump as lines: offset, bytes, field, name, and value.
    public var text: String {
        var lines = ["\(type) \(type.words)"]
        if !header.isEmpty { lines.append("header \(header)") }
        let width = entries.map(\.name.count).max() ?? 0
        for entry in entries {
            let place = Self.left(String(entry.offset), 5) + Self.left(String(entry.byteCount), 5)
            let name = Self.left(String(entry.field), 5) + "  " + Self.right(entry.name, width)
            lines.append("\(place)\(name)  \(entry.value)" + (entry.field == 39 ? result.map { " (\($0))" } ?? "" : ""))
            for part in entry.parts { lines.append(String(repeating: " ", count: 17) + "\(part.name)  \(part.value)") }
        }
        lines += doubts.map { "doubtful: \($0)" }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func left(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }

    private static func right(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    /// The dump as a JSON object.
    public var json: JSONValue {
        var members: [JSONValue.Member] = [
            .init("type", .text("\(type)")), .init("kind", .text(type.words)), .init("header", .text(header)),
            .init(
                "fields",
                .list(
                    entries.map { entry in
                        var members: [JSONValue.Member] = [
                            .init("field", JSONValue(entry.field)), .init("name", .text(entry.name)),
                            .init("format", .text(entry.format)), .init("offset", JSONValue(entry.offset)),
                            .init("bytes", JSONValue(entry.byteCount)), .init("value", .text(entry.value)),
                        ]
                        if !entry.parts.isEmpty {
                            members.append(
                                .init(
                                    "parts",
                                    .list(entry.parts.map { ["name": .text($0.name), "value": .text($0.value)] })))
                        }
                        return .object(members)
                    })),
        ]
        if let result { members.append(.init("result", .text(result))) }
        members.append(
            .init(
                "doubts",
                .list(doubts.map { ["field": JSONValue($0.field), "reason": .text($0.reason)] })))
        return .object(members)
    }
}
