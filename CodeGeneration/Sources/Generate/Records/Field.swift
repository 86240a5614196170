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
        /// As it is.
        case none
        /// An enumeration of any words.
        case openWord(String)
        /// An enumeration of words that it knows.
        case closedWord(String)
        case json
    }

    case column(Property, Column, Conversion)
    /// `name`: what the names of its columns begin with. `type`: without the question mark.
    case embedded(Property, name: String, type: TypeName, isOptional: Bool, [Field])
    case children(Property, record: String)

    var property: Property {
        switch self {
        case .column(let property, _, _), .embedded(let property, _, _, _, _), .children(let property, _): property
        }
    }

    /// It is in a table of its own.
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
