/// Everything that the models declare, by name.
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
            throw SourceError(file: file.path, line: line, reason: "there are two types '\(name)'")
        }
    }

    /// The structs that have an annotation, by name.
    var models: [StructDeclaration] {
        structs.values.filter { $0.annotation != nil }.sorted { $0.name < $1.name }
    }

    /// The struct behind a type, when it is one, with its properties.
    func model(_ type: TypeName) -> (declaration: StructDeclaration, properties: [Property])? {
        guard case .named(let name, let arguments) = type else { return nil }
        if let alias = aliases[name] { return model(alias.target) }
        guard let declaration = structs[name], declaration.annotation != nil else { return nil }
        return (declaration, declaration.properties(with: arguments))
    }

    /// What a record of the type is named after: the alias of a generic type, otherwise the type itself.
    func recordName(of type: TypeName) -> String? {
        guard case .named(let name, let arguments) = type else { return nil }
        if arguments.isEmpty { return name }
        return aliases.values.first { $0.target == type }?.name
    }
}
