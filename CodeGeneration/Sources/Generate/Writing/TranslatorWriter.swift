/// Writes how a model becomes a record, and a record a model.
struct TranslatorWriter {
    let plan: RecordPlan
    private var readers: [String] = []

    static func text(_ plan: RecordPlan) -> String {
        var writer = TranslatorWriter(plan: plan)
        return writer.text()
    }

    private init(plan: RecordPlan) { self.plan = plan }

    private mutating func text() -> String {
        // A record has its columns first, then its children.
        let arguments = (plan.fields.filter { !$0.isList } + plan.fields.filter(\.isList)).flatMap {
            written($0, from: "model", isOptional: false)
        }
        let values = plan.fields.map { "\($0.property.name): \(read($0))" }
        let isThrowing = values.contains { $0.contains("try ") } || !plan.children.isEmpty
        let head = "\(isThrowing ? "try " : "")\(typeText)("
        var parts = [
            """
            extension \(plan.recordName): ReadOnlyConvertible {
                public init(_ model: \(typeText)) {
                    \(Text.call("self.init(", arguments, indent: 8))
                }

                public func toReadOnly() throws -> \(typeText) {
                    \(Text.call(head, values.map(Self.withoutTry), indent: 8))
                }\(readers.map { "\n\n" + $0 }.joined())
            }
            """
        ]
        if !plan.key.isEmpty {
            let same = plan.key.map { key in comparison(key) }
            let condition = same.joined(separator: " && ")
            parts.append(
                """
                extension \(declaredType): ReadOnlyType {
                    public typealias Record = \(plan.recordName)

                    public func isReadOnlyRepresentation(of record: \(plan.recordName)) -> Bool {
                        \(condition)
                    }
                }
                """)
        }
        let modules: Set<String> = plan.file.module == "Yosemite" ? ["Storage"] : [plan.file.module, "Storage"]
        return Text.header(plan.file.path) + Text.imports(public: modules) + parts.joined(separator: "\n\n") + "\n"
    }

    /// The type as an expression and a result names it.
    private var typeText: String { plan.name }

    /// The type as an extension names it: an alias of a generic struct with its types.
    private var declaredType: String { plan.type.description }

    private func comparison(_ key: String) -> String {
        let isWord = plan.fields.contains { field in
            guard case .column(_, let column, let conversion) = field, column.name == key else { return false }
            if case .none = conversion { return false }
            return true
        }
        let name = Text.escaped(key)
        return "\(name)\(isWord ? ".rawValue" : "") == record.\(name)"
    }

    // MARK: From model to record

    private func written(_ field: Field, from owner: String, isOptional: Bool) -> [String] {
        let path = "\(owner)\(isOptional ? "?" : "").\(Text.escaped(field.property.name))"
        switch field {
        case .column(let property, let column, let conversion):
            let isNil = property.type.isOptional || isOptional
            switch conversion {
            case .none: return ["\(column.name): \(path)"]
            case .openWord, .closedWord:
                return ["\(column.name): \(path)\(property.type.isOptional ? "?" : "").rawValue"]
            case .json:
                return [
                    isNil
                        ? "\(column.name): \(path).map(JSONColumn.text)" : "\(column.name): JSONColumn.text(\(path))"
                ]
            }
        case .embedded(let property, _, _, _, let fields):
            return fields.flatMap { written($0, from: path, isOptional: property.type.isOptional) }
        case .children(_, let record):
            return ["\(field.property.name): \(path).map(\(record)Record.init)"]
        }
    }

    // MARK: From record to model

    /// The expression that reads a field. What it may throw is covered by one `try` in front of everything.
    private mutating func read(_ field: Field) -> String {
        switch field {
        case .column(let property, let column, let conversion):
            let name = Text.escaped(column.name)
            // In a part that may be missing, every column may be empty.
            let mustBeThere = column.isOptional && !property.type.isOptional
            let need = Text.call("required(", [name, "\"\(column.name)\""], indent: 12, after: property.name.count + 2)
            let value = mustBeThere ? "try \(need)" : name
            switch conversion {
            case .none: return value
            case .openWord(let type):
                return property.type.isOptional ? "\(name).map(\(type).init(rawValue:))" : "\(type)(rawValue: \(value))"
            case .closedWord(let type):
                return property.type.isOptional
                    ? "try \(name).map { try required(\(type)(rawValue: $0), \"\(column.name)\") }"
                    : "try required(\(type)(rawValue: \(value)), \"\(column.name)\")"
            case .json:
                return property.type.isOptional
                    ? "try \(name).map { try json($0, \"\(column.name)\") }" : "try json(\(value), \"\(column.name)\")"
            }
        case .embedded(let property, let name, let type, let isOptional, let fields):
            let function = "read" + name.prefix(1).uppercased() + name.dropFirst()
            let values = fields.map { "\($0.property.name): \(read($0))" }
            let isThrowing = values.contains { $0.contains("try ") }
            let marker = isOptional ? marker(fields) : nil
            let construction = Text.call(
                "\(isThrowing ? "try " : "")\(type)(", values.map(Self.withoutTry), indent: 8,
                after: marker == nil ? 0 : "return ".count)
            var body = "        \(construction)"
            if let marker {
                body = """
                            guard \(Text.escaped(marker)) != nil else { return nil }
                            return \(construction)
                    """
            }
            readers.append(
                """
                    private func \(function)() throws -> \(type)\(property.type.isOptional ? "?" : "") {
                \(body)
                    }
                """)
            return "try \(function)()"
        case .children(let property, _):
            return "try \(Text.escaped(property.name)).map { try $0.toReadOnly() }"
        }
    }

    /// A value whose `try` stands in front of the whole call.
    private static func withoutTry(_ value: String) -> String {
        let (label, expression) = (value.prefix { $0 != ":" }, value.drop { $0 != ":" }.dropFirst(2))
        return expression.hasPrefix("try ") ? "\(label): \(expression.dropFirst(4))" : value
    }

    /// The column that says whether an optional part is there.
    private func marker(_ fields: [Field]) -> String? {
        for case .column(let property, let column, _) in fields where !property.type.isOptional { return column.name }
        return nil
    }
}
