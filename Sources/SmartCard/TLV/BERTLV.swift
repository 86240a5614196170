/// One BER-TLV data object (ISO/IEC 8825-1; EMV Book 3 annex B).
public struct BERTLV: Hashable, Sendable {
    public let tag: BERTag
    /// The data objects in a constructed value; empty for a primitive one.
    public let children: [BERTLV]
    /// What the object was read from: all objects of one input share its bytes.
    private let input: [UInt8]
    private let start: Int
    private let valueRange: Range<Int>

    /// The value field. For a constructed object: the encoding of its children.
    public var value: [UInt8] { Array(input[valueRange]) }

    /// Tag, length and value exactly as they stood in the input, whose length may not be minimal.
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

    /// Whether the encodings and the children are the same, wherever they were read.
    public static func == (first: BERTLV, second: BERTLV) -> Bool {
        first.tag == second.tag
            && first.input[first.start..<first.valueRange.upperBound]
                == second.input[second.start..<second.valueRange.upperBound]
            && first.children == second.children
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(input[start..<valueRange.upperBound])
    }

    /// The first data object with `tag`: this one, or one below it, depth first.
    public func first(_ tag: BERTag) -> BERTLV? {
        guard self.tag != tag else { return self }
        for child in children {
            if let found = child.first(tag) { return found }
        }
        return nil
    }

    /// Tag, minimal length and value.
    public static func encode(_ tag: BERTag, _ value: [UInt8]) -> [UInt8] {
        let count = value.count
        let length: [UInt8] =
            switch count {
            case ..<0x80: [UInt8(count)]
            case ..<0x100: [0x81, UInt8(count)]
            case ..<0x1_0000: [0x82, UInt8(count >> 8), UInt8(count & 0xFF)]
            default: [0x83, UInt8(count >> 16 & 0xFF), UInt8(count >> 8 & 0xFF), UInt8(count & 0xFF)]
            }
        return tag.bytes + length + value
    }

    /// How much a parser takes before it refuses: protects the caller's stack and memory.
    public struct Limits: Hashable, Sendable {
        /// Levels of data objects; 1 means primitive ones only. A template whose content lies deeper is
        /// an error.
        public var depth: Int
        /// Bytes of the whole input.
        public var bytes: Int

        public init(depth: Int = 8, bytes: Int = 65_536) { (self.depth, self.bytes) = (depth, bytes) }
    }

    /// Reads a series of data objects. Bytes 00 before, between and after them are skipped
    /// (EMV Book 3 annex B1).
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
    /// The first data object with `tag` in these or below them, depth first.
    public func first(_ tag: BERTag) -> BERTLV? {
        for object in self {
            if let found = object.first(tag) { return found }
        }
        return nil
    }
}
