import ISO8583
import Text

/// Measures how fast messages of payment hosts are read and written. The baselines are a dictionary of texts without
/// checks and without protection of card data, and a plain copy of the bytes.
struct HostMessageBenchmark {
    private struct Way {
        let name: String
        /// Messages a second on one core; nil for a baseline.
        var target: Double?
        /// Works on the message once and returns a number that depends on it.
        let work: () throws -> Int
    }

    var rounds = 9
    var repetitions = 20_000

    /// A chip sale with PIN, chip data, and MAC in the dialects of two shipped profiles, without frames.
    private static let messages = [
        "iso87-ascii":
            "019D30323030333233433037433032304330393230353030303030303030303030303030313235303131323330313138"
            + "303030303030303530323138303031313233333031323035313030313030313030313233343437363137333930303130"
            + "31303031303D33303132323031313134333830343438395445524D303030314D45524348414E54303030303030313937"
            + "383632314639314635343730463243464532323639463236303838443145334135433730423239343646394632373031"
            + "383039463130303730363031304130334130413830303946333730343542314339453034394633363032303031373935"
            + "303530303030303038303030394130333236313132333943303130303946303230363030303030303030313235303546"
            + "324130323039373838323032313938303946314130323032373639463033303630303030303030303030303039463333"
            + "303345304638433839463334303330323033303039463335303132323834303741303030303030303033313031303546"
            + "33343031303130303630303031323336383134314345453546353245324137",
        "iso87-bcd-tpdu":
            "00DB600001000002003038078020C0120500000000000000125000001902330011230051000100010034476173900101"
            + "0010D301220111438044895445524D303030314D45524348414E5430303030303031621F91F5470F2CFE01139F26088D"
            + "1E3A5C70B2946F9F2701809F100706010A03A0A8009F37045B1C9E049F36020017950500000080009A032611239C0100"
            + "9F02060000000012505F2A020978820219809F1A0202769F03060000000000009F3303E0F8C89F34030203009F350122"
            + "8407A00000000310105F3401010006303030313236BB313BC9A5673A6D",
    ]

    func run() throws -> String {
        var ways: [Way] = []
        for (name, digits) in Self.messages.sorted(by: { $0.key < $1.key }) {
            guard let codec = MessageProfile.shipped(name)?.makeCodec(), let frame = [UInt8](hexadecimal: digits) else {
                throw BenchmarkError("\(name): no such profile")
            }
            let body = Array(frame.dropFirst(2))
            let message = try codec.decode(body).message
            if name == "iso87-ascii" {
                ways.append(Way(name: "dictionary of texts (baseline)") { NaiveMessage.fields(of: body).count })
                ways.append(Way(name: "copy of the bytes (baseline)") { Self.copied(body) })
            }
            ways.append(
                Way(name: "`\(name)`, decode", target: 200_000) { try codec.decode(body).message.fields.count })
            ways.append(Way(name: "`\(name)`, encode", target: 200_000) { try codec.encode(message).bytes.count })
        }
        var speeds = [Samples](repeating: Samples(), count: ways.count)
        for _ in 0..<rounds {
            for (index, way) in ways.enumerated() {
                var sum = 0
                // Processor time: the load of the machine does not matter for a codec.
                let start = Machine.processorSeconds
                for _ in 0..<repetitions { sum &+= try way.work() }
                let elapsed = Machine.processorSeconds - start
                guard sum > 0 else { throw BenchmarkError("\(way.name): nothing was done") }
                speeds[index].add(Double(repetitions) / elapsed)
            }
        }
        var table = MarkdownTable("what", "messages per second of work", "against the dictionary", "target")
        for (index, way) in ways.enumerated() {
            table.add(
                way.name, speeds[index].text(decimals: 0), (speeds[index] / speeds[0]).median.text(1),
                way.target.map { verdict(speeds[index].median, atLeast: $0) } ?? "")
        }
        return "### ISO 8583: a chip sale with PIN and MAC, one core\n\n" + table.text
    }

    private static func copied(_ bytes: [UInt8]) -> Int {
        let copy = [UInt8](unsafeUninitializedCapacity: bytes.count) { buffer, count in
            count = bytes.withUnsafeBufferPointer { source in buffer.update(fromContentsOf: source) }
        }
        return Int(copy[copy.count / 2]) + 1
    }
}

/// A straightforward reader of a message in characters.
private enum NaiveMessage {
    /// The length of each field; negative for the digits of a length before it.
    private static let lengths = [
        3: 6, 4: 12, 7: 10, 11: 6, 12: 6, 13: 4, 14: 4, 22: 3, 23: 3, 24: 3, 25: 2, 26: 2, 35: -2, 41: 8, 42: 15, 49: 3,
        52: 16, 55: -3, 62: -3, 64: 16,
    ]

    static func fields(of bytes: [UInt8]) -> [Int: String] {
        func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
        var fields = [0: text(0..<4)]
        guard let bitmap = UInt64(text(4..<20), radix: 16) else { return fields }
        var start = 20
        for field in 1...64 where bitmap & (1 << UInt64(64 - field)) != 0 {
            var length = lengths[field] ?? 0
            if length < 0 {
                let digits = -length
                length = Int(text(start..<start + digits)) ?? 0
                start += digits
            }
            fields[field] = text(start..<start + length)
            start += length
        }
        return fields
    }
}
