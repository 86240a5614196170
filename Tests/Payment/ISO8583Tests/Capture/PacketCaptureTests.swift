import Determinism
import Testing

@testable import ISO8583

struct PacketCaptureTests {
    private func text(_ stream: TCPStream) -> String { String(decoding: stream.bytes, as: UTF8.self) }

    @Test(arguments: [CaptureWriter.Format.pcap, .swappedPcap, .pcapng])
    func `messages in a recording are found`(format: CaptureWriter.Format) throws {
        var writer = CaptureWriter(format)
        writer.send(Vector.numbered(9).frame)
        writer.send(Vector.numbered(10).frame, isAnswer: true)
        writer.send(Array(Vector.numbered(17).frame.prefix(50)))
        writer.send(Array(Vector.numbered(17).frame.dropFirst(50)))
        let streams = try PacketCapture(writer.bytes).streams()
        #expect(streams.map(\.name) == ["10.0.0.1:40000 → 10.0.0.2:8583", "10.0.0.2:8583 → 10.0.0.1:40000"])
        #expect(streams[0].bytes == Vector.numbered(9).frame + Vector.numbered(17).frame)
        #expect(streams[1].bytes == Vector.numbered(10).frame)
        #expect(streams.allSatisfy { !$0.hasGap })
        #expect(PacketCapture.isCapture(writer.bytes))
    }

    @Test func `segments are put into their order`() throws {
        var writer = CaptureWriter(.pcap)
        writer.start(at: 0xFFFF_FFFE)
        writer.segment("cd", at: 2)
        writer.segment("ab", at: 0)
        writer.segment("ab", at: 0)
        writer.segment("bcde", at: 1)
        writer.segment("", at: 5)
        writer.segment("ij", at: 8)
        let streams = try PacketCapture(writer.bytes).streams()
        #expect(streams.map(text) == ["abcde"])
        #expect(streams[0].hasGap)
        writer.segment("fgh", at: 5)
        let whole = try PacketCapture(writer.bytes).streams()
        #expect(whole.map(text) == ["abcdefghij"])
        #expect(whole.allSatisfy { !$0.hasGap })
    }

    @Test func `the same addresses again are a new connection`() throws {
        var writer = CaptureWriter(.pcap)
        writer.start(at: 100)
        writer.segment("one", at: 0)
        writer.start(at: 5000)
        writer.start(at: 5000)
        writer.segment("two", at: 0)
        #expect(try PacketCapture(writer.bytes).streams().map(text) == ["one", "two"])
    }

    @Test func `a recording that begins in the middle of a connection is read from there`() throws {
        var writer = CaptureWriter(.pcap)
        writer.segment("middle", at: 77)
        #expect(try PacketCapture(writer.bytes).streams().map(text) == ["middle"])
    }

    @Test func `other links and IPv6 are read`() throws {
        for link in [1, 0, 101, 113, 276] {
            var writer = CaptureWriter(.pcap, link: link)
            writer.send([1, 2, 3])
            #expect(try PacketCapture(writer.bytes).streams().map(\.bytes) == [[1, 2, 3]], "\(link)")
        }
        var writer = CaptureWriter(.pcap, isVersion6: true)
        writer.send([1, 2, 3])
        let stream = try #require(try PacketCapture(writer.bytes).streams().first)
        #expect(stream.bytes == [1, 2, 3])
        #expect(stream.name == "[0:0:0:0:0:0:0:1]:40000 → [0:0:0:0:0:0:0:2]:8583")
    }

    @Test func `cut and random recordings never stop the program`() throws {
        #expect(throws: PacketCaptureError.notACapture) { try PacketCapture([]) }
        #expect(throws: PacketCaptureError.notACapture) { try PacketCapture(Array(repeating: 0x41, count: 100)) }
        let random = SeededRandomSource(seed: 4)
        for format in [CaptureWriter.Format.pcap, .swappedPcap, .pcapng] {
            var writer = CaptureWriter(format)
            for _ in 0..<5 { writer.send(random.bytes(40)) }
            for count in 24..<writer.bytes.count {
                _ = try PacketCapture(Array(writer.bytes.prefix(count))).streams()
            }
            for _ in 0..<3000 {
                var bytes = writer.bytes
                for _ in 0..<3 {
                    let place = random.bytes(2).reduce(0) { $0 << 8 | Int($1) } % bytes.count
                    bytes[place] = random.bytes(1)[0]
                }
                _ = (try? PacketCapture(bytes))?.streams()
            }
        }
    }
}
