import Text

/// One BER-TLV data object (ISO/IEC 8825-1; EMV Book 3 annex B).
public struct BERTLV: Hashable, Sendable {
    public let tag: BERTag
    /// The data objects in a constructed value; empty for a primitive object.
    public let children: [BERTLV]
    /// The bytes that the object was parsed from. All objects of one input share them.
    private let input: [UInt8]
    private let start: Int
    private let valueRange: Range<Int>

    /// The value field. For a constructed object: the encoding of its children.
    public var value: [UInt8] { Array(input[valueRange]) }

    /// Tag, length, and value exactly as in the input, where the length encoding may not be minimal.
    public var encoded: [UInt8] { Array(input[start..<valueRange.upperBound]) }

    /// A primitive data object, or a constructed one whose value is already encoded.
    public init(_ tag: BERTag, _ value: [UInt8]) {
        let children = tag.isConstructed ? (try? Self.parse(value)) ?? [] : []
        self.init(tag, value, children)
    }

    /// A constructed data object.
    public init(_ tag: BERTag, children: [BERTLV]) {
        self.init(tag, children.flatMap(\.encoded), children)
    }

    private init(_ tag: BERTag, _ value: [UInt8], _ children: [BERTLV]) {
        let encoded = Self.encode(tag, value)
        self.init(
            tag: tag, children: children, input: encoded, start: 0,
            valueRange: (encoded.count - value.count)..<encoded.count)
    }

    private init(tag: BERTag, children: [BERTLV], input: [UInt8], start: Int, valueRange: Range<Int>) {
        (self.tag, self.children) = (tag, children)
        (self.input, self.start, self.valueRange) = (input, start, valueRange)
    }

    /// Compares encodings and children; the position in the input does not matter.
    public static func == (first: BERTLV, second: BERTLV) -> Bool {
        first.tag == second.tag
            && first.input[first.start..<first.valueRange.upperBound]
                == second.input[second.start..<second.valueRange.upperBound]
            && first.children == second.children
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(input[start..<valueRange.upperBound])
    }

    /// Returns the first data object with `tag`, depth first, starting with this one.
    public func first(_ tag: BERTag) -> BERTLV? {
        guard self.tag != tag else { return self }
        for child in children {
            if let found = child.first(tag) { return found }
        }
        return nil
    }

    /// Returns tag, minimal length, and value.
    public static func encode(_ tag: BERTag, _ value: [UInt8]) -> [UInt8] {
        let count = value.count
        var bytes: [UInt8] = []
        // At most four bytes each of tag and length.
        bytes.reserveCapacity(8 + count)
        tag.append(to: &bytes)
        switch count {
        case ..<0x80: break
        case ..<0x100: bytes.append(0x81)
        case ..<0x1_0000:
            bytes.append(0x82)
            bytes.append(UInt8(count >> 8))
        default:
            bytes.append(0x83)
            bytes.append(UInt8(count >> 16 & 0xFF))
            bytes.append(UInt8(count >> 8 & 0xFF))
        }
        bytes.append(UInt8(count & 0xFF))
        bytes += value
        return bytes
    }

    /// The limits of a parser. They protect the caller's stack and memory.
    public struct Limits: Hashable, Sendable {
        /// The maximum nesting depth; 1 means primitive objects only. Deeper templates are an error.
        public var depth: Int
        /// The maximum length of the input, in bytes.
        public var bytes: Int

        /// Limits a parser to `depth` levels, of which 1 is primitive objects only, and to `bytes` bytes of input.
        public init(depth: Int = 8, bytes: Int = 65_536) { (self.depth, self.bytes) = (depth, bytes) }
    }

    /// Parses a series of data objects. Skips bytes 00 before, between, and after them (EMV Book 3 annex B1).
    ///
    /// - Throws: ``BERTLVError`` with the offset in `bytes`.
    public static func parse(_ bytes: [UInt8], limits: Limits = Limits()) throws(BERTLVError) -> [BERTLV] {
        guard bytes.count <= limits.bytes else { throw .tooLarge(offset: limits.bytes) }
        return try parse(bytes, 0..<bytes.count, depth: limits.depth)
    }

