/// A type as a property names it.
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

    /// The type with types for the names of generic parameters.
    func substituting(_ parameters: [String: TypeName]) -> TypeName {
        switch self {
        case .named(let name, let arguments):
            if arguments.isEmpty, let type = parameters[name] { return type }
            return .named(name, arguments.map { $0.substituting(parameters) })
        case .optional(let type): return .optional(type.substituting(parameters))
        case .list(let type): return .list(type.substituting(parameters))
        }
    }

    /// The names of all types that it is made of.
    var names: Set<String> {
        switch self {
        case .named(let name, let arguments):
            arguments.reduce(into: [name]) { $0.formUnion($1.names) }
        case .optional(let type), .list(let type): type.names
        }
    }
}
