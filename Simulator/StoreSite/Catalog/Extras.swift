import Text

/// A member of a resource that clients read and write.
struct Field: Sendable {
    let name: String
    /// The value without one given; its type is that of the member. A null stands for any type.
    let standard: JSONValue
    /// The allowed words; empty for any.
    let choices: [String]

    init(_ name: String, _ standard: JSONValue = "", choices: [String] = []) {
        (self.name, self.standard, self.choices) = (name, standard, choices)
    }

    /// Returns a given value in the type of the member.
    ///
    /// - Throws: `rest_invalid_param`
    fileprivate func value(_ given: JSONValue, _ parameters: SiteParameters) throws(SiteError) -> JSONValue {
        switch standard {
        case .null: return given
        case .bool: return try parameters.flag(name).map(JSONValue.bool) ?? standard
        case .number: return try parameters.integer(name).map { .integer($0) } ?? standard
        case .text:
            guard let text = given.plainText else { throw .invalidParameter(name, "\(name) is not of type string.") }
            guard choices.isEmpty || choices.contains(text) else {
                throw .invalidParameter(name, "\(name) is not one of \(choices.joined(separator: ", ")).")
            }
            return .text(text)
        case .list:
            guard let elements = given.elements, elements.count <= 1000 else {
                throw .invalidParameter(name, "\(name) is not of type array.")
            }
            return .list(elements)
        case .object:
            guard case .object(let members) = given else {
                throw .invalidParameter(name, "\(name) is not of type object.")
            }
            return standard.joined(members)
        }
    }
}

/// The members of a resource that clients read and write, and that have no other effect in the store.
struct Extras: Hashable, Sendable {
    private(set) var members: [JSONValue.Member] = []

    subscript(name: String) -> JSONValue? {
        get { members.first { $0.name == name }?.value }
        set {
            if let index = members.firstIndex(where: { $0.name == name }) {
                if let newValue { members[index].value = newValue } else { members.remove(at: index) }
            } else if let newValue {
                members.append(JSONValue.Member(name: name, value: newValue))
            }
        }
    }

    /// Takes the fields that a request has. `nextMetaID` numbers entries of `meta_data`.
    ///
    /// - Throws: `rest_invalid_param`; then nothing has changed.
    mutating func take(
        _ fields: [Field], from parameters: SiteParameters, nextMetaID: () -> Int64
    ) throws(SiteError) {
        var changed = self
        for field in fields {
            guard let given = parameters[field.name] else { continue }
            let value = try field.value(given, parameters)
            guard field.name == "meta_data", let entries = value.elements else {
                changed[field.name] = value
                continue
            }
            changed.takeMeta(entries, nextMetaID)
        }
        self = changed
    }

    /// Fills in the fields that have no value.
    mutating func complete(_ fields: [Field]) {
        for field in fields where self[field.name] == nil { self[field.name] = field.standard }
    }

    private mutating func takeMeta(_ entries: [JSONValue], _ nextID: () -> Int64) {
        var known = self["meta_data"]?.elements ?? []
        for entry in entries {
            guard let key = entry["key"]?.plainText, !key.isEmpty else { continue }
            let index = known.firstIndex { $0["key"]?.plainText == key }
            let value = entry["value"] ?? .null
            if let index {
                if value == .null {
                    known.remove(at: index)
                } else {
                    known[index] = known[index].joined([.init(name: "value", value: value)])
                }
            } else if value != .null {
                known.append(["id": .integer(nextID()), "key": .text(key), "value": value])
            }
        }
        self["meta_data"] = .list(known)
    }
}

extension JSONValue {
    /// Returns an object with the members replaced; new ones come last, before the links.
    func joined(_ others: [Member]) -> JSONValue {
        guard case .object(var members) = self else { return self }
        for other in others {
            if let index = members.firstIndex(where: { $0.name == other.name }) {
                members[index].value = other.value
            } else {
                members.insert(other, at: members.last?.name == "_links" ? members.count - 1 : members.count)
            }
        }
        return .object(members)
    }
}

/// The slugs of names, as WordPress makes them.
enum Slug {
    /// Returns the words of a name in lowercase ASCII, joined by hyphens: `cold-brew`.
    static func of(_ name: String) -> String {
        HTMLText.plain(name).lowercased().split { !$0.isASCII || !($0.isLetter || $0.isNumber) }.joined(separator: "-")
    }

    /// Returns the slug, with a number at its end if it is taken: `cold-brew-2`.
    static func unused(_ slug: String, isTaken: (String) -> Bool) -> String {
        guard isTaken(slug) else { return slug }
        var number = 2
        while isTaken("\(slug)-\(number)") { number += 1 }
        return "\(slug)-\(number)"
    }
}
