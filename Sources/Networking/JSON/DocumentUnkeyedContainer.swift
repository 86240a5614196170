/// The elements of a list.
struct DocumentUnkeyedContainer: UnkeyedDecodingContainer {
    let decoder: DocumentDecoder
    let elements: [Int]
    private(set) var currentIndex = 0

    init(decoder: DocumentDecoder, elements: [Int]) { (self.decoder, self.elements) = (decoder, elements) }

    var codingPath: [any CodingKey] { [] }

    var count: Int? { elements.count }

    var isAtEnd: Bool { currentIndex >= elements.count }

    mutating func decodeNil() throws -> Bool {
        guard !isAtEnd, decoder.document.nodes[elements[currentIndex]].kind == .null else { return false }
        currentIndex += 1
        return true
    }

    mutating func decode(_ type: Bool.Type) throws -> Bool { try next().bool() }

    mutating func decode(_ type: String.Type) throws -> String { try next().string() }

    mutating func decode(_ type: Double.Type) throws -> Double { try next().floatingPoint(type) }

    mutating func decode(_ type: Float.Type) throws -> Float { try next().floatingPoint(type) }

    mutating func decode(_ type: Int.Type) throws -> Int { try next().integer(type) }

    mutating func decode(_ type: Int8.Type) throws -> Int8 { try next().integer(type) }

    mutating func decode(_ type: Int16.Type) throws -> Int16 { try next().integer(type) }

    mutating func decode(_ type: Int32.Type) throws -> Int32 { try next().integer(type) }

    mutating func decode(_ type: Int64.Type) throws -> Int64 { try next().integer(type) }

    mutating func decode(_ type: UInt.Type) throws -> UInt { try next().integer(type) }

    mutating func decode(_ type: UInt8.Type) throws -> UInt8 { try next().integer(type) }

    mutating func decode(_ type: UInt16.Type) throws -> UInt16 { try next().integer(type) }

    mutating func decode(_ type: UInt32.Type) throws -> UInt32 { try next().integer(type) }

    mutating func decode(_ type: UInt64.Type) throws -> UInt64 { try next().integer(type) }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try next().value(type) }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try next().container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer { try next().unkeyedContainer() }

    mutating func superDecoder() throws -> any Decoder { try next() }

    private mutating func next() throws(DecodingFailure) -> DocumentDecoder {
        guard !isAtEnd else { throw decoder.missing("[\(currentIndex)]") }
        defer { currentIndex += 1 }
        return decoder.part(elements[currentIndex])
    }
}
