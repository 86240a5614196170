import Text

/// Why the result of a message is `Failure`, in the words of the protocol (ErrorCondition). Tills decide by these.
enum NexoCondition: String, CaseIterable, Sendable {
    case aborted = "Aborted"
    case busy = "Busy"
    case cancel = "Cancel"
    case deviceOut = "DeviceOut"
    case inProgress = "InProgress"
    case insertedCard = "InsertedCard"
    case invalidCard = "InvalidCard"
    case messageFormat = "MessageFormat"
    case notAllowed = "NotAllowed"
    case notFound = "NotFound"
    case refusal = "Refusal"
    case unavailableDevice = "UnavailableDevice"
    case unavailableService = "UnavailableService"
    case unreachableHost = "UnreachableHost"
    case wrongPIN = "WrongPIN"
}

/// A message that is answered with `Result: Failure`. Nothing changed because of it.
struct NexoFailure: Error, Hashable, Sendable {
    let condition: NexoCondition
    /// The pairs of AdditionalResponse, for people and logs.
    var details: [Detail]

    struct Detail: Hashable, Sendable {
        let name: String
        let value: String
    }

    init(_ condition: NexoCondition, _ message: String? = nil, _ others: [Detail] = []) {
        self.condition = condition
        details = (message.map { [Detail(name: "message", value: $0)] } ?? []) + others
    }

    /// A member that is missing or wrong, by its place in the message.
    static func format(_ place: String, _ field: String, _ problem: String) -> NexoFailure {
        let text = "At \(place), field \(field): \(problem)"
        return NexoFailure(.messageFormat, nil, [Detail(name: "errors", value: text)])
    }

    /// The member `Response` of a response.
    var response: JSONValue {
        var members: [JSONValue.Member] = [
            .init("Result", "Failure"), .init("ErrorCondition", .text(condition.rawValue)),
        ]
        if !details.isEmpty {
            members.append(.init("AdditionalResponse", .text(NexoText.pairs(details.map { ($0.name, $0.value) }))))
        }
        return .object(members)
    }
}

/// Texts of the protocol that are pairs of names and values.
enum NexoText {
    /// Joins pairs with `&`, each name and value percent-encoded.
    static func pairs(_ pairs: [(name: String, value: String)]) -> String { PercentEncoding.form(pairs) }

    /// The value of a name in pairs, or in base64 of a JSON object; nil without it.
    static func value(_ name: String, in text: String) -> String? {
        members(of: .text(text)).first { $0.name == name }?.value.textValue
    }

    /// The names and values of SaleToAcquirerData: pairs, base64 of a JSON object, or a JSON object. None for others.
    static func members(of data: JSONValue?) -> [JSONValue.Member] {
        switch data {
        case .object(let members)?: return members
        case .text(let text)?:
            if let bytes = [UInt8](base64: text), case .object(let members)? = JSONReader.node(bytes) { return members }
            return text.split(separator: "&").map { pair in
                let key = pair.prefix { $0 != "=" }
                return JSONValue.Member(
                    PercentEncoding.decode(key), .text(PercentEncoding.decode(pair.dropFirst(key.count + 1))))
            }
        default: return []
        }
    }
}

extension JSONValue {
    /// An object of the members that have a value.
    static func members(_ pairs: KeyValuePairs<String, JSONValue?>) -> JSONValue {
        .object(pairs.compactMap { pair in pair.value.map { Member(pair.key, $0) } })
    }

    /// The elements of a list; none for other values.
    var elements: [JSONValue] { if case .list(let elements) = self { elements } else { [] } }

    /// The value of a text; nil for other values.
    var string: String? { if case .text(let text) = self { text } else { nil } }

    /// The value of `true` or `false`; nil for other values.
    var flag: Bool? { if case .bool(let flag) = self { flag } else { nil } }

    /// The value below names, one after another; nil where one is missing.
    func at(_ names: String...) -> JSONValue? {
        names.reduce(Optional(self)) { $0?[$1] }
    }
}
