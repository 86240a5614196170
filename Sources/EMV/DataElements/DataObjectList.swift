public import SmartCard

/// A data object list: tags and lengths of what the card wants to be told, in its order (EMV Book 3 §5.4).
public struct DataObjectList: Hashable, Sendable {
    /// One wish of the card.
    public struct Entry: Hashable, Sendable {
        public let tag: BERTag
        /// Bytes wanted, 0...255.
        public let length: Int

        public init(tag: BERTag, length: Int) { (self.tag, self.length) = (tag, length) }
    }

    public let entries: [Entry]

    /// Reads a list as a card gives it: PDOL (9F38), CDOL1 (8C), CDOL2 (8D), DDOL (9F49), TDOL (97).
    ///
    /// - Parameters:
    ///   - bytes: the encoded list.
    ///   - limit: the most bytes that the filled list may have.
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

    /// The number of bytes of the filled list.
    public var filledLength: Int { entries.reduce(0) { $0 + $1.length } }

    /// Whether the card asks for `tag`.
    public func asks(for tag: BERTag) -> Bool { entries.contains { $0.tag == tag } }

    /// Puts the values together, each cut or filled to the length that the card asks for. What is not
    /// known, or is a template, becomes zeros.
    ///
    /// - Parameter value: gives the value field of a tag; nil when there is none.
    /// - Returns: ``filledLength`` bytes.
    public func filled(with value: (BERTag) -> [UInt8]?) -> [UInt8] {
        entries.flatMap { entry -> [UInt8] in
            guard !entry.tag.isConstructed, let element = DataElement[entry.tag], let known = value(entry.tag) else {
                return [UInt8](repeating: 0, count: entry.length)
            }
            return Self.fit(known, to: entry.length, format: element.format)
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
