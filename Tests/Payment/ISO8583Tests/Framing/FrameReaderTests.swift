import Determinism
import Testing
import Text

@testable import ISO8583

struct FrameReaderTests {
    private func format(_ keys: String) throws -> FrameFormat {
        try Dialects.changed("iso87-ascii", "framing: { header: { kind: none }, \(keys) }").frame
    }

    private func all(_ reader: inout FrameReader) throws -> [FrameReader.Content] {
        var contents: [FrameReader.Content] = []
        while let content = try reader.next() { contents.append(content) }
        return contents
    }

    static let forms: [(keys: String, frame: String)] = [
        ("length: { form: binary, bytes: 2, counts: body }", "0003616263"),
        ("length: { form: binary, bytes: 2, counts: withItself }", "0005616263"),
        ("length: { form: bcd, bytes: 2, counts: body }", "0003616263"),
        ("length: { form: ascii, bytes: 4, counts: body }", "30303033616263"),
        ("length: { form: ascii, bytes: 4, counts: withItself }", "30303037616263"),
        ("length: { form: hexAscii, bytes: 4, counts: body }", "30303033616263"),
        ("length: { form: binary, bytes: 4, counts: body }", "00000003616263"),
        ("length: { form: binary, bytes: 4, used: 2, counts: body }", "00030000616263"),
        ("length: { form: binary, bytes: 4, used: 2, zerosFirst: true, counts: body }", "00000003616263"),
        ("length: { form: binary, bytes: 3, counts: body }", "000003616263"),
        ("length: { form: none }, trailer: \"03\"", "61626303"),
        ("length: { form: none }, prefix: \"02\", trailer: \"03\", lrc: xorFromSTX", "0261626303" + "63"),
        ("length: { form: binary, bytes: 2, counts: body }, prefix: \"02\", trailer: \"03\"", "02000361626303"),
    ]

