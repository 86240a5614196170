/// The offsets of a time zone from UTC, past and present.
public struct TimeZoneRules: Hashable, Sendable {
    /// A new offset and the moment it takes effect, in seconds since the epoch.
    struct Change: Hashable, Sendable {
        let second: Int64
        let offset: Int
    }

    /// The offset before the first change.
    let first: Int
    let changes: [Change]
    /// The rule after the last change; nil when the last offset stays.
    let yearly: YearlyTimeZoneRule?

    init(first: Int, changes: [Change] = [], yearly: YearlyTimeZoneRule? = nil) {
        (self.first, self.changes, self.yearly) = (first, changes, yearly)
    }

    /// Makes a time zone with a fixed offset.
    ///
    /// - Parameter offsetSeconds: seconds east of UTC.
    public init(offsetSeconds: Int) { self.init(first: offsetSeconds) }

    public static let utc = TimeZoneRules(offsetSeconds: 0)

    /// Returns the offset at `moment`, in seconds east of UTC.
    public func offsetSeconds(at moment: Timestamp) -> Int {
        let second = moment.milliseconds / 1000 - (moment.milliseconds % 1000 < 0 ? 1 : 0)
        guard let last = changes.last else { return yearly?.offset(at: second) ?? first }
        if second >= last.second { return yearly?.offset(at: second) ?? last.offset }
        var (low, high) = (0, changes.count)
        while low < high {
            let middle = (low + high) / 2
            if changes[middle].second <= second { low = middle + 1 } else { high = middle }
        }
        return low == 0 ? first : changes[low - 1].offset
    }

    /// Returns the local date and time at `moment`.
    public func civil(at moment: Timestamp) -> CivilDate {
        moment.civil(offsetSeconds: offsetSeconds(at: moment))
    }
}

extension TimeZoneRules {
    /// Reads a compiled time zone, a file of `/usr/share/zoneinfo` (TZif, RFC 9636).
    ///
    /// Nil when the bytes are malformed. Leap seconds are ignored: a ``Timestamp`` has none.
    public init?(file bytes: [UInt8]) {
        var reader = TimeZoneFileReader(bytes)
        guard let old = reader.header() else { return nil }
        guard old.version >= UInt8(ascii: "2") else {
            guard let rules = reader.block(old, timeSize: 4) else { return nil }
            self = rules
            return
        }
        // The first block is for readers of version 1; the second one repeats it with 64-bit numbers.
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
    /// The counts of the entries.
    struct Header {
        let version: UInt8
        let utcFlags: Int
        let standardFlags: Int
        let leapSeconds: Int
        let changes: Int
        let kinds: Int
        let nameBytes: Int

        /// Returns the size of the block in bytes. Counts have 32 bits, so the sum fits into 64 bits.
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

    /// Returns the text between the two line breaks at the end.
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

    /// Returns a big-endian integer.
    private static func signed(_ bytes: ArraySlice<UInt8>) -> Int64 {
        let isNegative = bytes.first.map { $0 >= 0x80 } ?? false
        return bytes.reduce(isNegative ? -1 : 0) { $0 << 8 | Int64($1) }
    }
}
