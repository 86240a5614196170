/// One BER-TLV data object (ISO/IEC 8825-1; EMV Book 3 annex B).
public struct BERTLV: Hashable, Sendable {
    public let tag: BERTag
    /// The value field. For a constructed object: the encoding of its children.
    public let value: [UInt8]
    /// Tag, length and value exactly as they stood in the input, whose length may not be minimal.
    public let encoded: [UInt8]
    /// The data objects in a constructed value; empty for a primitive one.
    public let children: [BERTLV]

    /// A primitive data object, or a constructed one whose value is already encoded.
    public init(_ tag: BERTag, _ value: [UInt8]) {
        let children = tag.isConstructed ? (try? Self.parse(value)) ?? [] : []
        self.init(tag: tag, value: value, encoded: Self.encode(tag, value), children: children)
    }

    /// A constructed data object.
    public init(_ tag: BERTag, children: [BERTLV]) {
        let value = children.flatMap(\.encoded)
        self.init(tag: tag, value: value, encoded: Self.encode(tag, value), children: children)
    }

    private init(tag: BERTag, value: [UInt8], encoded: [UInt8], children: [BERTLV]) {
        (self.tag, self.value, self.encoded, self.children) = (tag, value, encoded, children)
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
        return try parse(bytes[...], depth: limits.depth)
    }

    private static func parse(_ bytes: ArraySlice<UInt8>, depth: Int) throws(BERTLVError) -> [BERTLV] {
        var objects: [BERTLV] = []
        var rest = bytes
        while let first = rest.first {
            guard first != 0 else {
                rest = rest.dropFirst()
                continue
            }
            let start = rest.startIndex
            let tag = try takeTag(&rest)
            let length = try takeLength(&rest)
            guard rest.count >= length else { throw .truncated(offset: start) }
            guard !tag.isConstructed || depth > 1 else { throw .tooDeep(offset: start) }
            let value = rest.prefix(length)
            rest = rest.dropFirst(length)
            objects.append(
                BERTLV(
                    tag: tag, value: Array(value), encoded: Array(bytes[start..<value.endIndex]),
                    children: tag.isConstructed ? try parse(value, depth: depth - 1) : []))
        }
        return objects
    }

    static func takeTag(_ rest: inout ArraySlice<UInt8>) throws(BERTLVError) -> BERTag {
        let start = rest.startIndex
        guard let first = rest.popFirst() else { throw .truncated(offset: start) }
        var number = UInt32(first)
        guard first & 0x1F == 0x1F else { return BERTag(rawValue: number) }
        for count in 1... {
            guard count < 4 else { throw .tagTooLong(offset: start) }
            guard let next = rest.popFirst() else { throw .truncated(offset: start) }
            number = number << 8 | UInt32(next)
            if next & 0x80 == 0 { break }
        }
        return BERTag(rawValue: number)
    }

    static func takeLength(_ rest: inout ArraySlice<UInt8>) throws(BERTLVError) -> Int {
        let start = rest.startIndex
        guard let first = rest.popFirst() else { throw .truncated(offset: start) }
        guard first >= 0x80 else { return Int(first) }
        let count = Int(first & 0x7F)
        guard (1...3).contains(count) else { throw .invalidLength(offset: start) }
        var length = 0
        for _ in 0..<count {
            guard let next = rest.popFirst() else { throw .truncated(offset: start) }
            length = length << 8 | Int(next)
        }
        return length
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
