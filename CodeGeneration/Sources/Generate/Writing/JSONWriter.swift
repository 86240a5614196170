/// Writes how a model stands in a JSON column.
enum JSONWriter {
    static func text(_ model: StructDeclaration) -> String {
        let members = model.properties.map { "JSONValue.Member(\"\($0.name)\", \(Text.escaped($0.name)).json)" }
        let conditions = model.properties.map { property in
            "let \(Text.escaped(property.name)) = json.member(\"\(property.name)\", as: \(property.type).self)"
        }
        let arguments = model.properties.map { "\($0.name): \(Text.escaped($0.name))" }
        let names = model.properties.flatMap { $0.type.names }
        let modules = Scalar.modules(of: names)
        let guardLine =
            conditions.count == 1
            ? "        guard \(conditions[0]) else { return nil }"
            : "        guard " + conditions.joined(separator: ",\n            ") + "\n        else { return nil }"
        return Text.header(model.file.path) + Text.imports(public: [], internal: modules.union(["Networking"])) + """
            extension \(model.name): JSONColumnValue {
                init?(json: JSONValue) {
            \(guardLine)
                    \(Text.call("self.init(", arguments, indent: 8))
                }

                var json: JSONValue {
            \(Text.list(".object(", members, indent: 8)))
                }
            }

            """
    }
}
