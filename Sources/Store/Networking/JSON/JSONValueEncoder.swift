import Text

/// Encodes `Encodable` values as ``JSONValue``, with exact numbers.
struct JSONValueEncoder: Encoder {
    /// The value being encoded, shared by the containers of one encoding.
    final class Draft {
        var scalar: JSONValue?
        var elements: [Draft]?
        var members: [(name: String, draft: Draft)]?

        var value: JSONValue {
            if let scalar { return scalar }
            if let elements { return .list(elements.map(\.value)) }
            // A value without members is an empty object.
            return .object((members ?? []).map { JSONValue.Member($0.name, $0.draft.value) })
        }

        func appended() -> Draft {
            let draft = Draft()
            elements = elements ?? []
            elements?.append(draft)
            return draft
        }

        func member(_ name: String) -> Draft {
            let draft = Draft()
            members = members ?? []
            members?.append((name, draft))
            return draft
        }
    }

    let draft: Draft

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    static func value(of value: some Encodable) throws -> JSONValue {
        let encoder = JSONValueEncoder(draft: Draft())
        try encoder.encode(value)
        return encoder.draft.value
    }

    func encode(_ value: some Encodable) throws {
        // A JSONValue would otherwise encode itself as text.
        if let value = value as? JSONValue { draft.scalar = value } else { try value.encode(to: self) }
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        draft.members = draft.members ?? []
        return KeyedEncodingContainer(Members<Key>(draft: draft))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        draft.elements = draft.elements ?? []
        return Elements(draft: draft)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { Single(draft: draft) }
}

extension JSONValueEncoder {
    private struct Members<Key: CodingKey>: KeyedEncodingContainerProtocol {
        let draft: Draft
        var codingPath: [any CodingKey] { [] }

        func encodeNil(forKey key: Key) { draft.member(key.stringValue).scalar = .null }

        func encode(_ value: some Encodable, forKey key: Key) throws {
            try JSONValueEncoder(draft: draft.member(key.stringValue)).encode(value)
        }

        func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type, forKey key: Key
        ) -> KeyedEncodingContainer<Nested> {
            JSONValueEncoder(draft: draft.member(key.stringValue)).container(keyedBy: type)
        }

        func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
            JSONValueEncoder(draft: draft.member(key.stringValue)).unkeyedContainer()
        }

        func superEncoder() -> any Encoder { JSONValueEncoder(draft: draft.member("super")) }

        func superEncoder(forKey key: Key) -> any Encoder { JSONValueEncoder(draft: draft.member(key.stringValue)) }
    }

    private struct Elements: UnkeyedEncodingContainer {
        let draft: Draft
        var codingPath: [any CodingKey] { [] }
        var count: Int { draft.elements?.count ?? 0 }

        func encodeNil() { draft.appended().scalar = .null }

        func encode(_ value: some Encodable) throws { try JSONValueEncoder(draft: draft.appended()).encode(value) }

        func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
            JSONValueEncoder(draft: draft.appended()).container(keyedBy: type)
        }

        func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
            JSONValueEncoder(draft: draft.appended()).unkeyedContainer()
        }

        func superEncoder() -> any Encoder { JSONValueEncoder(draft: draft.appended()) }
    }

    private struct Single: SingleValueEncodingContainer {
        let draft: Draft
        var codingPath: [any CodingKey] { [] }

        func encodeNil() { draft.scalar = .null }
        func encode(_ value: Bool) { draft.scalar = .bool(value) }
        func encode(_ value: String) { draft.scalar = .text(value) }
        func encode(_ value: Double) { draft.scalar = .number("\(value)") }
        func encode(_ value: Float) { draft.scalar = .number("\(value)") }
        func encode(_ value: Int) { encodeNumber(value) }
        func encode(_ value: Int8) { encodeNumber(value) }
        func encode(_ value: Int16) { encodeNumber(value) }
        func encode(_ value: Int32) { encodeNumber(value) }
        func encode(_ value: Int64) { encodeNumber(value) }
        func encode(_ value: UInt) { encodeNumber(value) }
        func encode(_ value: UInt8) { encodeNumber(value) }
        func encode(_ value: UInt16) { encodeNumber(value) }
        func encode(_ value: UInt32) { encodeNumber(value) }
        func encode(_ value: UInt64) { encodeNumber(value) }
        func encode(_ value: some Encodable) throws { try JSONValueEncoder(draft: draft).encode(value) }

        private func encodeNumber(_ value: some BinaryInteger) { draft.scalar = JSONValue(value) }
    }
}
