import FoundationEssentials
import Settings
package import Text

/// A value in the body of a request, with its location. Reading rejects unknown keys and words.
package struct BodyNode: Sendable {
    package let value: JSONValue
    /// The location, such as `cards[1].name`; empty for the body itself.
    package let path: String

    package init(_ value: JSONValue, path: String = "") { (self.value, self.path) = (value, path) }

    /// - Throws: ``APIError``
    package init(bytes: [UInt8]) throws(APIError) {
        guard !bytes.isEmpty else {
            self.init(.object([]))
            return
        }
        guard !Self.isDeep(bytes) else {
            throw APIError(
                400, "invalid_json", "the body has more than \(Self.deepest) levels, or zero bytes",
                fix: "send one JSON object, in UTF-8")
        }
        do {
            self.init(try JSONDecoder().decode(DecodedJSON.self, from: Data(bytes)).value)
        } catch {
            throw APIError(400, "invalid_json", "the body is not valid JSON", fix: "send one JSON object, in UTF-8")
        }
    }

    /// The most levels of objects and lists. No request needs as many, and a value takes longer to decode with each
    /// level that it is in: 60,000 bytes in 500 levels took two minutes in a debug build.
    private static let deepest = 16

    /// Whether a body has too many levels. A text with zero bytes is UTF-16 or UTF-32, whose levels are not seen here.
    private static func isDeep(_ bytes: [UInt8]) -> Bool {
        var (level, isText, isEscaped) = (0, false, false)
        for byte in bytes {
            guard byte != 0 else { return true }
            if isText {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isText = false
                }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): isText = true
            case UInt8(ascii: "["), UInt8(ascii: "{"):
                level += 1
                if level > deepest { return true }
            case UInt8(ascii: "]"), UInt8(ascii: "}"): level -= 1
            default: break
            }
        }
        return false
    }

    private func wrong(_ wanted: String) -> APIError {
        .body("expected \(wanted), found \(value.kind)", at: path)
    }

    /// Checks the value against a shape; `shapes` has those with names. What only the reading of a value can decide is
    /// left to it: whether a word is known, whether an amount fits its currency, which of several shapes a value has.
    package func check(_ schema: Schema, in shapes: [String: Schema]) throws(APIError) {
        switch schema {
        case .text, .word, .format: break
        case .phrase(let length): _ = try text(length)
        case .decimal: _ = try decimal()
        case .integer(let range): _ = try int(range)
        case .boolean: _ = try bool()
        case .list(let element, let count):
            for entry in try list(count ?? 0...Int.max) { try entry.check(element, in: shapes) }
        case .object(let fields):
            try object(fields)
            for field in fields {
                if field.isOptional {
                    try self[field.name]?.check(field.schema, in: shapes)
                } else {
                    try required(field.name).check(field.schema, in: shapes)
                }
            }
        case .needing(_, let shape): try check(shape, in: shapes)
        case .either(let choices):
            let objects = choices.lazy.filter { !$0.resolved(in: shapes).fields.isEmpty }
            guard case .object = value, let shape = objects.first else { break }
            try check(shape, in: shapes)
        case .named: try check(schema.resolved(in: shapes), in: shapes)
        case .nullable(let shape): if value != .null { try check(shape, in: shapes) }
        }
    }

    private func place(_ key: String) -> String { path.isEmpty ? key : "\(path).\(key)" }

    // MARK: Objects and lists

    /// Checks that the value is an object without other keys.
    @discardableResult
    package func object(_ allowed: [Field]) throws(APIError) -> BodyNode {
        guard case .object(let members) = value else { throw wrong("an object") }
        let names = allowed.map(\.name)
        for key in members.map(\.name).sorted() where !names.contains(key) {
            throw .body(
                "unknown key '\(Self.clip(key))'", at: place(key),
                fix: Self.suggestion(key, names))
        }
        for field in allowed where !field.isOptional && value[field.name] == nil {
            throw .body("the key '\(field.name)' is missing", at: path)
        }
        return self
    }

    /// The value of a key; nil when it is missing or null.
    package subscript(key: String) -> BodyNode? {
        guard let member = value[key], member != .null else { return nil }
        return BodyNode(member, path: place(key))
    }

    package func required(_ key: String) throws(APIError) -> BodyNode {
        guard let node = self[key] else { throw .body("the key '\(key)' is missing", at: path) }
        return node
    }

    package func list(_ count: ClosedRange<Int>) throws(APIError) -> [BodyNode] {
        guard case .list(let elements) = value else { throw wrong("a list") }
        guard count.contains(elements.count) else {
            throw .body(
                "expected \(count.lowerBound) to \(count.upperBound) entries, found \(elements.count)", at: path)
        }
        return elements.enumerated().map { BodyNode($0.element, path: "\(path)[\($0.offset)]") }
    }

    // MARK: Scalars

    /// Reads text. Its length is counted in code points, as JSON Schema does.
    package func text(_ length: ClosedRange<Int> = 1...200) throws(APIError) -> String {
        guard case .text(let text) = value else { throw wrong("text") }
        let count = text.unicodeScalars.count
        guard length.contains(count) else {
            throw .body("expected \(length.lowerBound) to \(length.upperBound) characters, found \(count)", at: path)
        }
        return text
    }

    package func int(_ range: ClosedRange<Int>) throws(APIError) -> Int {
        guard case .number(let number) = value else { throw wrong("a number") }
        guard let whole = Int(number), range.contains(whole) else {
            throw .body(
                "\(Self.clip(number)) is not a whole number from \(range.lowerBound) to \(range.upperBound)",
                at: path)
        }
        return whole
    }

    package func bool() throws(APIError) -> Bool {
        guard case .bool(let bool) = value else { throw wrong("true or false") }
        return bool
    }

    /// Reads decimal text, or a number as written.
    package func decimal() throws(APIError) -> String {
        switch value {
        case .text(let text): text
        case .number(let number): number
        default: throw wrong("an amount, such as \"12.50\",")
        }
    }

    /// Reads one of the known words, and returns its value.
    package func choice<Value>(of known: [(word: String, value: Value)], called noun: String) throws(APIError) -> Value
    {
        let word = try word(known.map(\.word), called: noun)
        guard let value = known.first(where: { $0.word == word })?.value else { throw wrong("a \(noun)") }
        return value
    }

    /// Reads one of the known words.
    package func word(_ known: [String], called noun: String) throws(APIError) -> String {
        let text = try text(0...200)
        guard known.contains(text) else {
            throw .body(
                "there is no \(noun) '\(Self.clip(text))'", at: path, fix: Self.suggestion(text, known))
        }
        return text
    }

    /// Reads a duration in seconds, up to a year.
    package func seconds() throws(APIError) -> Duration { .seconds(try int(0...31_622_400)) }

    package static func suggestion(_ typed: String, _ known: [String]) -> String? {
        if let nearest = NearestName.to(typed, among: known) { return "did you mean '\(nearest)'?" }
        return known.isEmpty ? nil : "use one of " + known.prefix(100).joined(separator: ", ")
    }

    /// Returns the start of a client's text on one line.
    package static func clip(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.prefix(40).map { $0.properties.generalCategory == .control ? "?" : $0 }))
    }
}
