internal import FoundationEssentials

/// The shape of a JSON value, of which the OpenAPI document and the allowed keys of a body are made.
indirect enum Schema: Hashable, Sendable {
    case text
    /// One of these words.
    case word([String])
    /// Text in a notation of its own: `date-time`.
    case format(String)
    /// Decimal text or a number, such as an amount.
    case decimal
    case integer(ClosedRange<Int>)
    case boolean
    case list(Schema)
    case object([Field])
    /// One of several shapes.
    case either([Schema])
    /// One of the document's named shapes.
    case named(String)
    case nullable(Schema)

    static let count = Schema.integer(0...Int(Int32.max))

    /// The fields of an object; none for anything else.
    var fields: [Field] { if case .object(let fields) = self { fields } else { [] } }

    /// As JSON Schema, draft 2020-12, which OpenAPI 3.1 uses.
    var json: JSONValue {
        switch self {
        case .text: ["type": "string"]
        case .word(let words): ["type": "string", "enum": .list(words.map { .text($0) })]
        case .format(let name): ["type": "string", "format": .text(name)]
        case .decimal: ["type": ["string", "number"]]
        case .integer(let range):
            [
                "type": "integer", "minimum": .number(Decimal(range.lowerBound)),
                "maximum": .number(Decimal(range.upperBound)),
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
            if let summary = field.summary { shape["description"] = .text(summary) }
            properties[field.name] = .object(shape)
        }
        var shape: [String: JSONValue] = [
            "type": "object", "properties": .object(properties), "additionalProperties": false,
        ]
        let required = fields.filter { !$0.isOptional }.map { JSONValue.text($0.name) }
        if !required.isEmpty { shape["required"] = .list(required) }
        return .object(shape)
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