    private static func parse(
        _ bytes: [UInt8], _ range: Range<Int>, depth: Int
    ) throws(BERTLVError) -> [BERTLV] {
        var objects: [BERTLV] = []
        var reader = BERTLVReader(range)
        while let object = try reader.next(in: bytes.span) {
            let isConstructed = object.tag.isConstructed
            guard !isConstructed || depth > 1 else { throw .tooDeep(offset: object.start) }
            objects.append(
                BERTLV(
                    tag: object.tag,
                    children: isConstructed ? try parse(bytes, object.value, depth: depth - 1) : [],
                    input: bytes, start: object.start, valueRange: object.value))
        }
        return objects
    }
}

extension [BERTLV] {
    /// Returns the first data object with `tag` in this list, depth first.
    public func first(_ tag: BERTag) -> BERTLV? {
        for object in self {
            if let found = object.first(tag) { return found }
        }
        return nil
    }
}

/// A BER tag of one to four bytes, big-endian (ISO/IEC 8825-1; EMV Book 3 annex B1).
public struct BERTag: RawRepresentable, Hashable, Comparable, Sendable, ExpressibleByIntegerLiteral,
    CustomStringConvertible
{
    /// The tag's bytes as one number: `0x9F26` is the tag 9F 26.
    public let rawValue: UInt32

    /// Takes the bytes of the tag as a number, the first byte highest: 0x9F26.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Takes the tag as it is written in specifications: 0x9F26.
    public init(integerLiteral value: UInt32) { rawValue = value }

    public static func < (first: BERTag, second: BERTag) -> Bool { first.rawValue < second.rawValue }

    /// The encoded tag, 1...4 bytes.
    public var bytes: [UInt8] {
        var bytes: [UInt8] = []
        append(to: &bytes)
        return bytes
    }

    func append(to bytes: inout [UInt8]) {
        let count =
            switch rawValue {
            case ..<0x100: 1
            case ..<0x1_0000: 2
            case ..<0x100_0000: 3
            default: 4
            }
        for place in (0..<count).reversed() {
            bytes.append(UInt8(truncatingIfNeeded: rawValue >> UInt32(8 * place)))
        }
    }

    /// Whether the value is a series of data objects (b6 of the first byte).
    public var isConstructed: Bool {
        let shift: UInt32 =
            switch rawValue {
            case ..<0x100: 0
            case ..<0x1_0000: 8
            case ..<0x100_0000: 16
            default: 24
            }
        return rawValue >> shift & 0x20 != 0
    }

    /// Upper-case hexadecimal digits, for example `9F26`.
    public var description: String { bytes.hexadecimal }
}

/// Reads BER-TLV data objects one after the other in place, without copying or allocating (ISO/IEC 8825-1; EMV Book 3
/// annex B).
///
/// The reader holds a position in the caller's bytes and returns ranges of them:
///
///     var reader = BERTLVReader(0..<bytes.count)
///     while let object = try reader.next(in: bytes.span) { use(object.tag, bytes[object.value]) }
///
/// It does not descend into templates: use a second reader over `object.value`.
public struct BERTLVReader: Sendable {
    /// The position of a data object in the bytes.
    public struct Object: Hashable, Sendable {
        public let tag: BERTag
        /// The offset of the tag's first byte.
        public let start: Int
        /// The offsets of the value.
        public let value: Range<Int>
    }

    /// The offset of the next byte to read.
    public private(set) var position: Int
    /// The offset after the last byte to read.
    public let end: Int

    /// - Parameter range: the offsets to read. Offsets outside the bytes are ignored.
    public init(_ range: Range<Int>) {
        position = max(0, range.lowerBound)
        end = range.upperBound
    }

    /// Returns the next data object; nil at the end. Skips bytes 00 before, between, and after objects (EMV Book 3
    /// annex B1).
    ///
    /// - Throws: ``BERTLVError`` with the offset in `bytes`: truncated, tag too long, invalid length.
    public mutating func next(in bytes: Span<UInt8>) throws(BERTLVError) -> Object? {
        let limit = limit(in: bytes)
        guard let header = try takeHeader(in: bytes, limit) else { return nil }
        let valueStart = position
        guard header.length <= limit - valueStart else { throw .truncated(offset: header.start) }
        position = valueStart + header.length
        return Object(tag: header.tag, start: header.start, value: valueStart..<position)
    }

