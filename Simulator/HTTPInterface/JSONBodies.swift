import FoundationEssentials
package import Text

/// Decodes any JSON value. Sorts the members of objects by name and writes numbers as plain decimals.
package struct DecodedJSON: Decodable {
    package let value: JSONValue

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            value = .null
        } else if let flag = try? container.decode(Bool.self) {
            value = .bool(flag)
        } else if let text = try? container.decode(String.self) {
            value = .text(text)
        } else if let number = try? container.decode(Decimal.self) {
            value = .number(number.description)
        } else if let number = try? container.decode(Double.self) {
            // A number that Decimal can't hold is no valid value here, but it is JSON.
            value = .number("\(number)")
        } else if let elements = try? container.decode([DecodedJSON].self) {
            value = .list(elements.map(\.value))
        } else {
            value = .members(try container.decode([String: DecodedJSON].self).mapValues(\.value))
        }
    }
}

/// Encodes any JSON value with an encoder of Foundation.
package struct EncodedJSON: Encodable, Sendable {
    package let value: JSONValue

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch value {
        case .null: try container.encodeNil()
        case .bool(let flag): try container.encode(flag)
        case .number(let text): try container.encode(Decimal(string: text) ?? 0)
        case .text(let text): try container.encode(text)
        case .list(let values): try container.encode(values.map(EncodedJSON.init))
        case .object(let members):
            try container.encode(
                Dictionary(members.map { ($0.name, EncodedJSON(value: $0.value)) }) { first, _ in first })
        }
    }
}

extension JSONValue {
    /// Creates an object with its members sorted by name.
    package static func members(_ members: [String: JSONValue]) -> JSONValue {
        .object(members.sorted { $0.key < $1.key }.map { Member($0.key, $0.value) })
    }

    /// The kind of the value, for an error message.
    package var kind: String {
        switch self {
        case .null: "null"
        case .bool: "true or false"
        case .number: "a number"
        case .text: "text"
        case .list: "a list"
        case .object: "an object"
        }
    }
}
