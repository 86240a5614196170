import Determinism
import Testing
import Text

@testable import ISO8583

/// Messages with one mistake: the error names field, offset, and rule, and never a value.
struct BrokenMessageTests {
    private let codec = Dialects.text.makeCodec()
    private let sample = Vector.numbered(11)

    private func error(_ change: (inout [UInt8]) -> Void) throws -> MessageError {
        var body = sample.body
        change(&body)
        return try #require(throws: MessageError.self) { try codec.decode(body) }
    }

    @Test func `bit 2 without a card number shifts the fields`() throws {
        // The amount's digits are read as a length of 0, which no card number has.
        let error = try error { $0[4] = UInt8(ascii: "7") }
        #expect(error.field == 2)
        #expect(error.offset == 20)
        #expect(error.rule == .tooShort(0, minimum: 8))
        #expect("\(error)".hasPrefix("field 2 (Primary account number (PAN)), offset 20: the length is 0"))
    }

    @Test func `bit 64 without a MAC needs more bytes`() throws {
        let error = try error { $0[19] = UInt8(ascii: "1") }
        #expect(error.field == 64)
        #expect(error.offset == sample.body.count)
        #expect(error.rule == .truncated(missing: 16))
    }

    @Test func `a length of 99 is more than a track has`() throws {
        let place = try #require(sample.body.firstRange(of: Array("354761".utf8))).lowerBound
        let error = try error { $0.replaceSubrange(place..<place + 2, with: Array("99".utf8)) }
        #expect(error.field == 35)
        #expect(error.offset == place)
        #expect(error.rule == .tooLong(99, maximum: 37))
        #expect(!"\(error)".contains("4761"))
    }

    @Test func `0219 is no message type`() throws {
        let error = try error { $0.replaceSubrange(0..<4, with: Array("0219".utf8)) }
        #expect(error.part == .messageType)
        #expect(error.rule == .noMessageType)
        #expect(try self.error { $0[0] = UInt8(ascii: "x") }.rule == .notADigit)
        #expect(try self.error { $0[0] = UInt8(ascii: "1") }.rule == .wrongVersion(1, expected: 0))
    }

    @Test func `a response code in a request is doubtful`() throws {
        var message = try sample.message
        #expect(Dialects.text.doubts(about: message).isEmpty)
        message.set(39, "00")
        let doubts = Dialects.text.doubts(about: try codec.decode(try codec.encode(message).bytes).message)
        #expect(doubts.map(\.description) == ["field 39 (Response code) is a response code in a request"])
    }

    @Test func `256199 is no time`() throws {
        var message = try sample.message
        message.set(12, "256199")
        let doubts = Dialects.text.doubts(about: try codec.decode(try codec.encode(message).bytes).message)
        #expect(doubts.map(\.description) == ["field 12 (Time, local transaction) is not a time"])
    }

    @Test func `a frame that is one byte too long waits for the next one`() throws {
        var frame = sample.frame
        frame[1] += 1
        var reader = FrameReader(Dialects.text.frame)
        reader.feed(frame)
        #expect(try reader.next() == nil)
        let error = #expect(throws: FrameError.self) { try reader.finish() }
        #expect(error?.reason == .endsEarly(sample.frame.count))
    }

    @Test func `a frame that is one byte too short leaves a rest`() throws {
        var frame = sample.frame
        frame[1] -= 1
        var reader = FrameReader(Dialects.text.frame)
        reader.feed(frame)
        guard case .body(let body) = try reader.next() else { throw Missing() }
        let error = #expect(throws: MessageError.self) { try codec.decode(body) }
        #expect(error?.field == 49)
        #expect(error?.rule == .truncated(missing: 1))
        #expect(try reader.next() == nil)
        #expect(reader.pendingCount == 1)
    }

    struct Missing: Error {}

    @Test func `a bit without a field is named`() throws {
        let codec = try Dialects.changed("iso87-ascii", "fields: { 35: { omit: true } }").makeCodec()
        let error = try #require(throws: MessageError.self) { try codec.decode(sample.body) }
        #expect(error.rule == .unknownField(35))
        #expect("\(error)".contains("bit 35 is set, and the profile has no field 35"))
    }

    @Test func `bitmaps without an end are an error`() throws {
        let third = try Dialects.changed("iso87-ascii", "encoding: { tertiaryBitmap: afterSecondary }").makeCodec()
        let bytes = Array(("0200" + String(repeating: "F", count: 400)).utf8)
        for codec in [codec, third] {
            #expect(throws: MessageError.self) { try codec.decode(bytes) }
        }
        var message = ISOMessage(try #require(MessageType("0200")))
        message.set(3, "000000")
        var cut = try codec.encode(message).bytes
        cut[4] = UInt8(ascii: "A")
        let error = try #require(throws: MessageError.self) { try codec.decode(cut) }
        #expect(error.part == .bitmap(2))
        cut[5] = UInt8(ascii: "G")
        #expect(try #require(throws: MessageError.self) { try codec.decode(cut) }.rule == .notHexadecimal)
    }

    @Test func `what is no digit is an error at its byte`() throws {
        for (field, text, rule) in [
            (4, "00000000x250", MessageRule.notADigit), (41, "TERM\u{07}001", .wrongCharacter(.ans)),
            (37, "63270100é004", .wrongCharacter(.an)), (11, "12345", .wrongLength(5, expected: 6)),
            (32, "123456789012", .tooLong(12, maximum: 11)), (43, "→", .wrongLength(1, expected: 40)),
        ] {
            var message = try sample.message
            message.set(field, text)
            let error = try #require(throws: MessageError.self) { try codec.encode(message) }
            #expect(error.field == field)
            #expect(error.rule == rule)
        }
        let place = try #require(sample.body.firstRange(of: Array("TERM0001".utf8))).lowerBound
        #expect(try error { $0[place + 3] = 0x07 }.offset == place + 3)
    }

    @Test func `text can have any byte when the profile says so`() throws {
        let codec = try Dialects.changed("iso87-ascii", "encoding: { characters: any }").makeCodec()
        var message = try sample.message
        message.set(48, bytes: [0, 1, 0x80, 0xFF])
        #expect(try codec.decode(try codec.encode(message).bytes).message.bytes(of: 48) == [0, 1, 0x80, 0xFF])
        message.set(11, "12345x")
        #expect(throws: MessageError.self) { try codec.encode(message) }
    }

    @Test func `a wrong header is an error`() throws {
        let codec = Dialects.packed.makeCodec()
        var body = Vector.numbered(27).body
        body[0] = 0x68
        #expect(try #require(throws: MessageError.self) { try codec.decode(body) }.part == .header)
        #expect(throws: MessageError.self) { try codec.decode([0x60, 0]) }
        #expect(throws: MessageError.self) { try codec.encode(try Vector.numbered(27).message, header: [0x60]) }
        let header = codec.header
        #expect(throws: MessageError.self) { try header.check([0x60, 0, 1, 0, 0], answers: [0x60, 0, 1, 0, 0]) }
        try header.check([0x60, 0, 0, 0, 1], answers: [0x60, 0, 1, 0, 0])
    }

    @Test func `random bytes never stop the program`() throws {
        let random = ArbitraryMessages(Dialects.text, seed: 5).random
        for profile in PropertyTests.profiles {
            let codec = profile.makeCodec()
            for count in 0..<200 {
                let bytes = random.bytes(count)
                _ = try? codec.decode(bytes)
                _ = try? codec.decode(Array(Vector.numbered(9).body.prefix(20)) + bytes)
            }
        }
    }
}
