/// Plans the records that the annotations ask for.
struct RecordPlanner {
    private let catalog: Catalog
    /// The records, by name.
    private(set) var plans: [String: RecordPlan] = [:]
    /// The models that are stored in JSON columns, by name.
    private(set) var jsonModels: [String: StructDeclaration] = [:]

    /// - Throws: ``SourceError``
    init(_ catalog: Catalog) throws(SourceError) {
        self.catalog = catalog
        for declaration in catalog.models {
            guard case .record(let key) = declaration.annotation else { continue }
            guard declaration.generics.isEmpty else {
                throw Self.error(
                    declaration.file, declaration.line, "a generic struct needs an annotated type alias to be stored")
            }
            try plan(.named(declaration.name, []), key: key, file: declaration.file, line: declaration.line)
        }
        for alias in catalog.aliases.values.sorted(by: { $0.name < $1.name }) {
            guard case .record(let key) = alias.annotation else { continue }
            try plan(alias.target, key: key, file: alias.file, line: alias.line)
        }
    }

    private mutating func plan(
        _ type: TypeName, key: [String], file: SourceFile, line: Int
    ) throws(SourceError) {
        guard let name = catalog.recordName(of: type), let model = catalog.model(type) else {
            throw Self.error(file, line, "'\(type)' is not a model: add '@model', and a type alias if it is generic")
        }
        guard plans[name] == nil else {
            throw Self.error(file, line, "'\(name)' already has a record")
        }
        let source = model.declaration.file
        let fields = try self.fields(model.properties, prefix: "", source, mayHaveChildren: !key.isEmpty)
        let plan = RecordPlan(name: name, type: type, fields: fields, key: key, file: source)
        var names: Set<String> = key.isEmpty ? ["parentrow", "position"] : ["rowid"]
        for column in plan.columns {
            guard names.insert(column.name.lowercased()).inserted else {
                throw Self.error(source, line, "'\(name)' has two columns '\(column.name)', or the name is reserved")
            }
        }
        for column in key {
            guard plan.columns.contains(where: { $0.name == column && !$0.isOptional }) else {
                throw Self.error(file, line, "the key of '\(name)' needs a column '\(column)' that is not optional")
            }
        }
        plans[name] = plan
    }

    private mutating func fields(
        _ properties: [Property], prefix: String, _ file: SourceFile, mayHaveChildren: Bool
    ) throws(SourceError) -> [Field] {
        var fields: [Field] = []
        for property in properties {
            fields.append(try field(property, prefix: prefix, file, mayHaveChildren: mayHaveChildren))
        }
        return fields
    }

    private mutating func field(
        _ property: Property, prefix: String, _ file: SourceFile, mayHaveChildren: Bool
    ) throws(SourceError) -> Field {
        let type = property.type.wrapped
        func joined(_ name: String) -> String {
            prefix.isEmpty ? name : prefix + name.prefix(1).uppercased() + name.dropFirst()
        }
        let name = joined(property.name)
        func column(_ scalar: String) -> Column {
            Column(name: name, scalar: scalar, isOptional: property.type.isOptional)
        }
        switch property.annotation {
        case .json:
            try checkJSON(type, property, file)
            return .column(property, column("String"), .json)
        case .embedded(let other):
            let name = joined(other ?? property.name)
            guard let model = catalog.model(type) else {
                throw Self.error(file, property.line, "'\(type)' cannot be embedded: it is not a model")
            }
            let fields = try self.fields(model.properties, prefix: name, model.declaration.file, mayHaveChildren: false)
            if property.type.isOptional {
                guard fields.contains(where: { Self.isAlwaysThere($0) }) else {
                    throw Self.error(
                        file, property.line,
                        "'\(type)' needs a property that is not optional, which shows whether '\(name)' is present")
                }
                return .embedded(property, name: name, type: type, isOptional: true, fields.map(Self.optional))
            }
            return .embedded(property, name: name, type: type, isOptional: false, fields)
        case .children:
            guard mayHaveChildren else {
                throw Self.error(
                    file, property.line, "only a struct with '@record' can have '@children'; use '@json' instead")
            }
            guard case .list(let element) = property.type, let record = catalog.recordName(of: element) else {
                throw Self.error(
                    file, property.line, "'@children' needs a list of models; a generic model needs a type alias")
            }
            try plan(element, key: [], file: file, line: property.line)
            return .children(property, record: record)
        case nil:
            guard case .named(let typeName, let arguments) = type, arguments.isEmpty else {
                throw Self.error(
                    file, property.line, "'\(name)' needs '@children', '@embedded' or '@json' to be stored")
            }
            if Scalar.all[typeName] != nil { return .column(property, column(typeName), .none) }
            guard let declaration = catalog.enums[typeName] else {
                throw Self.error(
                    file, property.line,
                    "'\(name)' is '\(typeName)', which does not fit a column: add '@embedded' or '@json'")
            }
            return .column(
                property, column("String"), declaration.isClosed ? .closedWord(typeName) : .openWord(typeName))
        case .model, .record:
            throw Self.error(file, property.line, "a property can only have '@children', '@embedded' or '@json'")
        }
    }

