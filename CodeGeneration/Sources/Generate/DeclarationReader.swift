/// Reads the subset of Swift that models use: structs with typed constants, enumerations and type aliases at file
/// level. Skips the bodies of functions and computed properties and refuses everything else.
struct DeclarationReader {
    private(set) var structs: [StructDeclaration] = []
    private(set) var enums: [EnumDeclaration] = []
    private(set) var aliases: [AliasDeclaration] = []

    private let file: SourceFile
    private let tokens: [Token]
    private var index = 0
    /// The annotation of the declaration that follows.
    private var pending: (annotation: Annotation, line: Int)?
    private var isInGenerated = false

    private static let modifiers: Set<String> = [
        "public", "private", "internal", "package", "fileprivate", "static", "final", "mutating", "indirect",
        "nonisolated", "consuming", "borrowing", "override",
    ]
    private static let declarations: Set<String> = [
        "let", "var", "func", "init", "subscript", "struct", "enum", "case", "typealias", "extension", "protocol",
        "import", "class", "actor",
    ]

    /// - Throws: ``SourceError``
    init(_ file: SourceFile) throws(SourceError) {
        self.file = file
        var lexer = Lexer(file.text, file: file.path)
        tokens = try lexer.tokens()
        try readFile()
    }

    // MARK: The file

    private mutating func readFile() throws(SourceError) {
        while index < tokens.count {
            guard let (keyword, _) = try declaration() else { break }
            switch keyword.text {
            case "struct": try readStruct()
            case "enum": try readEnum()
            case "typealias": try readAlias()
            case "import":
                pending = nil
                while let token = peek, !token.isFirstOnLine { index += 1 }
            default:
                try refuseAnnotation(before: keyword)
                try skipDeclaration(keyword)
            }
        }
    }

    /// Consumes modifiers and comments up to the keyword of the next declaration.
    private mutating func declaration() throws(SourceError) -> (keyword: Token, modifiers: Set<String>)? {
        var modifiers: Set<String> = []
        while let token = peek {
            switch token.kind {
            case .comment:
                try noteComment(token)
                index += 1
            case .word where Self.declarations.contains(token.text):
                index += 1
                return (token, modifiers)
            case .word where Self.modifiers.contains(token.text):
                modifiers.insert(token.text)
                index += 1
                if peek?.text == "(" { try skipBrackets() }
            case .mark where token.text == "@":
                index += 2
                if peek?.text == "(" { try skipBrackets() }
            case .mark where token.text == "}": return nil
            default:
                throw SourceError(file: file.path, line: token.line, reason: "'\(token.text)' is not supported here")
            }
        }
        return nil
    }

    private mutating func noteComment(_ token: Token) throws(SourceError) {
        if token.text == Initializer.begin { isInGenerated = true }
        if token.text == Initializer.end { isInGenerated = false }
        guard let annotation = try Annotation(comment: token, file: file.path) else { return }
        guard token.isFirstOnLine else { throw error("this annotation does not belong to a property") }
        pending = (annotation, token.line)
    }

    private mutating func takePending() -> Annotation? {
        defer { pending = nil }
        return pending?.annotation
    }

    private func refuseAnnotation(before token: Token) throws(SourceError) {
        guard let pending else { return }
        throw SourceError(
            file: file.path, line: pending.line, reason: "annotations are not allowed before '\(token.text)'")
    }

    // MARK: Structs

    private mutating func readStruct() throws(SourceError) {
        let annotation = takePending()
        let name = try word("the name of a struct")
        var declaration = StructDeclaration(
            name: name.text, generics: try genericParameters(), annotation: annotation, file: file, line: name.line)
        try skip(to: "{")
        index += 1
        while let (keyword, modifiers) = try self.declaration() {
            switch keyword.text {
            case "let" where !modifiers.contains("static") && annotation != nil:
                declaration.properties.append(try property(modifiers))
            case "var" where !modifiers.contains("static"):
                try refuseAnnotation(before: keyword)
                if annotation == nil { try skipDeclaration(keyword) } else { try skipComputedProperty() }
            case "init":
                if modifiers.contains("public"), !isInGenerated, !isFromDecoder { declaration.hasOwnInitializer = true }
                try skipDeclaration(keyword)
            default:
                try refuseAnnotation(before: keyword)
                try skipDeclaration(keyword)
            }
        }
        try expect("}")
        structs.append(declaration)
    }

    private mutating func property(_ modifiers: Set<String>) throws(SourceError) -> Property {
        let name = try word("the name of a property")
        guard peek?.text == ":" else { throw error("'\(name.text)' needs an explicit type") }
        index += 1
        let type = try typeName()
        if peek?.text == "=" { throw error("'\(name.text)' has a default value, which models do not support") }
        guard modifiers.contains("public") else {
            throw error("'\(name.text)' of a model must be public")
        }
        var annotation = takePending()
        if let token = peek, token.kind == .comment, !token.isFirstOnLine {
            annotation = try Annotation(comment: token, file: file.path) ?? annotation
            index += 1
        }
        return Property(name: name.text, type: type, annotation: annotation, line: name.line)
    }

