import Determinism
import Foundation
import Testing

/// What the clocks of a place show.
struct TimeZoneRulesTests {
    private func moment(_ text: String) throws -> Timestamp { try #require(Timestamp(text)) }

    /// A compiled time zone of version 2 with changes and a rule for later years.
    private static func file(
        offsets: [Int32] = [3600, 7200], changes: [(second: Int64, kind: UInt8)] = [], footer: String = "",
        version: UInt8 = UInt8(ascii: "2")
    ) -> [UInt8] {
        func bytes(_ number: some FixedWidthInteger) -> [UInt8] { withUnsafeBytes(of: number.bigEndian) { Array($0) } }
        func header(_ changeCount: Int, _ kindCount: Int, _ nameCount: Int) -> [UInt8] {
            Array("TZif".utf8) + [version] + [UInt8](repeating: 0, count: 15)
                + [0, 0, 0, changeCount, kindCount, nameCount].flatMap { bytes(UInt32($0)) }
        }
        let old = header(0, 1, 1) + bytes(Int32(0)) + [0, 0] + [0]
        var new = header(changes.count, offsets.count, 4)
        new += changes.flatMap { bytes($0.second) } + changes.map(\.kind)
        new += offsets.flatMap { bytes($0) + [0, 0] } + Array("LMT\0".utf8)
        return old + new + Array("\n\(footer)\n".utf8)
    }

    @Test func `changes apply from their second on`() throws {
        let rules = try #require(
            TimeZoneRules(file: Self.file(offsets: [-17_762, -18_000, -14_400], changes: [(-100, 1), (1000, 2)])))
        #expect(rules.offsetSeconds(at: Timestamp(milliseconds: -100_001)) == -17_762)
        #expect(rules.offsetSeconds(at: Timestamp(milliseconds: -100_000)) == -18_000)
        #expect(rules.offsetSeconds(at: Timestamp(milliseconds: 999_999)) == -18_000)
        #expect(rules.offsetSeconds(at: Timestamp(milliseconds: 1_000_000)) == -14_400)
        #expect(rules.offsetSeconds(at: Timestamp(milliseconds: .max)) == -14_400)
        #expect(rules.offsetSeconds(at: Timestamp(milliseconds: .min)) == -17_762)
    }

    /// Rules of real places, written as POSIX does, and the seconds around their changes.
    @Test(arguments: [
        ("CET-1CEST,M3.5.0,M10.5.0/3", "2026-03-29T00:59:59Z", 3600),
        ("CET-1CEST,M3.5.0,M10.5.0/3", "2026-03-29T01:00:00Z", 7200),
        ("CET-1CEST,M3.5.0,M10.5.0/3", "2050-10-30T00:59:59Z", 7200),
        ("CET-1CEST,M3.5.0,M10.5.0/3", "2050-10-30T01:00:00Z", 3600),
        ("EST5EDT,M3.2.0,M11.1.0", "2026-03-08T07:00:00Z", -14_400),
        ("EST5EDT,M3.2.0,M11.1.0", "2026-11-01T06:00:00Z", -18_000),
        // South of the equator summer goes over the turn of the year.
        ("AEST-10AEDT,M10.1.0,M4.1.0/3", "2026-01-01T00:00:00Z", 39_600),
        ("AEST-10AEDT,M10.1.0,M4.1.0/3", "2026-07-01T00:00:00Z", 36_000),
        ("AEST-10AEDT,M10.1.0,M4.1.0/3", "2026-04-04T16:00:00Z", 36_000),
        // Half an hour of summer time, names that are numbers, hours before midnight and beyond a day (RFC 9636).
        ("<+1030>-10:30<+11>-11,M10.1.0,M4.1.0", "2026-01-01T00:00:00Z", 39_600),
        ("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", "2026-03-29T01:00:00Z", -3600),
        ("IST-2IDT,M3.4.4/26,M10.5.0", "2026-03-27T00:00:00Z", 10_800),
        ("IST-2IDT,M3.4.4/26,M10.5.0", "2026-03-26T23:59:59Z", 7200),
        ("<+0330>-3:30<+0430>,J79/24,J263/24", "2024-03-20T20:30:00Z", 16_200),
        ("XXX3EDT4,0/0,J365/23", "2026-07-01T00:00:00Z", -14_400),
        ("HST10", "2090-07-01T00:00:00Z", -36_000),
    ])
    func `a rule holds in every year`(rule: String, text: String, offset: Int) throws {
        let rules = try #require(TimeZoneRules(file: Self.file(footer: rule)))
        #expect(rules.offsetSeconds(at: try moment(text)) == offset)
    }

