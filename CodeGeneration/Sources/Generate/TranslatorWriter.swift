/// Writes the conversions from a model to its record and back.
struct TranslatorWriter {
    let plan: RecordPlan
    private var readers: [String] = []

    static func part(_ plan: RecordPlan) -> Part {
        var writer = TranslatorWriter(plan: plan)
        let modules: Set<String> = plan.file.module == "Yosemite" ? ["Storage"] : [plan.file.module, "Storage"]
        return Part(publicModules: modules, text: writer.text())
    }

    private init(plan: RecordPlan) { self.plan = plan }

    private mutating func text() -> String {
        // Columns come before children in a record.
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
                extension \(declaredType): ObservableModel, ReadOnlyType {
                    public typealias Record = \(plan.recordName)

                    public func isReadOnlyRepresentation(of record: \(plan.recordName)) -> Bool {
                        \(condition)
                    }
                }
                """)
        }
        return parts.joined(separator: "\n\n") + "\n"
    }

    /// The type in expressions and results.
    private var typeText: String { plan.name }

    /// The type in an extension: for an alias of a generic struct, the struct with its type arguments.
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

    /// Returns the expression that reads a field. One `try` in front of the whole call covers it.
    private mutating func read(_ field: Field) -> String {
        switch field {
        case .column(let property, let column, let conversion):
            let name = Text.escaped(column.name)
            // Every column of an optional part can be NULL.
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

    /// Returns the argument without its `try`, which stands in front of the whole call.
    private static func withoutTry(_ value: String) -> String {
        let (label, expression) = (value.prefix { $0 != ":" }, value.drop { $0 != ":" }.dropFirst(2))
        return expression.hasPrefix("try ") ? "\(label): \(expression.dropFirst(4))" : value
    }

    /// Returns the column that is NULL exactly when an optional part is missing.
    private func marker(_ fields: [Field]) -> String? {
        for case .column(let property, let column, _) in fields where !property.type.isOptional { return column.name }
        return nil
    }
}
