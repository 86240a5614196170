/// Writes `copy`: the same value with other properties.
enum CopyWriter {
    static func text(_ model: StructDeclaration) -> String {
        let parameters = model.properties.map { property in
            "\(property.name): \(property.type)\(property.type.isOptional ? "?" : "?") = nil"
        }
        let values = model.properties.map { "\($0.name): \(Text.escaped($0.name)) ?? self.\(Text.escaped($0.name))" }
        let modules = Scalar.modules(of: model.properties.flatMap { $0.type.names })
        let optionalNote =
            model.properties.contains { $0.type.isOptional }
            ? " An optional one becomes nil by `.some(nil)`." : ""
        let result = model.generics.isEmpty ? model.name : "\(model.name)"
        return Text.header(model.file.path) + Text.imports(public: modules) + """
            extension \(model.name) {
                /// The same with other values for what is given; what is nil stays.\(optionalNote)
            \(Text.function("public func copy(", parameters, " -> \(result) {", indent: 4))
                    \(Text.call("\(model.name)(", values, indent: 8))
                }
            }

            """
    }
}
