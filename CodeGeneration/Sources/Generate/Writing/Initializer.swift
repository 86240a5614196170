/// The public memberwise initialiser of a model. It stands in the model's own file, since Swift refuses one in an
/// extension.
enum Initializer {
    static let begin = "// Made by Scripts/generate."
    static let end = "// End of what was made."

    /// The file with the initialisers of its models.
    ///
    /// - Throws: ``SourceError``
    static func inserted(into file: SourceFile, _ models: [StructDeclaration]) throws(SourceError) -> String {
        var lines = file.text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        // From the last one to the first, so that lines keep their numbers.
        for model in models.sorted(by: { $0.line > $1.line }) where !model.hasOwnInitializer {
            guard let last = model.properties.last else {
                throw SourceError(file: file.path, line: model.line, reason: "'\(model.name)' has no properties")
            }
            let next = lines[last.line...].firstIndex { !$0.trimmingBlanks.isEmpty }
            if let next, lines[next].trimmingBlanks == begin {
                guard let stop = lines[next...].firstIndex(where: { $0.trimmingBlanks == end }) else {
                    throw SourceError(file: file.path, line: next + 1, reason: "'\(end)' is missing")
                }
                lines.removeSubrange(last.line...stop)
            }
            lines.insert(contentsOf: [""] + text(model), at: last.line)
        }
        return lines.joined(separator: "\n")
    }

    private static func text(_ model: StructDeclaration) -> [String] {
        let parameters = model.properties.map { "\($0.name): \($0.type)" }
        let head = Text.function("public init(", parameters, " {", indent: 4)
        let assignments = model.properties.map { "        self.\(Text.escaped($0.name)) = \(Text.escaped($0.name))" }
        return ["    " + begin] + head.split(separator: "\n").map(String.init) + assignments + ["    }", "    " + end]
    }
}

extension StringProtocol where SubSequence == Substring {
    /// Without the blanks at both ends.
    var trimmingBlanks: Substring {
        guard let last = lastIndex(where: { $0 != " " }) else { return "" }
        return self[...last].drop { $0 == " " }
    }
}
