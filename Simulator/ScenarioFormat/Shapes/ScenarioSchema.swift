internal import FoundationEssentials

/// The JSON Schema of scenario files, for editors that complete and check while one types. It is made of the table of
/// keys; the program's own check says more than it does.
public enum ScenarioSchema {
    /// The whole schema as JSON text that ends with a line break.
    public static var text: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        // Nothing in it can fail to be encoded: there are texts, whole numbers and lists of them alone.
        let data = (try? encoder.encode(document)) ?? Data()
        return String(decoding: data, as: UTF8.self) + "\n"
    }

    /// The name of the definition that every value which a variable may stand for points to.
    private static let variable = "variable"

    private static var document: SchemaNode {
        var records: [String: RecordShape] = [:]
        collect(.record(ScenarioKeys.file), into: &records)
        var definitions = records.mapValues { node($0) }
        definitions[variable] = SchemaNode(
            description: "A variable, filled in before the file is read.", type: "string",
            pattern: #"\$\{[A-Za-z][A-Za-z0-9_-]*\}"#)
        var document = SchemaNode(
            schema: "https://json-schema.org/draft/2020-12/schema", title: "CardPresent scenario",
            reference: "#/$defs/\(ScenarioKeys.file.name)")
        document.definitions = definitions
        return document
    }

    private static func collect(_ shape: Shape, into records: inout [String: RecordShape]) {
        switch shape {
        case .record(let record):
            guard records.updateValue(record, forKey: record.name) == nil else { return }
            for key in record.keys { collect(key.shape, into: &records) }
        case .list(let element, _), .table(let element): collect(element, into: &records)
        case .either(let shapes): for shape in shapes { collect(shape, into: &records) }
        case .text, .number, .boolean, .duration, .amount, .word, .foreign: break
        }
    }

    private static func node(_ record: RecordShape) -> SchemaNode {
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

    private static func node(_ shape: Shape) -> SchemaNode {
        switch shape {
        case .text(let length):
            var node = SchemaNode(type: "string")
            (node.minLength, node.maxLength) = (length.lowerBound, length.upperBound)
            // YAML takes 41 and true for other things than text.
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

    private static func orVariable(_ nodes: SchemaNode...) -> SchemaNode {
        SchemaNode(anyOf: nodes + [SchemaNode(reference: "#/$defs/\(variable)")])
    }
}
