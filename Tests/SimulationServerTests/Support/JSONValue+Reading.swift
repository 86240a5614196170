import FoundationEssentials

@testable import SimulationServer

typealias JSON = JSONValue

/// For tests to look into.
extension JSONValue {
    init(_ bytes: [UInt8]) throws { self = try JSONDecoder().decode(JSON.self, from: Data(bytes)) }

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
