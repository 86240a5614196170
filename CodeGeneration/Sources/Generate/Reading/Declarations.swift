/// A stored property of a model.
struct Property: Hashable {
    let name: String
    let type: TypeName
    let annotation: Annotation?
    let line: Int
}

/// A struct.
struct StructDeclaration {
    let name: String
    let generics: [String]
    let annotation: Annotation?
    var properties: [Property] = []
    /// It has a public initialiser that was not generated.
    var hasOwnInitializer = false
    let file: SourceFile
    let line: Int

    /// What its properties are when its generic parameters are these.
    func properties(with arguments: [TypeName]) -> [Property] {
        let parameters = Dictionary(zip(generics, arguments)) { $1 }
        return properties.map {
            Property(
                name: $0.name, type: $0.type.substituting(parameters), annotation: $0.annotation, line: $0.line)
        }
    }
}

/// An enumeration that is stored as a word.
struct EnumDeclaration {
    struct Case: Hashable {
        let name: String
        /// It holds a text: any other word.
        let hasText: Bool
    }

    let name: String
    /// It has only words that it knows: `enum Unit: String`.
    let isClosed: Bool
    var cases: [Case] = []
    let file: SourceFile
    let line: Int
}

/// Another name of a generic struct with its types.
struct AliasDeclaration {
    let name: String
    let target: TypeName
    let annotation: Annotation?
    let file: SourceFile
    let line: Int
}
