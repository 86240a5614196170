/// A record: which columns and children it has, and which model it is made of.
struct RecordPlan {
    /// The model's name, or the alias of a generic one.
    let name: String
    let type: TypeName
    let fields: [Field]
    /// Empty for the rows that belong to another record.
    let key: [String]
    let file: SourceFile

    var recordName: String { name + "Record" }

    /// The name in lower case at its beginning: `orderItem`, `wcPayCharge`.
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
