internal import SettingsFile
public import SmartCard

/// A data object list as the card reads it (EMV Book 3 §5.4): which values the terminal is to send, in
/// which order and length.
public struct CardDataObjectList: Hashable, Sendable {
    public struct Entry: Hashable, Sendable {
        public let tag: BERTag
        /// 0...252 bytes
        public let length: Int
    }

    public let entries: [Entry]
    /// The value of tag 8C, 8D or 9F38.
    public let encoded: [UInt8]

    init(entries: [Entry], encoded: [UInt8]) { (self.entries, self.encoded) = (entries, encoded) }

    /// The number of bytes that the terminal sends.
    public var dataLength: Int { entries.reduce(0) { $0 + $1.length } }

    /// - Returns: nil when the bytes end inside an entry, or name more data than fits in a command.
    public init?(_ bytes: [UInt8]) {
        var entries: [Entry] = []
        var rest = bytes[...]
        while let first = rest.popFirst() {
            var tag = UInt32(first)
            if first & 0x1F == 0x1F {
                guard let second = rest.popFirst(), second & 0x80 == 0 else { return nil }
                tag = tag << 8 | UInt32(second)
            }
            guard first != 0, let length = rest.popFirst() else { return nil }
            entries.append(Entry(tag: BERTag(rawValue: tag), length: Int(length)))
        }
        (self.entries, encoded) = (entries, bytes)
        guard dataLength <= 252 else { return nil }
    }

    init(_ node: SettingsNode) throws(SettingsError) {
        guard let list = CardDataObjectList(try node.hex(length: 0...252)) else {
            throw node.error(
                "not a data object list", fix: "write tag and length of each data object, at most 252 bytes of data")
        }
        self = list
    }

    /// The values in `data` by their tags; nil when it does not have the length that the list asks for.
    public func split(_ data: [UInt8]) -> [BERTag: [UInt8]]? {
        guard data.count == dataLength else { return nil }
        var values: [BERTag: [UInt8]] = [:]
        var rest = data[...]
        for entry in entries {
            values[entry.tag] = Array(rest.prefix(entry.length))
            rest = rest.dropFirst(entry.length)
        }
        return values
    }
}
