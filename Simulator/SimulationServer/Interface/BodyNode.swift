internal import FoundationEssentials
internal import SettingsFile

/// A value in the body of a request, which knows where it stands. What reads it refuses what it does not know.
struct BodyNode: Sendable {
    let value: JSONValue
    /// `cards[1].name`; empty for the body itself.
    let path: String

    init(_ value: JSONValue, path: String = "") { (self.value, self.path) = (value, path) }

    /// - Throws: ``APIError``
    init(bytes: [UInt8]) throws(APIError) {
        guard !bytes.isEmpty else {
            self.init(.object([:]))
            return
        }
        do {
            self.init(try JSONDecoder().decode(JSONValue.self, from: Data(bytes)))
        } catch {
            throw APIError(400, "invalid_json", "the body is no JSON", fix: "send one JSON object, in UTF-8")
        }
    }

    private func wrong(_ wanted: String) -> APIError {
        .body("\(wanted) is wanted here, not \(value.kind)", at: path)
    }

    private func place(_ key: String) -> String { path.isEmpty ? key : "\(path).\(key)" }

    // MARK: Objects and lists

    /// An object with no other keys than these.
    @discardableResult
    func object(_ allowed: [Field]) throws(APIError) -> BodyNode {
        guard case .object(let members) = value else { throw wrong("an object") }
        let names = allowed.map(\.name)
        for key in members.keys.sorted() where !names.contains(key) {
            throw .body(
                "there is no key '\(Self.clip(key))' here", at: place(key),
                fix: Self.suggestion(key, names))
        }
        for field in allowed where !field.isOptional && members[field.name] == nil {
            throw .body("the key '\(field.name)' is missing", at: path)
        }
        return self
    }

    /// The value of a key; nil when it is not there, or null.
    subscript(key: String) -> BodyNode? {
        guard case .object(let members) = value, let member = members[key], member != .null else { return nil }
        return BodyNode(member, path: place(key))
    }

    func required(_ key: String) throws(APIError) -> BodyNode {
        guard let node = self[key] else { throw .body("the key '\(key)' is missing", at: path) }
        return node
    }

    func list(_ count: ClosedRange<Int>) throws(APIError) -> [BodyNode] {
        guard case .list(let elements) = value else { throw wrong("a list") }
        guard count.contains(elements.count) else {
            throw .body(
                "\(elements.count) entries, where \(count.lowerBound) to \(count.upperBound) are wanted", at: path)
        }
        return elements.enumerated().map { BodyNode($0.element, path: "\(path)[\($0.offset)]") }
    }

    // MARK: Scalars

    func text(_ length: ClosedRange<Int> = 1...200) throws(APIError) -> String {
        guard case .text(let text) = value else { throw wrong("text") }
        guard length.contains(text.count) else {
            throw .body(
                "\(text.count) characters, where \(length.lowerBound) to \(length.upperBound) are wanted", at: path)
        }
        return text
    }

    func int(_ range: ClosedRange<Int>) throws(APIError) -> Int {
        guard case .number(let number) = value else { throw wrong("a number") }
        guard let whole = Int(number.description), range.contains(whole) else {
            throw .body(
                "\(Self.clip(number.description)) is no whole number from \(range.lowerBound) to \(range.upperBound)",
                at: path)
        }
        return whole
    }

    func bool() throws(APIError) -> Bool {
        guard case .bool(let bool) = value else { throw wrong("true or false") }
        return bool
    }

    /// Decimal text, or a number as it was written.
    func decimal() throws(APIError) -> String {
        switch value {
        case .text(let text): text
        case .number(let number): number.description
        default: throw wrong("an amount, such as \"12.50\",")
        }
    }

    /// One of some words.
    func word(_ known: [String], called noun: String) throws(APIError) -> String {
        let text = try text(0...200)
        guard known.contains(text) else {
            throw .body(
                "there is no \(noun) '\(Self.clip(text))'", at: path, fix: Self.suggestion(text, known))
        }
        return text
    }

    /// A time in seconds, up to a year.
    func seconds() throws(APIError) -> Duration { .seconds(try int(0...31_622_400)) }

    static func suggestion(_ typed: String, _ known: [String]) -> String? {
        if let nearest = NearestName.to(typed, among: known) { return "did you mean '\(nearest)'?" }
        return known.isEmpty ? nil : "use one of " + known.prefix(100).joined(separator: ", ")
    }

    /// The beginning of what somebody sent, on one line.
    static func clip(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.prefix(40).map { $0.properties.generalCategory == .control ? "?" : $0 }))
    }
}
