import Text

/// A data object in the TLV container of a ZVT message. Unlike the length of the message, its length has the high byte
/// first.
public struct ZVTObject: Equatable, Sendable {
    /// The contents: bytes, or other data objects where bit 6 of the tag's first byte is set.
    public enum Content: Equatable, Sendable {
        case bytes([UInt8])
        case objects([ZVTObject])
    }

    /// The bytes of the tag as a number: 0x1F07.
    public let tag: UInt32
    public let content: Content

    /// Makes a data object with bytes. Its tag must be a primitive one.
    public init(_ tag: UInt32, _ bytes: [UInt8]) { (self.tag, content) = (tag, .bytes(bytes)) }

    /// Makes a data object with others in it. Its tag must be a constructed one.
    public init(_ tag: UInt32, _ objects: [ZVTObject]) { (self.tag, content) = (tag, .objects(objects)) }

    /// The bytes; nil for a data object with others in it.
    public var bytes: [UInt8]? {
        if case .bytes(let bytes) = content { bytes } else { nil }
    }

    /// The data objects in this one; empty for one with bytes.
    public var objects: [ZVTObject] {
        if case .objects(let objects) = content { objects } else { [] }
    }

    /// The tag in hexadecimal digits: `1F07`.
    static func digits(of tag: UInt32) -> String { bytes(of: tag).hexadecimal }

    private static func bytes(of tag: UInt32) -> [UInt8] {
        let bytes = [UInt8(tag >> 24), UInt8(tag >> 16 & 0xFF), UInt8(tag >> 8 & 0xFF), UInt8(tag & 0xFF)]
        let significant = bytes.drop { $0 == 0 }
        return significant.isEmpty ? [0] : Array(significant)
    }

    /// Data objects can be in each other this many times.
    private static let deepest = 8

    /// Reads the data objects that fill `bytes`. `shift` is the offset of index 0 of `bytes` in the message.
    static func read(
        _ bytes: ArraySlice<UInt8>, shift: Int, depth: Int = 0
    ) throws(ZVTError) -> [ZVTObject] {
        var (objects, index) = ([ZVTObject](), bytes.startIndex)
        while index < bytes.endIndex {
            let start = index
            guard depth < deepest else { throw ZVTError(.bmp(ZVTFieldRule.container), at: start + shift, .tooDeep) }
            var tag = UInt32(bytes[index])
            index += 1
            if tag & 0x1F == 0x1F {
                var isLast = false
                while !isLast {
                    guard index < bytes.endIndex, index - start < 4 else {
                        throw ZVTError(.bmp(ZVTFieldRule.container), at: start + shift, .wrongTag)
                    }
                    isLast = bytes[index] & 0x80 == 0
                    tag = tag << 8 | UInt32(bytes[index])
                    index += 1
                }
            }
            let count = try length(bytes, &index, .tag(tag), shift: shift)
            let missing = count - (bytes.endIndex - index)
            guard missing <= 0 else { throw ZVTError(.tag(tag), at: index + shift, .truncated(missing: missing)) }
            let value = bytes[index..<index + count]
            if bytes[start] & 0x20 == 0 {
                objects.append(ZVTObject(tag, Array(value)))
            } else {
                objects.append(ZVTObject(tag, try read(value, shift: shift, depth: depth + 1)))
            }
            index += count
        }
        return objects
    }

    /// Reads a length: 00 to 7F, 81 with one byte, or 82 with two.
    static func length(
        _ bytes: ArraySlice<UInt8>, _ index: inout Int, _ part: ZVTError.Part, shift: Int
    ) throws(ZVTError) -> Int {
        guard index < bytes.endIndex else { throw ZVTError(part, at: index + shift, .truncated(missing: 1)) }
        let first = bytes[index]
        guard first > 0x7F else {
            index += 1
            return Int(first)
        }
        guard first == 0x81 || first == 0x82 else { throw ZVTError(part, at: index + shift, .wrongLengthForm) }
        let more = Int(first - 0x80)
        let missing = more - (bytes.endIndex - index - 1)
        guard missing <= 0 else { throw ZVTError(part, at: index + shift, .truncated(missing: missing)) }
        let count = bytes[index + 1..<index + 1 + more].reduce(0) { $0 << 8 | Int($1) }
        index += 1 + more
        return count
    }

    /// Returns the bytes of data objects.
    ///
    /// - Throws: ``ZVTRule/wrongTag`` when tag and contents do not fit, ``ZVTRule/tooLong(_:maximum:)``
    static func encoded(_ objects: [ZVTObject]) throws(ZVTError) -> [UInt8] {
        var bytes: [UInt8] = []
        for object in objects {
            let tag = Self.bytes(of: object.tag)
            let value: [UInt8]
            switch object.content {
            case .bytes(let own): value = own
            case .objects(let inner): value = try encoded(inner)
            }
            guard Self.isTag(tag), (tag[0] & 0x20 == 0) == (object.bytes != nil) else {
                throw ZVTError(.tag(object.tag), at: 0, .wrongTag)
            }
            bytes += tag
            bytes += try encodedLength(value.count, .tag(object.tag))
            bytes += value
        }
        return bytes
    }

    /// Whether bytes are one whole tag.
    private static func isTag(_ bytes: [UInt8]) -> Bool {
        guard bytes[0] & 0x1F == 0x1F else { return bytes.count == 1 }
        return bytes.count > 1 && bytes[bytes.count - 1] & 0x80 == 0
            && bytes.dropFirst().dropLast().allSatisfy { $0 & 0x80 != 0 }
    }

    static func encodedLength(_ count: Int, _ part: ZVTError.Part) throws(ZVTError) -> [UInt8] {
        switch count {
        case ...0x7F: return [UInt8(count)]
        case ...0xFF: return [0x81, UInt8(count)]
        case ...0xFFFF: return [0x82, UInt8(count >> 8), UInt8(count & 0xFF)]
        default: throw ZVTError(part, at: 0, .tooLong(count, maximum: 0xFFFF))
        }
    }
}

extension [ZVTObject] {
    /// Returns the first data object with a tag.
    func first(_ tag: UInt32) -> ZVTObject? { first { $0.tag == tag } }
}