    @Test(arguments: [
        "CET", "CET-1CEST", "CET-1CEST,M3.5.0", "CET-1CEST,M13.5.0,M10.5.0", "CET-1CEST,M3.6.0,M10.5.0",
        "CET-1CEST,M3.5.7,M10.5.0", "CET-25", "CET-1CEST,J0,J365", "CET-1CEST,366,0", "CE-1", "<CET-1", "CET-1 ",
        "CET-1CEST,M3.5.0,M10.5.0/168", "CET-1:60", "CET-1CEST,M3.5.0,M10.5.0,",
    ])
    func `an invalid rule is rejected`(rule: String) {
        #expect(TimeZoneRules(file: Self.file(footer: rule)) == nil)
    }

    @Test func `a file that is cut off anywhere is refused`() {
        let file = Self.file(changes: [(0, 0), (10, 1)], footer: "CET-1")
        for count in 0..<(file.count - 1) { #expect(TimeZoneRules(file: Array(file.prefix(count))) == nil) }
        #expect(TimeZoneRules(file: file) != nil)
    }

    @Test func `a file that contradicts itself is refused`() {
        #expect(TimeZoneRules(file: Self.file(changes: [(0, 2)])) == nil)
        #expect(TimeZoneRules(file: Self.file(changes: [(10, 0), (10, 1)])) == nil)
        #expect(TimeZoneRules(file: Self.file(offsets: [90_000 * 2])) == nil)
        #expect(TimeZoneRules(file: Self.file(offsets: [])) == nil)
        #expect(TimeZoneRules(file: Array("TZif2".utf8)) == nil)
        #expect(TimeZoneRules(file: []) == nil)
    }

    @Test func `any bytes are parsed or rejected`() {
        let random = SeededRandomSource(seed: 7)
        let file = Self.file(changes: [(0, 0), (10, 1)], footer: "CET-1CEST,M3.5.0,M10.5.0/3")
        for _ in 0..<5000 {
            var damaged = file
            for byte in random.bytes(3) {
                damaged[Int(random.number(in: 0...UInt32(file.count - 1)))] = byte
            }
            _ = TimeZoneRules(file: damaged)?.offsetSeconds(at: Timestamp(milliseconds: 1_800_000_000_000))
        }
    }

    /// Foundation reads the same files with another program.
    @Test(
        .enabled(if: FileManager.default.fileExists(atPath: "/usr/share/zoneinfo/Europe/Berlin"), "no time zones here"),
        arguments: [
            "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata", "Pacific/Chatham",
            "America/Nuuk", "Africa/Casablanca", "Asia/Gaza", "Pacific/Apia", "Africa/Cairo", "UTC",
        ])
    func `the system's time zones are read as Foundation reads them`(name: String) throws {
        let bytes = Array(try Data(contentsOf: URL(filePath: "/usr/share/zoneinfo/\(name)")))
        let rules = try #require(TimeZoneRules(file: bytes))
        let zone = try #require(TimeZone(identifier: name))
        // Every ten days and a bit from 1975 to 2080, so that all times of the day come up.
        for second in stride(from: Int64(160_000_000), to: 3_470_000_000, by: 871_717) {
            let ours = rules.offsetSeconds(at: Timestamp(milliseconds: second * 1000))
            #expect(ours == zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(second))), "\(second)")
        }
    }
}
