internal import FoundationEssentials

/// A part of a JSON Schema (2020-12).
struct SchemaNode: Encodable {
    var schema: String?
    var id: String?
    var title: String?
    var description: String?
    var reference: String?
    var type: String?
    var pattern: String?
    var minimum: Int?
    var maximum: Int?
    var minLength: Int?
    var maxLength: Int?
    var minItems: Int?
    var maxItems: Int?
    var words: [String]?
    var items: [SchemaNode] = []
    var anyOf: [SchemaNode]?
    var properties: [String: SchemaNode]?
    var required: [String]?
    /// The shape of all values of a table.
    var values: [SchemaNode] = []
    var isClosed = false
    var definitions: [String: SchemaNode]?

    private enum Key: String, CodingKey {
        case schema = "$schema"
        case id = "$id"
        case reference = "$ref"
        case words = "enum"
        case definitions = "$defs"
        case title, description, type, pattern, minimum, maximum, minLength, maxLength, minItems, maxItems, items
        case anyOf, properties, required, additionalProperties
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encodeIfPresent(schema, forKey: .schema)
        try container.encodeIfPresent(id, forKey: .id)
        try container.encodeIfPresent(title, forKey: .title)
        try container.encodeIfPresent(description, forKey: .description)
        try container.encodeIfPresent(reference, forKey: .reference)
        try container.encodeIfPresent(type, forKey: .type)
        try container.encodeIfPresent(pattern, forKey: .pattern)
        try container.encodeIfPresent(minimum, forKey: .minimum)
        try container.encodeIfPresent(maximum, forKey: .maximum)
        try container.encodeIfPresent(minLength, forKey: .minLength)
        try container.encodeIfPresent(maxLength, forKey: .maxLength)
        try container.encodeIfPresent(minItems, forKey: .minItems)
        try container.encodeIfPresent(maxItems, forKey: .maxItems)
        try container.encodeIfPresent(words, forKey: .words)
        try container.encodeIfPresent(items.first, forKey: .items)
        try container.encodeIfPresent(anyOf, forKey: .anyOf)
        try container.encodeIfPresent(properties, forKey: .properties)
        try container.encodeIfPresent(required, forKey: .required)
        try container.encodeIfPresent(definitions, forKey: .definitions)
        if let values = values.first {
            try container.encode(values, forKey: .additionalProperties)
        } else if isClosed {
            try container.encode(false, forKey: .additionalProperties)
        }
    }
}
