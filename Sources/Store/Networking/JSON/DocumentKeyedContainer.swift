import Text

/// Decodes the members of an object.
struct DocumentKeyedContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: DocumentDecoder

    var codingPath: [any CodingKey] { [] }

    var allKeys: [Key] {
        guard decoder.kind == .object else { return [] }
        return decoder.document.names(of: decoder.node).compactMap {
            Key(stringValue: decoder.document.text(decoder.document.nodes[$0]))
        }
    }

    func contains(_ key: Key) -> Bool { decoder.context.contains(key.stringValue) || node(key) != nil }

    func decodeNil(forKey key: Key) -> Bool {
        guard !decoder.context.contains(key.stringValue) else { return false }
        return present(key) == nil
    }

    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try present(key)?.bool() ?? false }

    func decode(_ type: String.Type, forKey key: Key) throws -> String {
        if let known = decoder.context.text(key.stringValue) { return known }
        return try present(key)?.string(of: key.stringValue) ?? ""
    }

    func decode<Number: Decodable & LosslessStringConvertible & BinaryFloatingPoint>(
        _ type: Number.Type, forKey key: Key
    ) throws -> Number {
        try required(key).floatingPoint(type)
    }

    func decode<Number: Decodable & FixedWidthInteger>(_ type: Number.Type, forKey key: Key) throws -> Number {
        try integer(key)
    }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        if let part = present(key) { return try part.value(type) }
        guard let optional = type as? any EmptyWhenAbsent.Type, let empty = optional.empty as? Value else {
            throw decoder.missing(key.stringValue)
        }
        return empty
    }

    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
        guard let part = present(key), part.kind != .text || !part.isBlank else { return nil }
        return try part.bool()
    }

    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
        if let known = decoder.context.text(key.stringValue) { return known }
        guard let part = present(key), part.kind == .text || !part.isBlank else { return nil }
        return try part.string(of: key.stringValue)
    }

    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
        try optional(key)?.floatingPoint(type)
    }

    func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? {
        try optional(key)?.floatingPoint(type)
    }

    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { try optionalInteger(key) }

    func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? { try optionalInteger(key) }

    func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? { try optionalInteger(key) }

    func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? { try optionalInteger(key) }

    func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? { try optionalInteger(key) }

    func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? { try optionalInteger(key) }

    func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? { try optionalInteger(key) }

    func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? { try optionalInteger(key) }

    func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? { try optionalInteger(key) }

    func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? { try optionalInteger(key) }

    func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
        guard let part = present(key) else { return nil }
        if part.isBlank, type != JSONValue.self, !(type is any EmptyWhenAbsent.Type) { return nil }
        return try part.value(type)
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try required(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try required(key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { decoder }

    func superDecoder(forKey key: Key) throws -> any Decoder { try required(key) }

    // MARK: Members

    private func node(_ key: Key) -> Int? { decoder.document.member(key.stringValue, of: decoder.node) }

    /// Returns the member unless it is missing or null.
    private func present(_ key: Key) -> DocumentDecoder? {
        guard let node = node(key), decoder.document.nodes[node].kind != .null else { return nil }
        return decoder.part(node)
    }

    /// Returns the member unless it is missing, null or empty.
    private func optional(_ key: Key) -> DocumentDecoder? {
        guard let part = present(key), !part.isBlank else { return nil }
        return part
    }

    private func required(_ key: Key) throws(DecodingFailure) -> DocumentDecoder {
        guard let part = present(key) else { throw decoder.missing(key.stringValue) }
        return part
    }

    private func integer<Number: FixedWidthInteger>(_ key: Key) throws(DecodingFailure) -> Number {
        if let known = decoder.context.number(key.stringValue).flatMap(Number.init(exactly:)) { return known }
        return try required(key).integer(Number.self)
    }

    private func optionalInteger<Number: FixedWidthInteger>(_ key: Key) throws(DecodingFailure) -> Number? {
        if let known = decoder.context.number(key.stringValue).flatMap(Number.init(exactly:)) { return known }
        return try optional(key)?.integer(Number.self)
    }
}
