import Money
import Text

/// Decodes `Decodable` types from a part of a ``JSONDocument``, tolerant of WordPress's variations.
///
/// Plug-ins change the types of values, so equivalent values are accepted: a number as text and text as a number,
/// `"yes"` as true, `[]` as an empty object, an object with numeric names as a list. Missing or null texts, flags and
/// lists are empty. An optional value is nil when it is an empty text, `false` or `[]`. Numbers, amounts, dates and IDs
/// must be present and valid.
///
/// Texts are converted from HTML to plain text, because WordPress writes characters as references and allows elements
/// in names and notes; see ``isVerbatim(_:)``. ``JSONValue`` keeps texts as they are. Amounts lose the noise of binary
/// floating point, in which some stores calculate.
public struct DocumentDecoder: Decoder {
    /// The state that all decoders of one document share. It keeps the decoder small enough to avoid heap allocation.
    private final class Source: Sendable {
        let document: JSONDocument
        let context: DecodingContext

        init(_ document: JSONDocument, _ context: DecodingContext) {
            (self.document, self.context) = (document, context)
        }
    }

    private let source: Source
    let node: Int

    var document: JSONDocument { source.document }
    var context: DecodingContext { source.context }

    public var codingPath: [any CodingKey] { [] }
    public var userInfo: [CodingUserInfoKey: Any] { [:] }

    init(document: JSONDocument, node: Int, context: DecodingContext) {
        self.init(Source(document, context), node)
    }

    private init(_ source: Source, _ node: Int) { (self.source, self.node) = (source, node) }

    public func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        let kind = document.nodes[node].kind
        guard kind == .object || isEmptyList else { throw wrongType("an object") }
        return KeyedDecodingContainer(DocumentKeyedContainer<Key>(decoder: self))
    }

    public func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        DocumentUnkeyedContainer(decoder: self, elements: try elements())
    }

    public func singleValueContainer() throws -> any SingleValueDecodingContainer {
        DocumentValueContainer(decoder: self)
    }

    // MARK: Parts

    func part(_ node: Int) -> DocumentDecoder { DocumentDecoder(source, node) }

    var kind: JSONDocument.Kind { document.nodes[node].kind }

    /// Whether the value is an empty list, as PHP writes an empty object.
    private var isEmptyList: Bool { kind == .list && document.nodes[node].length == 0 }

    /// Whether the value stands for no value where another type is expected.
    var isBlank: Bool {
        switch kind {
        case .null, .false_: true
        case .text, .list: document.nodes[node].length == 0
        default: false
        }
    }

    /// Returns the element nodes of a list. PHP writes a list with gaps as an object with numeric names.
    func elements() throws(DecodingFailure) -> [Int] {
        if kind == .list { return document.elements(of: node) }
        if kind == .object {
            let names = document.names(of: node)
            if names.allSatisfy({ Int(document.text(document.nodes[$0])) != nil }) { return names.map { $0 + 1 } }
        }
        if isBlank { return [] }
        throw wrongType("a list")
    }

    // MARK: Values

    func bool() throws(DecodingFailure) -> Bool {
        let node = document.nodes[node]
        switch node.kind {
        case .true_: return true
        case .false_, .null: return false
        case .number, .text:
            switch document.text(node).lowercased() {
            case "1", "yes", "true", "on": return true
            case "0", "no", "false", "off", "": return false
            default: throw invalid("a flag such as true or \"yes\"")
            }
        case .list, .object: throw wrongType("a flag")
        }
    }

    func string() throws(DecodingFailure) -> String {
        let node = document.nodes[node]
        switch node.kind {
        case .text, .number: return document.text(node)
        case .null, .false_: return ""
        case .list where node.length == 0: return ""
        case .true_, .list, .object: throw wrongType("a text")
        }
    }

    /// Returns a text for people: without HTML, unless the member's name says that it isn't one.
    func string(of name: String) throws(DecodingFailure) -> String {
        let text = try string()
        return Self.isVerbatim(name) ? text : HTMLText.plain(text)
    }

    /// Whether the text of a member is for programs: an address, a secret, or an HTML element. `<` and `&` have no
    /// other meaning in it.
    static func isVerbatim(_ name: String) -> Bool {
        let name = name.lowercased()
        return name.hasSuffix("url") || name.hasSuffix("nonce") || exact.contains(name)
    }

    private static let exact: Set = ["image", "password", "secret", "token", "trackinglink"]

    func integer<Number: FixedWidthInteger>(_ type: Number.Type) throws(DecodingFailure) -> Number {
        let node = document.nodes[node]
        guard node.kind == .number || node.kind == .text else { throw wrongType("a whole number") }
        if let number = Self.digits(document.slice(node), as: type) { return number }
        // 12.0 and 1e3 are integers too.
        guard let decimal = ExactDecimal(utf8: document.slice(node)) else { throw invalid("a whole number") }
        var (coefficient, scale) = (decimal.coefficient, decimal.scale)
        while scale > 0, coefficient % 10 == 0 { (coefficient, scale) = (coefficient / 10, scale - 1) }
        guard scale == 0, let number = Number(exactly: coefficient) else { throw invalid("a whole number in range") }
        return number
    }

    func floatingPoint<Number: LosslessStringConvertible>(_ type: Number.Type) throws(DecodingFailure) -> Number {
        let node = document.nodes[node]
        guard node.kind == .number || node.kind == .text else { throw wrongType("a number") }
        guard let number = Number(document.text(node)) else { throw invalid("a number") }
        return number
    }

    /// Decodes any type.
    func value<Value: Decodable>(_ type: Value.Type) throws -> Value {
        // Fast path for the most frequent types: no container and no intermediate text.
        if type == ExactDecimal.self, let value = plainBytes.flatMap({ ExactDecimal(floating: $0) }) as? Value {
            return value
        }
        do {
            return try Value(from: self)
        } catch is DecodingError {
            // Errors of the type itself, such as an unknown word or a number out of range.
            throw invalid("a valid \(Value.self)")
        }
    }

    /// The bytes of a number, or of a text without escapes.
    private var plainBytes: ArraySlice<UInt8>? {
        let node = document.nodes[node]
        return node.kind == .number || node.kind == .text && !node.hasEscapes ? document.slice(node) : nil
    }

    // MARK: Errors

    func wrongType(_ expected: String) -> DecodingFailure {
        DecodingFailure(.wrongType(expected: expected, found: kind.name), at: document.path(to: node))
    }

    func invalid(_ expected: String) -> DecodingFailure {
        DecodingFailure(.invalid(expected), at: document.path(to: node))
    }

    func missing(_ name: String) -> DecodingFailure {
        let path = document.path(to: node)
        return DecodingFailure(.missing, at: path.isEmpty ? name : "\(path).\(name)")
    }

    /// Parses digits with an optional minus sign, the form of nearly all numbers.
    private static func digits<Number: FixedWidthInteger>(_ bytes: ArraySlice<UInt8>, as type: Number.Type) -> Number? {
        let isNegative = bytes.first == UInt8(ascii: "-")
        let digits = isNegative ? bytes.dropFirst() : bytes
        // Eighteen digits always fit into 64 bits.
        guard !digits.isEmpty, digits.count <= 18 else { return nil }
        var value: Int64 = 0
        for digit in digits {
            guard (0x30...0x39).contains(digit) else { return nil }
            value = value &* 10 &+ Int64(digit &- 0x30)
        }
        return Number(exactly: isNegative ? -value : value)
    }
}

