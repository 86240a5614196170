import SmartCard

/// Measures the parsing of BER-TLV, in place and into a tree. The baselines are a straightforward tree, in which every
/// object has its own arrays, and a plain copy of the bytes.
struct TLVBenchmark {
    private struct Way {
        let name: String
        /// MB/s; nil for a baseline.
        var target: Double?
        /// Reads all messages once and returns the number of data objects.
        let read: ([[UInt8]]) throws -> Int
    }

    var rounds = 15
    var repetitions = 4000

    func run() throws -> String {
        let messages = SampleRecords.all
        let megabytes = Double(messages.reduce(0) { $0 + $1.count } * repetitions) / 1_000_000
        let ways = [
            Way(name: "tree of arrays (baseline)") { try $0.reduce(0) { try $0 + NaiveObject.parse($1[...]).count } },
            Way(name: "copy of the bytes (baseline)") { $0.reduce(0) { $0 + Self.copied($1) } },
            Way(name: "`BERTLVReader`, every level", target: 200) {
                try $0.reduce(0) { try $0 + Self.count($1, 0..<$1.count) }
            },
            Way(name: "`BERTLV.parse`", target: 200) { try $0.reduce(0) { try $0 + BERTLV.parse($1).count } },
        ]
        var speeds = [Samples](repeating: Samples(), count: ways.count)
        for _ in 0..<rounds {
            for (index, way) in ways.enumerated() {
                var objects = 0
                // Processor time: the load of the machine does not matter for a parser.
                let start = Machine.processorSeconds
                for _ in 0..<repetitions { objects &+= try way.read(messages) }
                let elapsed = Machine.processorSeconds - start
                guard objects > 0 else { throw BenchmarkError("\(way.name): nothing was read") }
                speeds[index].add(megabytes / elapsed)
            }
        }
        var table = MarkdownTable("what", "MB per second of work", "against the tree of arrays", "target")
        for (index, way) in ways.enumerated() {
            table.add(
                way.name, speeds[index].text(decimals: 0), (speeds[index] / speeds[0]).median.text(1),
                way.target.map { verdict(speeds[index].median, atLeast: $0) } ?? "")
        }
        let bytes = messages.reduce(0) { $0 + $1.count }
        return "### Reading BER-TLV: \(messages.count) messages of \(bytes) bytes together\n\n" + table.text
    }

    private static func count(_ bytes: [UInt8], _ range: Range<Int>) throws(BERTLVError) -> Int {
        var reader = BERTLVReader(range)
        var count = 0
        while let object = try reader.next(in: bytes.span) {
            count += 1
            if object.tag.isConstructed { count += try Self.count(bytes, object.value) }
        }
        return count
    }

    private static func copied(_ bytes: [UInt8]) -> Int {
        let copy = [UInt8](unsafeUninitializedCapacity: bytes.count) { buffer, count in
            count = bytes.withUnsafeBufferPointer { source in buffer.update(fromContentsOf: source) }
        }
        return Int(copy[copy.count / 2]) + 1
    }
}

/// A straightforward data object.
private struct NaiveObject {
    var tag: [UInt8]
    var value: [UInt8]
    var children: [NaiveObject]

    static func parse(_ bytes: ArraySlice<UInt8>) throws(BERTLVError) -> [NaiveObject] {
        var objects: [NaiveObject] = []
        var rest = bytes
        while let first = rest.first {
            var tag = [rest.removeFirst()]
            if first & 0x1F == 0x1F {
                repeat {
                    guard let next = rest.popFirst() else { throw .truncated(offset: rest.startIndex) }
                    tag.append(next)
                } while (tag.last ?? 0) & 0x80 != 0
            }
            guard var length = rest.popFirst().map(Int.init) else { throw .truncated(offset: rest.startIndex) }
            if length >= 0x80 {
                let count = length & 0x7F
                length = 0
                for _ in 0..<count { length = length << 8 | Int(rest.popFirst() ?? 0) }
            }
            let value = rest.prefix(length)
            rest = rest.dropFirst(length)
            objects.append(
                NaiveObject(
                    tag: tag, value: Array(value), children: first & 0x20 == 0 ? [] : try parse(value)))
        }
        return objects
    }
}
