internal import Determinism

/// The parameters of a request, from its query and its body together.
struct SiteParameters: Sendable {
    private(set) var members: [JSONNode.Member]

    init(_ members: [JSONNode.Member] = []) { self.members = members }

    /// Of a query or a form: `a=1`, `b[]=1&b[]=2`, `c[d]=3`.
    init(fields: [(name: String, value: String)]) {
        members = []
        for field in fields { add(field.name, field.value) }
    }

    subscript(name: String) -> JSONNode? { members.last { $0.name == name }?.value }

    /// These, and what they do not have.
    func joined(_ others: SiteParameters) -> SiteParameters {
        SiteParameters(others.members.filter { self[$0.name] == nil } + members)
    }

    func without(_ names: String...) -> SiteParameters { SiteParameters(members.filter { !names.contains($0.name) }) }

    private mutating func add(_ name: String, _ value: String) {
        let stem = name.prefix { $0 != "[" }
        let rest = name.dropFirst(stem.count)
        guard !stem.isEmpty, !rest.isEmpty, rest.hasSuffix("]") else {
            return put(name, .text(value))
        }
        let inner = rest.dropFirst().dropLast()
        // One level is all that a client sends.
        if inner.isEmpty {
            put(String(stem), .list((self[String(stem)]?.elements ?? []) + [.text(value)]))
        } else {
            var known: [JSONNode.Member] = []
            if case .object(let members)? = self[String(stem)] { known = members }
            put(String(stem), .object(known + [JSONNode.Member(name: String(inner), value: .text(value))]))
        }
    }

    private mutating func put(_ name: String, _ value: JSONNode) {
        members.removeAll { $0.name == name }
        members.append(JSONNode.Member(name: name, value: value))
    }

    // MARK: Values

    func text(_ name: String) -> String? { self[name]?.plainText }

    /// A list, or a text with commas in it.
    func words(_ name: String) -> [String]? {
        guard let node = self[name] else { return nil }
        if let elements = node.elements { return elements.compactMap(\.plainText) }
        return node.plainText.map { text in
            text.split(separator: ",", omittingEmptySubsequences: true).map { $0.filter { $0 != " " } }
        }
    }

    func fields(_ name: String) -> FieldChoice { FieldChoice(words(name) ?? []) }

    func integer(_ name: String) throws(SiteError) -> Int64? {
        guard let node = self[name], node != "" else { return nil }
        guard let number = node.plainText.flatMap({ Int64($0) }) else {
            throw .invalidParameter(name, "\(name) is not of type integer.")
        }
        return number
    }

    func integer(_ name: String, in range: ClosedRange<Int>, default standard: Int) throws(SiteError) -> Int {
        guard let number = try integer(name) else { return standard }
        guard let number = Int(exactly: number), range.contains(number) else {
            let problem =
                range.upperBound == .max
                ? "\(name) must be greater than or equal to \(range.lowerBound)"
                : "\(name) must be between \(range.lowerBound) (inclusive) and \(range.upperBound) (inclusive)"
            throw .invalidParameter(name, problem)
        }
        return number
    }

    func flag(_ name: String) throws(SiteError) -> Bool? {
        switch self[name] {
        case nil, .null?: return nil
        case .bool(let flag)?: return flag
        case .text(let text)?, .number(let text)?:
            switch text.lowercased() {
            case "true", "1", "yes", "on": return true
            case "false", "0", "no", "off", "": return false
            default: break
            }
        case .list?, .object?: break
        }
        throw .invalidParameter(name, "\(name) is not of type boolean.")
    }

    /// A date and time; one without a zone is of a clock `offsetSeconds` east of UTC.
    func moment(_ name: String, offsetSeconds: Int) throws(SiteError) -> Timestamp? {
        guard let text = text(name), !text.isEmpty else { return nil }
        if let date = CivilDate(text) { return Timestamp(date, offsetSeconds: offsetSeconds) }
        guard let moment = Timestamp(text) else {
            throw .invalidParameter(name, "Invalid date.")
        }
        return moment
    }

    /// One of the words that are allowed.
    func choice(_ name: String, _ allowed: [String], default standard: String) throws(SiteError) -> String {
        guard let text = text(name) else { return standard }
        guard allowed.contains(text) else {
            throw .invalidParameter(name, "\(name) is not one of \(allowed.joined(separator: ", ")).")
        }
        return text
    }
}