extension JSONDocument.Kind {
    var name: String {
        switch self {
        case .null: "null"
        case .false_, .true_: "a flag"
        case .number: "a number"
        case .text: "a text"
        case .list: "a list"
        case .object: "an object"
        }
    }
}

/// Decodes a single value.
struct DocumentValueContainer: SingleValueDecodingContainer {
    let decoder: DocumentDecoder

    var codingPath: [any CodingKey] { [] }

    func decodeNil() -> Bool { decoder.kind == .null }

    func decode(_ type: Bool.Type) throws -> Bool { try decoder.bool() }

    func decode(_ type: String.Type) throws -> String { try decoder.string() }

    func decode<Number: Decodable & LosslessStringConvertible & BinaryFloatingPoint>(
        _ type: Number.Type
    ) throws -> Number {
        try decoder.floatingPoint(type)
    }

    func decode<Number: Decodable & FixedWidthInteger>(_ type: Number.Type) throws -> Number {
        try decoder.integer(type)
    }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try decoder.value(type) }
}

/// Decodes the elements of a list.
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

    mutating func decode<Number: Decodable & LosslessStringConvertible & BinaryFloatingPoint>(
        _ type: Number.Type
    ) throws -> Number {
        try next().floatingPoint(type)
    }

    mutating func decode<Number: Decodable & FixedWidthInteger>(_ type: Number.Type) throws -> Number {
        try next().integer(type)
    }

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

/// A type whose missing values decode as empty.
protocol EmptyWhenAbsent {
    static var empty: Self { get }
}

extension Array: EmptyWhenAbsent {
    static var empty: [Element] { [] }
}

extension Dictionary: EmptyWhenAbsent {
    static var empty: [Key: Value] { [:] }
}