    /// A tag and the length that follows it.
    public struct Header: Hashable, Sendable {
        public let tag: BERTag
        /// The offset of the tag's first byte.
        public let start: Int
        /// The encoded length of the value. The input may be shorter.
        public let length: Int
    }

    /// Returns the tag and length of the next data object and moves ``position`` to its value; nil at the end.
    ///
    /// - Throws: ``BERTLVError`` with the offset in `bytes`: truncated, tag too long, invalid length.
    public mutating func nextHeader(in bytes: Span<UInt8>) throws(BERTLVError) -> Header? {
        try takeHeader(in: bytes, limit(in: bytes))
    }

    /// Returns the tag at the current position, without a length, as in a tag list.
    ///
    /// - Throws: ``BERTLVError`` with the offset in `bytes`: truncated, tag too long.
    public mutating func nextTag(in bytes: Span<UInt8>) throws(BERTLVError) -> BERTag {
        let limit = limit(in: bytes)
        guard position < limit else { throw .truncated(offset: position) }
        return try takeTag(in: bytes, limit)
    }

    // Always inlined: a function call per byte would cost more than the parsing.

    @inline(__always)
    private func limit(in bytes: Span<UInt8>) -> Int { min(end, bytes.count) }

    @inline(__always)
    private mutating func takeHeader(in bytes: Span<UInt8>, _ limit: Int) throws(BERTLVError) -> Header? {
        while position < limit, bytes[position] == 0 { position += 1 }
        guard position < limit else { return nil }
        let start = position
        let tag = try takeTag(in: bytes, limit)
        return Header(tag: tag, start: start, length: try takeLength(in: bytes, limit))
    }

    /// Reads a tag. At least one byte must be left.
    @inline(__always)
    private mutating func takeTag(in bytes: Span<UInt8>, _ limit: Int) throws(BERTLVError) -> BERTag {
        let start = position
        var number = UInt32(bytes[start])
        position = start + 1
        guard number & 0x1F == 0x1F else { return BERTag(rawValue: number) }
        while true {
            guard position - start < 4 else { throw .tagTooLong(offset: start) }
            guard position < limit else { throw .truncated(offset: start) }
            let next = bytes[position]
            number = number << 8 | UInt32(next)
            position += 1
            if next & 0x80 == 0 { return BERTag(rawValue: number) }
        }
    }

    @inline(__always)
    private mutating func takeLength(in bytes: Span<UInt8>, _ limit: Int) throws(BERTLVError) -> Int {
        let start = position
        guard start < limit else { throw .truncated(offset: start) }
        let first = bytes[start]
        position = start + 1
        guard first >= 0x80 else { return Int(first) }
        let count = Int(first & 0x7F)
        guard count >= 1, count <= 3 else { throw .invalidLength(offset: start) }
        guard count <= limit - position else { throw .truncated(offset: start) }
        var length = 0
        for _ in 0..<count {
            length = length << 8 | Int(bytes[position])
            position += 1
        }
        return length
    }
}

/// Why bytes are not valid BER-TLV, and at which offset. Contains no values.
public enum BERTLVError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The bytes end inside a tag, a length, or a value.
    case truncated(offset: Int)
    /// A tag of more than four bytes.
    case tagTooLong(offset: Int)
    /// A length of more than three bytes, or the indefinite form, which EMV does not allow.
    case invalidLength(offset: Int)
    /// Templates nested deeper than the limit.
    case tooDeep(offset: Int)
    /// More bytes than the limit.
    case tooLarge(offset: Int)

    /// The offset of the error from the first byte of the input.
    public var offset: Int {
        switch self {
        case .truncated(let offset), .tagTooLong(let offset), .invalidLength(let offset), .tooDeep(let offset),
            .tooLarge(let offset):
            offset
        }
    }

    public var description: String {
        switch self {
        case .truncated(let offset): "BER-TLV data ends early, at offset \(offset)"
        case .tagTooLong(let offset): "tag of more than four bytes at offset \(offset)"
        case .invalidLength(let offset): "invalid length at offset \(offset)"
        case .tooDeep(let offset): "templates nested too deep at offset \(offset)"
        case .tooLarge(let offset): "more data than allowed at offset \(offset)"
        }
    }
}
