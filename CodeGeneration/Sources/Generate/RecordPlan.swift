/// A record to generate: the columns and children, and the model behind it.
struct RecordPlan {
    /// The name of the model, or of the alias of a generic one.
    let name: String
    let type: TypeName
    let fields: [Field]
    /// The key columns; empty for a child record.
    let key: [String]
    let file: SourceFile

    var recordName: String { name + "Record" }

    /// The name of the table, the model's name in lower camel case: `orderItem`, `wcPayCharge`.
    var table: String { Self.lowercasingStart(of: name) }

    var columns: [Column] { fields.flatMap(\.columns) }

    var children: [(property: Property, record: String)] {
        fields.compactMap {
            if case .children(let property, let record) = $0 { (property, record) } else { nil }
        }
    }

    static func lowercasingStart(of name: String) -> String {
        let capitals = name.prefix { $0.isUppercase }
        let count = capitals.count > 1 && capitals.count < name.count ? capitals.count - 1 : capitals.count
        return name.prefix(count).lowercased() + name.dropFirst(count)
    }
}

/// A column of a record.
struct Column: Hashable {
    /// The name of the column and of the record's property.
    let name: String
    let scalar: String
    let isOptional: Bool

    var swiftType: String { isOptional ? scalar + "?" : scalar }

    var definition: String {
        "\"\(name)\" \(Scalar.all[scalar]?.column ?? "TEXT")\(isOptional ? "" : " NOT NULL")"
    }
}

/// How a property of a model is stored.
indirect enum Field {
    enum Conversion {
        /// Stored unchanged.
        case none
        /// An enumeration that accepts any text.
        case openWord(String)
        /// An enumeration with a fixed set of texts.
        case closedWord(String)
        case json
    }

    case column(Property, Column, Conversion)
    /// `name`: the prefix of the column names. `type`: the type without the question mark.
    case embedded(Property, name: String, type: TypeName, isOptional: Bool, [Field])
    case children(Property, record: String)

    var property: Property {
        switch self {
        case .column(let property, _, _), .embedded(let property, _, _, _, _), .children(let property, _): property
        }
    }

    /// Whether it has its own table.
    var isList: Bool {
        if case .children = self { true } else { false }
    }

    var columns: [Column] {
        switch self {
        case .column(_, let column, _): [column]
        case .embedded(_, _, _, _, let fields): fields.flatMap(\.columns)
        case .children: []
        }
    }
}

/// A type whose values fit into one column or one JSON value.
struct Scalar {
    let name: String
    /// The column's type in a strict SQLite table.
    let column: String
    /// The module that declares it; nil for the standard library.
    let module: String?

    static let all: [String: Scalar] = [
        Scalar(name: "Int64", column: "INTEGER", module: nil),
        Scalar(name: "Bool", column: "INTEGER", module: nil),
        Scalar(name: "String", column: "TEXT", module: nil),
        Scalar(name: "ExactDecimal", column: "TEXT", module: "Money"),
        Scalar(name: "Timestamp", column: "INTEGER", module: "Determinism"),
        Scalar(name: "CivilDate", column: "TEXT", module: "Determinism"),
    ].reduce(into: [:]) { $0[$1.name] = $1 }

    /// Returns the modules to import for these types.
    static func modules(of names: some Sequence<String>) -> Set<String> {
        Set(names.compactMap { $0 == "JSONValue" ? "Text" : all[$0]?.module })
    }
}
