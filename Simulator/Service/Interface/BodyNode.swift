internal import FoundationEssentials
internal import Settings
internal import Text

/// A value in the body of a request, with its location. Reading rejects unknown keys and words.
struct BodyNode: Sendable {
    let value: JSONValue
    /// The location, such as `cards[1].name`; empty for the body itself.
    let path: String

    init(_ value: JSONValue, path: String = "") { (self.value, self.path) = (value, path) }

    /// - Throws: ``APIError``
    init(bytes: [UInt8]) throws(APIError) {
        guard !bytes.isEmpty else {
            self.init(.object([]))
            return
        }
        do {
            self.init(try JSONDecoder().decode(DecodedJSON.self, from: Data(bytes)).value)
        } catch {
            throw APIError(400, "invalid_json", "the body is not valid JSON", fix: "send one JSON object, in UTF-8")
        }
    }

    private func wrong(_ wanted: String) -> APIError {
        .body("expected \(wanted), found \(value.kind)", at: path)
    }

    private func place(_ key: String) -> String { path.isEmpty ? key : "\(path).\(key)" }

    // MARK: Objects and lists

    /// Checks that the value is an object without other keys.
    @discardableResult
    func object(_ allowed: [Field]) throws(APIError) -> BodyNode {
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
    subscript(key: String) -> BodyNode? {
        guard let member = value[key], member != .null else { return nil }
        return BodyNode(member, path: place(key))
    }

    func required(_ key: String) throws(APIError) -> BodyNode {
        guard let node = self[key] else { throw .body("the key '\(key)' is missing", at: path) }
        return node
    }

    func list(_ count: ClosedRange<Int>) throws(APIError) -> [BodyNode] {
        guard case .list(let elements) = value else { throw wrong("a list") }
        guard count.contains(elements.count) else {
            throw .body(
                "expected \(count.lowerBound) to \(count.upperBound) entries, found \(elements.count)", at: path)
        }
        return elements.enumerated().map { BodyNode($0.element, path: "\(path)[\($0.offset)]") }
    }

    // MARK: Scalars

    func text(_ length: ClosedRange<Int> = 1...200) throws(APIError) -> String {
        guard case .text(let text) = value else { throw wrong("text") }
        guard length.contains(text.count) else {
            throw .body(
                "expected \(length.lowerBound) to \(length.upperBound) characters, found \(text.count)", at: path)
        }
        return text
    }

    func int(_ range: ClosedRange<Int>) throws(APIError) -> Int {
        guard case .number(let number) = value else { throw wrong("a number") }
        guard let whole = Int(number), range.contains(whole) else {
            throw .body(
                "\(Self.clip(number)) is not a whole number from \(range.lowerBound) to \(range.upperBound)",
                at: path)
        }
        return whole
    }

    func bool() throws(APIError) -> Bool {
        guard case .bool(let bool) = value else { throw wrong("true or false") }
        return bool
    }

    /// Reads decimal text, or a number as written.
    func decimal() throws(APIError) -> String {
        switch value {
        case .text(let text): text
        case .number(let number): number
        default: throw wrong("an amount, such as \"12.50\",")
        }
    }

    /// Reads one of the known words, and returns its value.
    func choice<Value>(of known: [(word: String, value: Value)], called noun: String) throws(APIError) -> Value {
        let word = try word(known.map(\.word), called: noun)
        guard let value = known.first(where: { $0.word == word })?.value else { throw wrong("a \(noun)") }
        return value
    }

    /// Reads one of the known words.
    func word(_ known: [String], called noun: String) throws(APIError) -> String {
        let text = try text(0...200)
        guard known.contains(text) else {
            throw .body(
                "there is no \(noun) '\(Self.clip(text))'", at: path, fix: Self.suggestion(text, known))
        }
        return text
    }

    /// Reads a duration in seconds, up to a year.
    func seconds() throws(APIError) -> Duration { .seconds(try int(0...31_622_400)) }

    static func suggestion(_ typed: String, _ known: [String]) -> String? {
        if let nearest = NearestName.to(typed, among: known) { return "did you mean '\(nearest)'?" }
        return known.isEmpty ? nil : "use one of " + known.prefix(100).joined(separator: ", ")
    }

    /// Returns the start of a client's text on one line.
    static func clip(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.prefix(40).map { $0.properties.generalCategory == .control ? "?" : $0 }))
    }
}

/// The shape of a JSON value. The OpenAPI document and the allowed keys of a body are derived from it.
indirect enum Schema: Hashable, Sendable {
    case text
    /// One of these words.
    case word([String])
    /// Text in a format such as `date-time`.
    case format(String)
    /// Decimal text or a number, such as an amount.
    case decimal
    case integer(ClosedRange<Int>)
    case boolean
    case list(Schema)
    case object([Field])
    /// One of several shapes.
    case either([Schema])
    /// A named shape of the document.
    case named(String)
    case nullable(Schema)

    static let count = Schema.integer(0...Int(Int32.max))

    /// The fields of an object; empty for other shapes.
    var fields: [Field] { if case .object(let fields) = self { fields } else { [] } }

    /// The JSON Schema (draft 2020-12, as in OpenAPI 3.1).
    var json: JSONValue {
        switch self {
        case .text: ["type": "string"]
        case .word(let words): ["type": "string", "enum": .list(words.map { .text($0) })]
        case .format(let name): ["type": "string", "format": .text(name)]
        case .decimal: ["type": ["string", "number"]]
        case .integer(let range):
            [
                "type": "integer", "minimum": JSONValue(range.lowerBound),
                "maximum": JSONValue(range.upperBound),
            ]
        case .boolean: ["type": "boolean"]
        case .list(let element): ["type": "array", "items": element.json]
        case .object(let fields): Self.object(fields)
        case .either(let shapes): ["oneOf": .list(shapes.map(\.json))]
        case .named(let name): ["$ref": .text("#/components/schemas/\(name)")]
        case .nullable(let shape): ["oneOf": [shape.json, ["type": "null"]]]
        }
    }

    private static func object(_ fields: [Field]) -> JSONValue {
        var properties: [String: JSONValue] = [:]
        for field in fields {
            guard case .object(var shape) = field.schema.json else { continue }
            if let summary = field.summary { shape.append(JSONValue.Member("description", .text(summary))) }
            properties[field.name] = .object(shape)
        }
        var shape: [String: JSONValue] = [
            "type": "object", "properties": .members(properties), "additionalProperties": false,
        ]
        let required = fields.filter { !$0.isOptional }.map { JSONValue.text($0.name) }
        if !required.isEmpty { shape["required"] = .list(required) }
        return .members(shape)
    }
}

/// A key of an object.
struct Field: Hashable, Sendable {
    var name: String
    var schema: Schema
    var summary: String?
    var isOptional: Bool

    init(_ name: String, _ schema: Schema, _ summary: String? = nil, optional: Bool = false) {
        (self.name, self.schema, self.summary, isOptional) = (name, schema, summary, optional)
    }
}