    /// Collects the models inside a JSON column, at any depth.
    private mutating func checkJSON(
        _ type: TypeName, _ property: Property, _ file: SourceFile
    ) throws(SourceError) {
        switch type {
        case .optional(let type), .list(let type): try checkJSON(type, property, file)
        case .named(let name, _):
            if name == "JSONValue" || Scalar.all[name] != nil { return }
            guard let model = catalog.model(type), model.declaration.generics.isEmpty else {
                throw Self.error(file, property.line, "'\(type)' cannot be stored as JSON: it is not a model")
            }
            guard jsonModels.updateValue(model.declaration, forKey: name) == nil else { return }
            for property in model.properties { try checkJSON(property.type, property, model.declaration.file) }
        }
    }

    private static func isAlwaysThere(_ field: Field) -> Bool {
        if case .column(_, let column, _) = field { !column.isOptional } else { false }
    }

    /// Returns the field with nullable columns, because the part that contains it is optional.
    private static func optional(_ field: Field) -> Field {
        switch field {
        case .column(let property, let column, let conversion):
            .column(property, Column(name: column.name, scalar: column.scalar, isOptional: true), conversion)
        case .embedded(let property, let name, let type, let isOptional, let fields):
            .embedded(property, name: name, type: type, isOptional: isOptional, fields.map(optional))
        case .children: field
        }
    }

    private static func error(_ file: SourceFile, _ line: Int, _ reason: String) -> SourceError {
        SourceError(file: file.path, line: line, reason: reason)
    }
}

/// All declarations of the models, by name.
struct Catalog {
    private(set) var structs: [String: StructDeclaration] = [:]
    private(set) var enums: [String: EnumDeclaration] = [:]
    private(set) var aliases: [String: AliasDeclaration] = [:]

    /// - Throws: ``SourceError``
    init(_ files: [SourceFile]) throws(SourceError) {
        for file in files {
            let reader = try DeclarationReader(file)
            for declaration in reader.structs {
                try refuseSecond(declaration.name, file, declaration.line)
                structs[declaration.name] = declaration
            }
            for declaration in reader.enums {
                try refuseSecond(declaration.name, file, declaration.line)
                enums[declaration.name] = declaration
            }
            for declaration in reader.aliases {
                try refuseSecond(declaration.name, file, declaration.line)
                aliases[declaration.name] = declaration
            }
        }
    }

    private func refuseSecond(_ name: String, _ file: SourceFile, _ line: Int) throws(SourceError) {
        guard structs[name] == nil, enums[name] == nil, aliases[name] == nil else {
            throw SourceError(file: file.path, line: line, reason: "duplicate type '\(name)'")
        }
    }

    /// The annotated structs, sorted by name.
    var models: [StructDeclaration] {
        structs.values.filter { $0.annotation != nil }.sorted { $0.name < $1.name }
    }

    /// Returns the model struct behind a type, with its properties.
    func model(_ type: TypeName) -> (declaration: StructDeclaration, properties: [Property])? {
        guard case .named(let name, let arguments) = type else { return nil }
        if let alias = aliases[name] { return model(alias.target) }
        guard let declaration = structs[name], declaration.annotation != nil else { return nil }
        return (declaration, declaration.properties(with: arguments))
    }

    /// Returns the base name of the type's record: the alias of a generic type, otherwise the type itself.
    func recordName(of type: TypeName) -> String? {
        guard case .named(let name, let arguments) = type else { return nil }
        if arguments.isEmpty { return name }
        return aliases.values.first { $0.target == type }?.name
    }
}
