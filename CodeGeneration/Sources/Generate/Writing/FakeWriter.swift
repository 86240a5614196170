/// Writes values for tests.
enum FakeWriter {
    static func text(_ model: StructDeclaration) -> String {
        let arguments = model.properties.map { "\($0.name): .fake(from: &source)" }
        let parameters = model.generics.map { "\($0): Fakeable" }.joined(separator: ", ")
        let conditions = parameters.isEmpty ? "" : " where \(parameters)"
        return Text.header(model.file.path) + Text.imports(public: [model.file.module]) + """
            extension \(model.name): Fakeable\(conditions) {
                public static func fake(from source: inout FakeSource) -> \(model.name) {
                    \(Text.call("\(model.name)(", arguments, indent: 8))
                }
            }

            """
    }

    static func text(_ declaration: EnumDeclaration) -> String {
        let cases = declaration.cases.map {
            $0.hasText ? ".\(Text.escaped($0.name))(source.word())" : ".\(Text.escaped($0.name))"
        }
        return Text.header(declaration.file.path) + Text.imports(public: [declaration.file.module]) + """
            extension \(declaration.name): Fakeable {
                public static func fake(from source: inout FakeSource) -> \(declaration.name) {
            \(Text.list("let cases: [\(declaration.name)] = ", cases, indent: 8))
                    return source.element(of: cases) ?? cases[0]
                }
            }

            """
    }
}
