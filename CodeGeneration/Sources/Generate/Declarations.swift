/// A stored property of a model.
struct Property: Hashable {
    let name: String
    let type: TypeName
    let annotation: Annotation?
    let line: Int
}

/// A struct declaration.
struct StructDeclaration {
    let name: String
    let generics: [String]
    let annotation: Annotation?
    var properties: [Property] = []
    /// Whether it has a public initializer that was not generated.
    var hasOwnInitializer = false
    let file: SourceFile
    let line: Int

    /// Returns the properties with `arguments` for the generic parameters.
    func properties(with arguments: [TypeName]) -> [Property] {
        let parameters = Dictionary(zip(generics, arguments)) { $1 }
        return properties.map {
            Property(
                name: $0.name, type: $0.type.substituting(parameters), annotation: $0.annotation, line: $0.line)
        }
    }
}

/// An enumeration that is stored as a text.
struct EnumDeclaration {
    struct Case: Hashable {
        let name: String
        /// Whether it holds any other text: `case other(String)`.
        let hasText: Bool
    }

    let name: String
    /// Whether it has a fixed set of texts: `enum Unit: String`.
    let isClosed: Bool
    var cases: [Case] = []
    let file: SourceFile
    let line: Int
}

/// A type alias of a generic struct with its type arguments.
struct AliasDeclaration {
    let name: String
    let target: TypeName
    let annotation: Annotation?
    let file: SourceFile
    let line: Int
}

/// The type of a property as written in the source.
indirect enum TypeName: Hashable, CustomStringConvertible {
    case named(String, [TypeName])
    case optional(TypeName)
    case list(TypeName)

    var description: String {
        switch self {
        case .named(let name, let arguments):
            arguments.isEmpty ? name : "\(name)<\(arguments.map(\.description).joined(separator: ", "))>"
        case .optional(let type): "\(type)?"
        case .list(let type): "[\(type)]"
        }
    }

    var isOptional: Bool {
        if case .optional = self { true } else { false }
    }

    /// The type without its question mark.
    var wrapped: TypeName {
        if case .optional(let type) = self { type } else { self }
    }

    /// Returns the type with the generic parameters replaced.
    func substituting(_ parameters: [String: TypeName]) -> TypeName {
        switch self {
        case .named(let name, let arguments):
            if arguments.isEmpty, let type = parameters[name] { return type }
            return .named(name, arguments.map { $0.substituting(parameters) })
        case .optional(let type): return .optional(type.substituting(parameters))
        case .list(let type): return .list(type.substituting(parameters))
        }
    }

    /// The names of all types in it.
    var names: Set<String> {
        switch self {
        case .named(let name, let arguments):
            arguments.reduce(into: [name]) { $0.formUnion($1.names) }
        case .optional(let type), .list(let type): type.names
        }
    }
}

/// An instruction to the generator in a comment, such as `// @record key(siteID, id)`.
enum Annotation: Hashable {
    /// Before a struct: generates an initializer, `copy` and `fake`.
    case model
    /// Before a struct or the alias of a generic one: the same, and a record in its own table.
    case record(key: [String])
    /// After a list of models: a table whose rows belong to the record and keep their order.
    case children
    /// After a model: its properties become columns of the record. Their names begin with the property's name, or with
    /// `prefix`: `// @embedded as(method)`.
    case embedded(prefix: String?)
    /// After any property: a column with a JSON text.
    case json

    /// Returns nil when the comment is not an annotation.
    ///
    /// - Throws: ``SourceError`` when it begins with `@` and is unknown.
    init?(comment: Token, file: String) throws(SourceError) {
        let text = comment.text.drop { $0 == "/" }.drop { $0 == " " }
        guard text.hasPrefix("@"), !comment.text.hasPrefix("///") else { return nil }
        switch text {
        case "@model": self = .model
        case "@children": self = .children
        case "@embedded": self = .embedded(prefix: nil)
        case "@json": self = .json
        case _ where text.hasPrefix("@embedded as(") && text.hasSuffix(")"):
            self = .embedded(prefix: String(text.dropFirst("@embedded as(".count).dropLast()))
        case _ where text.hasPrefix("@record key(") && text.hasSuffix(")"):
            let names = text.dropFirst("@record key(".count).dropLast().split(separator: ",")
            let key = names.map { String($0.drop { $0 == " " }) }
            guard !key.isEmpty else { fallthrough }
            self = .record(key: key)
        default:
            throw SourceError(file: file, line: comment.line, reason: "unknown annotation '\(text)'")
        }
    }
}

/// A source file that declares models.
struct SourceFile: Hashable {
    /// The module of the file.
    let module: String
    /// The name of the generated files for its models, for example `Orders`.
    let domain: String
    /// The path from the root of the package.
    let path: String
    let text: String

    /// Whether a line begins with `// @record` or `// @model`.
    var hasAnnotation: Bool {
        text.split(separator: "\n").contains { $0.hasPrefix("// @record") || $0.hasPrefix("// @model") }
    }

    static func == (first: SourceFile, second: SourceFile) -> Bool { first.path == second.path }
    func hash(into hasher: inout Hasher) { hasher.combine(path) }
}
