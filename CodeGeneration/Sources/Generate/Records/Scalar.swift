/// A type whose values fit into one column, or into one JSON value.
struct Scalar {
    let name: String
    /// SQLite's type in a strict table.
    let column: String
    /// Where it is declared; nil for Swift's own.
    let module: String?

    static let all: [String: Scalar] = [
        Scalar(name: "Int64", column: "INTEGER", module: nil),
        Scalar(name: "Bool", column: "INTEGER", module: nil),
        Scalar(name: "String", column: "TEXT", module: nil),
        Scalar(name: "ExactDecimal", column: "TEXT", module: "Amounts"),
        Scalar(name: "Timestamp", column: "INTEGER", module: "Determinism"),
        Scalar(name: "CivilDate", column: "TEXT", module: "Determinism"),
    ].reduce(into: [:]) { $0[$1.name] = $1 }

    /// The modules that have to be imported for these types.
    static func modules(of names: some Sequence<String>) -> Set<String> {
        Set(names.compactMap { all[$0]?.module })
    }
}
