import FoundationEssentials

/// A JSON value that was read, for tests to look into.
indirect enum JSON: Hashable, Sendable, Decodable {
    case null
    case bool(Bool)
    case number(Decimal)
    case text(String)
    case list([JSON])
    case object([String: JSON])

    init(_ bytes: [UInt8]) throws { self = try JSONDecoder().decode(JSON.self, from: Data(bytes)) }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(String.self) {
            self = .text(value)
        } else if let value = try? container.decode(Decimal.self) {
            self = .number(value)
        } else if let value = try? container.decode([JSON].self) {
            self = .list(value)
        } else {
            self = .object(try container.decode([String: JSON].self))
        }
    }

    subscript(key: String) -> JSON? { if case .object(let members) = self { members[key] } else { nil } }

    subscript(index: Int) -> JSON? {
        if case .list(let elements) = self, elements.indices.contains(index) { elements[index] } else { nil }
    }

    var text: String? { if case .text(let text) = self { text } else { nil } }

    var int: Int? { if case .number(let number) = self { Int(number.description) } else { nil } }

    var bool: Bool? { if case .bool(let bool) = self { bool } else { nil } }

    var elements: [JSON] { if case .list(let elements) = self { elements } else { [] } }

    var members: [String: JSON] { if case .object(let members) = self { members } else { [:] } }
}
