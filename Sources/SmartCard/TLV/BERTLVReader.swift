/// Reads BER-TLV data objects one after the other, in place: it copies nothing and allocates nothing
/// (ISO/IEC 8825-1; EMV Book 3 annex B).
///
/// It holds a place in bytes that the caller keeps, and gives ranges of them:
///
///     var reader = BERTLVReader(0..<bytes.count)
///     while let object = try reader.next(in: bytes.span) { use(object.tag, bytes[object.value]) }
///
/// It does not go into templates: a second reader over `object.value` does.
public struct BERTLVReader: Sendable {
    /// Where a data object stands in the bytes.
    public struct Object: Hashable, Sendable {
        public let tag: BERTag
        /// The offset of the tag's first byte.
        public let start: Int
        /// The offsets of the value.
        public let value: Range<Int>
    }

    /// The offset of the next byte to read.
    public private(set) var position: Int
    /// The offset behind the last byte to read.
    public let end: Int

    /// - Parameter range: the offsets to read. What lies outside the bytes is left out.
    public init(_ range: Range<Int>) {
        position = max(0, range.lowerBound)
        end = range.upperBound
    }

    /// The next data object; nil at the end. Bytes 00 before, between and after objects are skipped
    /// (EMV Book 3 annex B1).
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

    /// A tag and the length that stands behind it.
    public struct Header: Hashable, Sendable {
        public let tag: BERTag
        /// The offset of the tag's first byte.
        public let start: Int
        /// What the value's length is said to be; there may be fewer bytes.
        public let length: Int
    }

    /// The tag and length of the next data object, after which ``position`` is where its value begins; nil at
    /// the end.
    ///
    /// - Throws: ``BERTLVError`` with the offset in `bytes`: truncated, tag too long, invalid length.
    public mutating func nextHeader(in bytes: Span<UInt8>) throws(BERTLVError) -> Header? {
        try takeHeader(in: bytes, limit(in: bytes))
    }

    /// The tag at the reader's place, without its length: what a list of tags is made of.
    ///
    /// - Throws: ``BERTLVError`` with the offset in `bytes`: truncated, tag too long.
    public mutating func nextTag(in bytes: Span<UInt8>) throws(BERTLVError) -> BERTag {
        let limit = limit(in: bytes)
        guard position < limit else { throw .truncated(offset: position) }
        return try takeTag(in: bytes, limit)
    }

    // Inlined by force: a call a byte would take longer than the reading.

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

    /// There is a byte.
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
