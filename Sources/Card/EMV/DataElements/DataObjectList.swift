public import SmartCard

/// A data object list (DOL): the tags and lengths of the data that the card requests, in order (EMV Book 3 §5.4).
public struct DataObjectList: Hashable, Sendable {
    /// One requested data object.
    public struct Entry: Hashable, Sendable {
        public let tag: BERTag
        /// The requested length in bytes, 0...255.
        public let length: Int

        /// Requests `length` bytes of the data object, 0...255.
        public init(tag: BERTag, length: Int) { (self.tag, self.length) = (tag, length) }
    }

    public let entries: [Entry]

    /// Parses an encoded PDOL (9F38), CDOL1 (8C), CDOL2 (8D), DDOL (9F49), or TDOL (97).
    ///
    /// - Parameters:
    ///   - bytes: the encoded list.
    ///   - limit: the maximum length of the filled list, in bytes.
    /// - Throws: ``DataObjectListError``
    public init(_ bytes: [UInt8], limit: Int = 255) throws(DataObjectListError) {
        var entries: [Entry] = []
        var rest = bytes[...]
        var total = 0
        while !rest.isEmpty {
            let start = rest.startIndex
            let tag = try Self.takeTag(&rest)
            guard let length = rest.popFirst() else { throw .truncated(offset: start) }
            total += Int(length)
            guard total <= limit else { throw .asksForTooMuch(offset: start) }
            entries.append(Entry(tag: tag, length: Int(length)))
        }
        self.entries = entries
    }

    /// The length of the filled list, in bytes.
    public var filledLength: Int { entries.reduce(0) { $0 + $1.length } }

    /// Returns whether the list contains `tag`.
    public func asks(for tag: BERTag) -> Bool { entries.contains { $0.tag == tag } }

    /// Concatenates the values, each truncated or padded to the requested length. Unknown tags and templates become
    /// zeros.
    ///
    /// - Parameters:
    ///   - recorded: values that are used as they are if they have the requested length, also of unknown tags.
    ///   - value: returns the value field of a tag; nil if there is none.
    /// - Returns: ``filledLength`` bytes.
    public func filled(recorded: [BERTag: [UInt8]] = [:], with value: (BERTag) -> [UInt8]?) -> [UInt8] {
        filled(recorded: recorded, formats: { DataElement[$0]?.format }, with: value)
    }

    /// Concatenates the values as ``filled(recorded:with:)`` does, with the data elements of another kernel.
    ///
    /// - Parameters:
    ///   - recorded: values that are used as they are if they have the requested length, also of unknown tags.
    ///   - formats: returns the format of a data element; nil for an unknown one, which becomes zeros.
    ///   - value: returns the value field of a tag; nil if there is none.
    /// - Returns: ``filledLength`` bytes.
    public func filled(
        recorded: [BERTag: [UInt8]] = [:], formats: (BERTag) -> DataElement.Format?, with value: (BERTag) -> [UInt8]?
    ) -> [UInt8] {
        entries.flatMap { entry -> [UInt8] in
            if let recorded = recorded[entry.tag], recorded.count == entry.length { return recorded }
            guard !entry.tag.isConstructed, let format = formats(entry.tag), let known = value(entry.tag) else {
                return [UInt8](repeating: 0, count: entry.length)
            }
            return Self.fit(known, to: entry.length, format: format)
        }
    }

    static func fit(_ value: [UInt8], to length: Int, format: DataElement.Format) -> [UInt8] {
        guard value.count != length else { return value }
        let missing = max(0, length - value.count)
        switch format {
        case .n: return [UInt8](repeating: 0, count: missing) + value.suffix(length)
        case .cn: return value.prefix(length) + [UInt8](repeating: 0xFF, count: missing)
        case .a, .an, .ans, .b: return value.prefix(length) + [UInt8](repeating: 0, count: missing)
        }
    }

    private static func takeTag(_ rest: inout ArraySlice<UInt8>) throws(DataObjectListError) -> BERTag {
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
}

/// Why bytes are not a valid data object list, and at which offset.
public enum DataObjectListError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The list ends inside a tag or before a length.
    case truncated(offset: Int)
    /// A tag of more than four bytes.
    case tagTooLong(offset: Int)
    /// The entry at the offset makes the list longer than a command can carry.
    case asksForTooMuch(offset: Int)

    public var description: String {
        switch self {
        case .truncated(let offset): "data object list ends early, at offset \(offset)"
        case .tagTooLong(let offset): "tag of more than four bytes at offset \(offset) of a data object list"
        case .asksForTooMuch(let offset):
            "data object list asks for more than a command carries, at offset \(offset)"
        }
    }
}
