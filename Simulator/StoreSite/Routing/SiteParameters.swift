import Determinism
import Text

/// The parameters of a request, from its query and its body.
struct SiteParameters: Sendable {
    private(set) var members: [JSONValue.Member]

    init(_ members: [JSONValue.Member] = []) { self.members = members }

    /// Creates the parameters of a query or a form: `a=1`, `b[]=1&b[]=2`, `c[d]=3`.
    init(fields: [(name: String, value: String)]) {
        members = []
        for field in fields { add(field.name, field.value) }
    }

    /// Creates the parameters of a body that is a list, which PHP numbers.
    init(list: [JSONValue]) {
        members = list.enumerated().map { JSONValue.Member(name: String($0.offset), value: $0.element) }
    }

    /// The elements of a body that is a list.
    var list: [JSONValue] { members.filter { Int($0.name) != nil }.map(\.value) }

    subscript(name: String) -> JSONValue? { members.last { $0.name == name }?.value }

    /// Returns these parameters, completed by those of `others`.
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
        // Clients send only one level.
        if inner.isEmpty {
            put(String(stem), .list((self[String(stem)]?.elements ?? []) + [.text(value)]))
        } else {
            var known: [JSONValue.Member] = []
            if case .object(let members)? = self[String(stem)] { known = members.filter { $0.name != inner } }
            put(String(stem), .object(known + [JSONValue.Member(name: String(inner), value: .text(value))]))
        }
    }

    private mutating func put(_ name: String, _ value: JSONValue) {
        members.removeAll { $0.name == name }
        members.append(JSONValue.Member(name: name, value: value))
    }

    // MARK: Values

    func text(_ name: String) -> String? { self[name]?.plainText }

    /// Returns a list, or the parts of a comma-separated text.
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

    /// Parses a date and time; without a zone it is local time, `offsetSeconds` east of UTC.
    func moment(_ name: String, offsetSeconds: Int) throws(SiteError) -> Timestamp? {
        guard let text = text(name), !text.isEmpty else { return nil }
        if let date = CivilDate(text) { return Timestamp(date, offsetSeconds: offsetSeconds) }
        guard let moment = Timestamp(text) else {
            throw .invalidParameter(name, "Invalid date.")
        }
        return moment
    }

    /// Returns one of the allowed words.
    func choice(_ name: String, _ allowed: [String], default standard: String) throws(SiteError) -> String {
        guard let text = text(name) else { return standard }
        guard allowed.contains(text) else {
            throw .invalidParameter(name, "\(name) is not one of \(allowed.joined(separator: ", ")).")
        }
        return text
    }
}
