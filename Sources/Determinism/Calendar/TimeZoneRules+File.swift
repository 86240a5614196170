extension TimeZoneRules {
    /// Reads a compiled time zone, a file of `/usr/share/zoneinfo` (TZif, RFC 9636).
    ///
    /// Nil when the bytes are something else, or not whole. Leap seconds are left out: they have no place in a
    /// ``Timestamp``.
    public init?(file bytes: [UInt8]) {
        var reader = TimeZoneFileReader(bytes)
        guard let old = reader.header() else { return nil }
        guard old.version >= UInt8(ascii: "2") else {
            guard let rules = reader.block(old, timeSize: 4) else { return nil }
            self = rules
            return
        }
        // The first block is for readers of version 1; the second one says the same with long numbers.
        guard reader.skip(old.blockSize(timeSize: 4)), let header = reader.header(),
            let rules = reader.block(header, timeSize: 8), let footer = reader.footer()
        else { return nil }
        guard !footer.isEmpty else {
            self = rules
            return
        }
        guard let yearly = YearlyTimeZoneRule(footer) else { return nil }
        self.init(first: rules.first, changes: rules.changes, yearly: yearly)
    }
}

/// Reads the parts of a compiled time zone.
private struct TimeZoneFileReader {
    /// How many of each there are.
    struct Header {
        let version: UInt8
        let utcFlags: Int
        let standardFlags: Int
        let leapSeconds: Int
        let changes: Int
        let kinds: Int
        let nameBytes: Int

        /// In bytes. Counts have 32 bits, so that sums of products fit into 64.
        func blockSize(timeSize: Int) -> Int {
            changes * (timeSize + 1) + kinds * 6 + nameBytes + leapSeconds * (timeSize + 4) + standardFlags + utcFlags
        }
    }

    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    mutating func header() -> Header? {
        guard take(4).map({ $0.elementsEqual("TZif".utf8) }) == true, let version = take(1)?.first, skip(15) else {
            return nil
        }
        let counts = (0..<6).compactMap { _ in number(4) }
        guard counts.count == 6 else { return nil }
        return Header(
            version: version, utcFlags: counts[0], standardFlags: counts[1], leapSeconds: counts[2],
            changes: counts[3], kinds: counts[4], nameBytes: counts[5])
    }

    mutating func block(_ header: Header, timeSize: Int) -> TimeZoneRules? {
        guard header.kinds > 0, header.blockSize(timeSize: timeSize) <= rest.count,
            let moments = take(header.changes * timeSize), let kinds = take(header.changes),
            let records = take(header.kinds * 6),
            skip(header.nameBytes + header.leapSeconds * (timeSize + 4) + header.standardFlags + header.utcFlags)
        else { return nil }
        let offsets = (0..<header.kinds).map { kind in
            Int(Self.signed(records.dropFirst(kind * 6).prefix(4)))
        }
        guard offsets.allSatisfy(YearlyTimeZoneRule.offsets.contains) else { return nil }
        var changes: [TimeZoneRules.Change] = []
        changes.reserveCapacity(header.changes)
        for (index, kind) in kinds.enumerated() {
            let second = Self.signed(moments.dropFirst(index * timeSize).prefix(timeSize))
            guard Int(kind) < offsets.count, changes.last.map({ $0.second < second }) ?? true else { return nil }
            changes.append(TimeZoneRules.Change(second: second, offset: offsets[Int(kind)]))
        }
        return TimeZoneRules(first: offsets[0], changes: changes)
    }

    /// The text between two line breaks at the end.
    mutating func footer() -> String? {
        guard rest.first == UInt8(ascii: "\n"), let end = rest.dropFirst().firstIndex(of: UInt8(ascii: "\n")) else {
            return nil
        }
        return String(decoding: rest[(rest.startIndex + 1)..<end], as: UTF8.self)
    }

    mutating func skip(_ count: Int) -> Bool { take(count) != nil }

    private mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
        guard count <= rest.count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    private mutating func number(_ size: Int) -> Int? {
        take(size).map { $0.reduce(0) { $0 << 8 | Int($1) } }
    }

    /// The highest byte comes first.
    private static func signed(_ bytes: ArraySlice<UInt8>) -> Int64 {
        let isNegative = bytes.first.map { $0 >= 0x80 } ?? false
        return bytes.reduce(isNegative ? -1 : 0) { $0 << 8 | Int64($1) }
    }
}