    @Test(arguments: FrameReaderTests.forms)
    func `a message is put into a frame and found again`(form: (keys: String, frame: String)) throws {
        var format = try format(form.keys)
        let body = Array("abc".utf8)
        let frame = try #require(format.frame(body))
        #expect(frame.hexadecimal == form.frame)
        for twice in [frame + frame, frame + (format.keepAlive ?? []) + frame] {
            var (whole, single) = (FrameReader(format), FrameReader(format))
            whole.feed(twice)
            var contents = try all(&whole)
            #expect(contents == [.body(body), .body(body)])
            contents = []
            for byte in twice {
                single.feed([byte])
                contents += try all(&single)
            }
            #expect(contents == [.body(body), .body(body)])
            try single.finish()
        }
        // Every length that the frame can have is found, and none that it cannot have is made.
        format.maximumLength = 300
        for count in [1, 99, 100, 255, 256, 300] where count <= format.longestBody {
            let long = [UInt8](repeating: 0x41, count: count)
            var reader = FrameReader(format)
            reader.feed(try #require(format.frame(long)))
            #expect(try reader.next() == .body(long))
        }
        #expect(format.frame([UInt8](repeating: 0x41, count: 301)) == nil)
    }

    @Test func `an empty frame keeps the connection alive where the profile says so`() throws {
        let format = Dialects.packed.frame
        #expect(format.keepAlive == [0, 0])
        var reader = FrameReader(format)
        reader.feed([0, 0, 0, 1, 0x60, 0, 0])
        #expect(try all(&reader) == [.keepAlive, .body([0x60]), .keepAlive])
        var strict = FrameReader(Dialects.text.frame)
        strict.feed([0, 0])
        let error = #expect(throws: FrameError.self) { try strict.next() }
        #expect(error?.reason == .empty)
        #expect(Dialects.text.frame.keepAlive == nil)
    }

    @Test(arguments: [UInt32(4097), 65_536, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF])
    func `a length up to 4 GiB is refused before its bytes come`(length: UInt32) throws {
        var reader = FrameReader(try format("length: { form: binary, bytes: 4, counts: body }"))
        reader.feed([UInt8(length >> 24), UInt8(length >> 16 & 0xFF), UInt8(length >> 8 & 0xFF), UInt8(length & 0xFF)])
        let error = try #require(throws: FrameError.self) { try reader.next() }
        #expect(error.reason == .tooLong(Int(length), maximum: 4096))
        // The stream is broken for good.
        reader.feed([0, 0, 0, 1, 0])
        #expect(throws: error) { try reader.next() }
        #expect(reader.pendingCount == 0)
    }

    @Test(arguments: [
        ("length: { form: ascii, bytes: 4, counts: body }", "30303a33", FrameError.Reason.lengthIsNoNumber),
        ("length: { form: bcd, bytes: 2, counts: body }", "00A3", .lengthIsNoNumber),
        ("length: { form: hexAscii, bytes: 4, counts: body }", "3030303x", .lengthIsNoNumber),
        ("length: { form: binary, bytes: 4, used: 2, counts: body }", "00030001", .lengthIsNoNumber),
        ("length: { form: binary, bytes: 2, counts: withItself }", "0001", .tooShort(1, minimum: 2)),
        ("length: { form: binary, bytes: 2, counts: withItself }", "0002", .empty),
        ("length: { form: none }, prefix: \"02\", trailer: \"03\"", "0161", .wrongPrefix),
        ("length: { form: none }, prefix: \"02\", trailer: \"03\"", "0203", .empty),
        ("length: { form: none }, trailer: \"0D0A\"", "610D0D", .wrongTrailer),
        ("length: { form: binary, bytes: 2, counts: body }, trailer: \"03\"", "00016104", .wrongTrailer),
        ("length: { form: none }, prefix: \"02\", trailer: \"03\", lrc: xorFromSTX", "02610300", .wrongCheck),
    ])
    func `a wrong frame is refused`(keys: String, bytes: String, reason: FrameError.Reason) throws {
        var reader = FrameReader(try format(keys))
        reader.feed(bytes.hasSuffix("x") ? Array("000x".utf8) : hex(bytes))
        let error = try #require(throws: FrameError.self) { try reader.next() }
        #expect(error.reason == reason)
    }

    @Test func `a frame without a trailer ends at the maximum`() throws {
        var reader = FrameReader(try format("length: { form: none }, trailer: \"03\""))
        for _ in 0..<4096 {
            reader.feed([0x41])
            #expect(try reader.next() == nil)
        }
        reader.feed([0x41])
        #expect(throws: FrameError.self) { try reader.next() }
        #expect(try format("length: { form: none }, trailer: \"03\"").frame([0x41, 0x03]) == nil)
    }

    @Test func `an error shows the beginning without digits of a card number`() throws {
        for start in [
            Array("4761739001010010=3012".utf8), hex("4761739001010010D3012"), hex("F4F7F6F1F7F3F9F0F0F1F0F1F0F0F1F0"),
            hex("FF16") + hex("4761739001010010"), Array("ab4761739001010010".utf8),
            Array("39001010010=30122011".utf8),
        ] {
            var reader = FrameReader(Dialects.text.frame)
            reader.feed([0xFF, 0xFF] + start)
            let text = "\(try #require(throws: FrameError.self) { try reader.next() })"
            let shown = text.filter { $0 != " " }
            for digits in ["4761", "34373631", "F4F7F6F1", "3010010", "31303031"] { #expect(!shown.contains(digits)) }
            #expect(text.contains("begins with FF FF"))
        }
        var reader = FrameReader(try format("length: { form: ascii, bytes: 4, counts: body }"))
        reader.feed([0x00, 0x5B] + Array("0800".utf8))
        let error = try #require(throws: FrameError.self) { try reader.next() }
        #expect(error.start == "00 5B 30 38 30 30")
    }

    @Test func `random bytes never stop the program`() throws {
        let random = SeededRandomSource(seed: 8)
        for form in Self.forms {
            let format = try format(form.keys)
            for count in 0..<100 {
                var reader = FrameReader(format)
                reader.feed(random.bytes(count))
                _ = try? all(&reader)
                _ = try? reader.finish()
            }
        }
    }
}
