package import Text

/// The shape of a JSON value. The OpenAPI document is derived from it, and the bodies of requests are checked against
/// it.
package indirect enum Schema: Hashable, Sendable {
    case text
    /// Text with a number of characters.
    case phrase(ClosedRange<Int>)
    /// One of these words.
    case word([String])
    /// Text in a format such as `date-time`.
    case format(String)
    /// Decimal text or a number, such as an amount.
    case decimal
    case integer(ClosedRange<Int>)
    case boolean
    /// A list with a number of entries; nil for any.
    case list(Schema, ClosedRange<Int>? = nil)
    case object([Field])
    /// An object that needs some of its optional keys.
    case needing(Need, Schema)
    /// One of several shapes.
    case either([Schema])
    /// A named shape of the document.
    case named(String)
    case nullable(Schema)

    /// The optional keys that an object needs together.
    package enum Need: Hashable, Sendable {
        /// One of the keys, and no other of them.
        case exactlyOne([String])
        /// One of the keys or more.
        case atLeastOne([String])
    }

    package static let count = Schema.integer(0...Int(Int32.max))

    /// Returns the shape itself, for a named one.
    func resolved(in shapes: [String: Schema]) -> Schema {
        if case .named(let name) = self { shapes[name] ?? self } else { self }
    }

    /// The fields of an object; empty for other shapes.
    package var fields: [Field] {
        switch self {
        case .object(let fields): fields
        case .needing(_, let shape): shape.fields
        default: []
        }
    }

    /// Whether an object of this shape has keys.
    package var needsKeys: Bool { if case .needing = self { true } else { fields.contains { !$0.isOptional } } }

    /// The JSON Schema (draft 2020-12, as in OpenAPI 3.1).
    package var json: JSONValue {
        switch self {
        case .text: ["type": "string"]
        case .phrase(let length):
            [
                "type": "string", "minLength": JSONValue(length.lowerBound), "maxLength": JSONValue(length.upperBound),
            ]
        case .word(let words): ["type": "string", "enum": .list(words.map { .text($0) })]
        case .format(let name): ["type": "string", "format": .text(name)]
        case .decimal:
            [
                "type": ["string", "number"], "pattern": "^([0-9]+|[0-9]*\\.[0-9]{1,4})$", "minimum": 0,
                "maximum": 999_999_999_999,
            ]
        case .integer(let range):
            ["type": "integer", "minimum": JSONValue(range.lowerBound), "maximum": JSONValue(range.upperBound)]
        case .boolean: ["type": "boolean"]
        case .list(let element, nil): ["type": "array", "items": element.json]
        case .list(let element, let count?):
            [
                "type": "array", "items": element.json, "minItems": JSONValue(count.lowerBound),
                "maxItems": JSONValue(count.upperBound),
            ]
        case .object(let fields): Self.object(fields)
        case .needing(let need, let shape): Self.object(shape.fields, need)
        case .either(let shapes): ["oneOf": .list(shapes.map(\.json))]
        case .named(let name): ["$ref": .text("#/components/schemas/\(name)")]
        case .nullable(let shape): shape.nullableJSON
        }
    }

    /// The JSON Schema that also admits null.
    private var nullableJSON: JSONValue {
        if case .object(let members) = json, members.first(where: { $0.name == "enum" }) == nil,
            let index = members.firstIndex(where: { $0.name == "type" })
        {
            var members = members
            let types: [JSONValue] =
                if case .list(let types) = members[index].value { types } else { [members[index].value] }
            members[index].value = .list(types + ["null"])
            return .object(members)
        }
        return ["oneOf": [json, ["type": "null"]]]
    }

    private static func object(_ fields: [Field], _ need: Need? = nil) -> JSONValue {
        var properties: [String: JSONValue] = [:]
        for field in fields {
            guard case .object(var shape) = field.json else { continue }
            if let summary = field.summary { shape.append(JSONValue.Member("description", .text(summary))) }
            properties[field.name] = .object(shape)
        }
        var shape: [String: JSONValue] = [
            "type": "object", "properties": .members(properties), "additionalProperties": false,
        ]
        let required = fields.filter { !$0.isOptional }.map { JSONValue.text($0.name) }
        if !required.isEmpty { shape["required"] = .list(required) }
        // A key that is null counts as missing.
        let choices = fields.filter { need?.keys.contains($0.name) == true }
        switch need {
        case .exactlyOne:
            shape["oneOf"] = .list(
                choices.map { chosen in
                    .object([
                        .init("required", [.text(chosen.name)]),
                        .init(
                            "properties",
                            .members(
                                Dictionary(
                                    choices.map {
                                        ($0.name, $0.name == chosen.name ? $0.schema.json : ["type": "null"])
                                    }
                                ) { first, _ in first })),
                    ])
                })
        case .atLeastOne:
            shape["anyOf"] = .list(
                choices.map { chosen in
                    .object([
                        .init("required", [.text(chosen.name)]),
                        .init("properties", .members([chosen.name: chosen.schema.json])),
                    ])
                })
        case nil: break
        }
        return .members(shape)
    }
}

extension Schema.Need {
    fileprivate var keys: [String] {
        switch self {
        case .exactlyOne(let keys), .atLeastOne(let keys): keys
        }
    }
}

/// A key of an object.
package struct Field: Hashable, Sendable {
    package var name: String
    package var schema: Schema
    package var summary: String?
    package var isOptional: Bool
    /// Whether null means the same as no key: so in bodies of requests, and never in responses.
    package var takesNull: Bool

    package init(_ name: String, _ schema: Schema, _ summary: String? = nil, optional: Bool = false, null: Bool? = nil)
    {
        (self.name, self.schema, self.summary, isOptional) = (name, schema, summary, optional)
        takesNull = null ?? optional
    }

    fileprivate var json: JSONValue {
        if case .nullable = schema { return schema.json }
        return takesNull ? Schema.nullable(schema).json : schema.json
    }
}
