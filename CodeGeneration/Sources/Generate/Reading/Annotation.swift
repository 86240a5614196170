/// What a comment such as `// @record key(siteID, id)` asks for.
enum Annotation: Hashable {
    /// Above a struct: an initialiser, copies and fakes.
    case model
    /// Above a struct or the alias of a generic one: that, and a record in a table of its own.
    case record(key: [String])
    /// Behind a list of models: a table whose rows belong to the record and keep their order.
    case children
    /// Behind a model: its properties become columns of the record, whose names begin with the property's name or with
    /// `prefix`: `// @embedded as(method)`.
    case embedded(prefix: String?)
    /// Behind anything: a column with a JSON text.
    case json

    /// Nil when the comment asks for nothing.
    ///
    /// - Throws: ``SourceError`` when it begins with `@` and is none of these.
    init?(comment: Token, file: String) throws(SourceError) {
        let text = comment.text.drop { $0 == "/" }.drop { $0 == " " }
        guard text.hasPrefix("@"), !comment.text.hasPrefix("///") else { return nil }
        switch text {
        case "@model": self = .model
        case "@children": self = .children
        case "@embedded": self = .embedded(prefix: nil)
        case "@json": self = .json
        case _ where text.hasPrefix("@embedded as(") && text.hasSuffix(")"):
            self = .embedded(prefix: String(text.dropFirst("@embedded as(".count).dropLast()))
        case _ where text.hasPrefix("@record key(") && text.hasSuffix(")"):
            let names = text.dropFirst("@record key(".count).dropLast().split(separator: ",")
            let key = names.map { String($0.drop { $0 == " " }) }
            guard !key.isEmpty else { fallthrough }
            self = .record(key: key)
        default:
            throw SourceError(file: file, line: comment.line, reason: "unknown annotation '\(text)'")
        }
    }
}
