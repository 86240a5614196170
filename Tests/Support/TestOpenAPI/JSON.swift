import FoundationEssentials
import HTTPInterface
package import Text

package typealias JSON = JSONValue

/// For tests to look into.
extension JSONValue {
    package init(_ bytes: [UInt8]) throws { self = try JSONDecoder().decode(DecodedJSON.self, from: Data(bytes)).value }

    package subscript(index: Int) -> JSON? {
        if case .list(let elements) = self, elements.indices.contains(index) { elements[index] } else { nil }
    }

    package var text: String? { if case .text(let text) = self { text } else { nil } }

    package var int: Int? { if case .number(let number) = self { Int(number) } else { nil } }

    package var bool: Bool? { if case .bool(let bool) = self { bool } else { nil } }

    package var elements: [JSON] { if case .list(let elements) = self { elements } else { [] } }

    package var members: [String: JSON] {
        guard case .object(let members) = self else { return [:] }
        return Dictionary(members.map { ($0.name, $0.value) }) { first, _ in first }
    }
}
