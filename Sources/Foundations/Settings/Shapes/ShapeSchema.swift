import FoundationEssentials

/// Writes the JSON Schema of a file format, for completion and checks in editors. Programs check more.
public struct ShapeSchema: Sendable {
    private let title: String
    private let file: RecordShape
    private let hasVariables: Bool

    /// - Parameters:
    ///   - title: the name of the format.
    ///   - file: the shape of a whole file.
    ///   - hasVariables: whether a value can be a variable such as `${name}`.
    public init(title: String, file: RecordShape, hasVariables: Bool = false) {
        (self.title, self.file, self.hasVariables) = (title, file, hasVariables)
    }

    /// The schema as JSON text with a final line break.
    public var text: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        // Encoding can't fail: the document has only text, whole numbers, and lists of them.
        let data = (try? encoder.encode(document)) ?? Data()
        return String(decoding: data, as: UTF8.self) + "\n"
    }

    /// The name of the definition for values that may be a variable.
    private static let variable = "variable"

    private var document: SchemaNode {
        var records: [String: RecordShape] = [:]
        collect(.record(file), into: &records)
        var definitions = records.mapValues { node($0) }
        if hasVariables {
            definitions[Self.variable] = SchemaNode(
                description: "A variable, filled in before the file is read.", type: "string",
                pattern: #"\$\{[A-Za-z][A-Za-z0-9_-]*\}"#)
        }
        var document = SchemaNode(
            schema: "https://json-schema.org/draft/2020-12/schema", title: title,
            reference: "#/$defs/\(file.name)")
        document.definitions = definitions
        return document
    }

    private func collect(_ shape: Shape, into records: inout [String: RecordShape]) {
        switch shape {
        case .record(let record):
            guard records.updateValue(record, forKey: record.name) == nil else { return }
            for key in record.keys { collect(key.shape, into: &records) }
        case .list(let element, _), .table(let element): collect(element, into: &records)
        case .either(let shapes): for shape in shapes { collect(shape, into: &records) }
        case .text, .number, .boolean, .duration, .amount, .word, .foreign: break
        }
    }

    private func node(_ record: RecordShape) -> SchemaNode {
        var node = SchemaNode(description: record.summary, type: "object")
        node.properties = Dictionary(
            uniqueKeysWithValues: record.keys.map { key in
                var property = self.node(key.shape)
                property.description = key.summary
                return (key.name, property)
            })
        let required = record.keys.filter(\.isRequired).map(\.name)
        node.required = required.isEmpty ? nil : required
        node.isClosed = true
        return node
    }

    private func node(_ shape: Shape) -> SchemaNode {
        switch shape {
        case .text(let length):
            var node = SchemaNode(type: "string")
            (node.minLength, node.maxLength) = (length.lowerBound, length.upperBound)
            // YAML reads 41 and true as a number and a boolean, not as text.
            return SchemaNode(anyOf: [node, SchemaNode(type: "number"), SchemaNode(type: "boolean")])
        case .number(let range):
            var node = SchemaNode(type: "integer")
            (node.minimum, node.maximum) = (range.lowerBound, range.upperBound)
            return orVariable(node)
        case .boolean: return orVariable(SchemaNode(type: "boolean"))
        case .duration: return orVariable(SchemaNode(type: "string", pattern: "^[0-9]+(ms|s|min|h)$"))
        case .amount:
            return orVariable(
                SchemaNode(type: "string", pattern: #"^[0-9]+(\.[0-9]+)?$"#), SchemaNode(type: "number", minimum: 0))
        case .word(let words): return orVariable(SchemaNode(words: words))
        case .list(let element, let count):
            var list = SchemaNode(type: "array", items: [node(element)])
            (list.minItems, list.maxItems) = (count.lowerBound, count.upperBound)
            return list
        case .table(let element): return SchemaNode(type: "object", values: [node(element)])
        case .record(let record): return SchemaNode(reference: "#/$defs/\(record.name)")
        case .either(let shapes): return SchemaNode(anyOf: shapes.map { node($0) })
        case .foreign(let words): return SchemaNode(description: words)
        }
    }

    private func orVariable(_ nodes: SchemaNode...) -> SchemaNode {
        if !hasVariables, nodes.count == 1, let node = nodes.first { return node }
        return SchemaNode(anyOf: nodes + (hasVariables ? [SchemaNode(reference: "#/$defs/\(Self.variable)")] : []))
    }
}

/// A part of a JSON Schema (2020-12).
private struct SchemaNode: Encodable {
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