    /// Whether the initializer that follows is `init(from decoder:`.
    private var isFromDecoder: Bool {
        tokens[index...].prefix(2).map(\.text) == ["(", "from"]
    }

    private mutating func skipComputedProperty() throws(SourceError) {
        let name = try word("the name of a property")
        guard peek?.text == ":" else { throw error("'\(name.text)' needs an explicit type") }
        index += 1
        _ = try typeName()
        guard peek?.text == "{" else { throw error("'\(name.text)' is a stored variable; models have constants only") }
        try skipBrackets()
    }

    private mutating func genericParameters() throws(SourceError) -> [String] {
        guard peek?.text == "<" else { return [] }
        index += 1
        var names: [String] = []
        repeat {
            names.append(try word("the name of a generic parameter").text)
            while let token = peek, token.text != ",", token.text != ">" { index += 1 }
            index += 1
        } while tokens[index - 1].text == ","
        return names
    }

    // MARK: Enumerations and aliases

    private mutating func readEnum() throws(SourceError) {
        try refuseAnnotation(before: tokens[index - 1])
        let name = try word("the name of an enumeration")
        let isClosed = peek?.text == ":" && tokens[index...].dropFirst().first?.text == "String"
        var declaration = EnumDeclaration(name: name.text, isClosed: isClosed, file: file, line: name.line)
        try skip(to: "{")
        index += 1
        while let (keyword, _) = try self.declaration() {
            guard keyword.text == "case" else {
                try skipDeclaration(keyword)
                continue
            }
            repeat {
                let name = try word("the name of a case")
                var payload: [String] = []
                if peek?.text == "(" {
                    let start = index
                    try skipBrackets()
                    payload = tokens[start + 1..<index - 1].map(\.text)
                }
                if peek?.text == "=" { index += 2 }
                declaration.cases.append(.init(name: name.text, hasText: payload == ["String"]))
            } while take(",")
        }
        try expect("}")
        enums.append(declaration)
    }

    private mutating func readAlias() throws(SourceError) {
        let annotation = takePending()
        let name = try word("the name of an alias")
        guard annotation != nil else { return try skipDeclaration(name) }
        try expect("=")
        aliases.append(
            AliasDeclaration(
                name: name.text, target: try typeName(), annotation: annotation, file: file, line: name.line))
    }

    // MARK: Types

    private mutating func typeName() throws(SourceError) -> TypeName {
        var type: TypeName
        if take("[") {
            type = .list(try typeName())
            guard take("]") else { throw error("dictionaries are not supported; use a list") }
        } else {
            let name = try word("the name of a type").text
            guard name != "any", name != "some" else { throw error("'\(name)' cannot be stored") }
            var arguments: [TypeName] = []
            if take("<") {
                repeat { arguments.append(try typeName()) } while take(",")
                try expect(">")
            }
            type = .named(name, arguments)
        }
        while take("?") {
            guard !type.isOptional else { throw error("nested optionals cannot be stored") }
            type = .optional(type)
        }
        return type
    }

    // MARK: Skipping

    /// Skips the tokens after a keyword, up to the next declaration or the end of the enclosing one.
    private mutating func skipDeclaration(_ keyword: Token) throws(SourceError) {
        while let token = peek {
            if token.text == "}" { return }
            if token.isFirstOnLine, token.kind == .comment || token.text == "@" || isBeginning(token) { return }
            if ["{", "(", "["].contains(token.text) { try skipBrackets() } else { index += 1 }
        }
    }

    private func isBeginning(_ token: Token) -> Bool {
        token.kind == .word && (Self.declarations.contains(token.text) || Self.modifiers.contains(token.text))
    }

    private mutating func skipBrackets() throws(SourceError) {
        let start = index
        var depth = 0
        repeat {
            guard let token = peek else {
                throw SourceError(file: file.path, line: tokens[start].line, reason: "unclosed bracket")
            }
            if token.kind == .mark, "{([".contains(token.text) { depth += 1 }
            if token.kind == .mark, "})]".contains(token.text) { depth -= 1 }
            index += 1
        } while depth > 0
    }

    private mutating func skip(to mark: String) throws(SourceError) {
        while let token = peek, token.text != mark { index += 1 }
        guard peek != nil else { throw error("'\(mark)' is missing") }
    }

    // MARK: Tokens

    private var peek: Token? { index < tokens.count ? tokens[index] : nil }

    private mutating func take(_ mark: String) -> Bool {
        guard let token = peek, token.kind == .mark, token.text == mark else { return false }
        index += 1
        return true
    }

    private mutating func expect(_ mark: String) throws(SourceError) {
        guard take(mark) else { throw error("'\(mark)' is missing") }
    }

    private mutating func word(_ what: String) throws(SourceError) -> Token {
        guard let token = peek, token.kind == .word else { throw error("\(what) is missing") }
        index += 1
        return token
    }

    private func error(_ reason: String) -> SourceError {
        SourceError(file: file.path, line: index > 0 ? tokens[index - 1].line : 1, reason: reason)
    }
}
