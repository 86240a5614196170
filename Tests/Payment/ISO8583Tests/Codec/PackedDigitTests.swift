import CardSecrets
import Testing
import Text

@testable import ISO8583

/// Odd numbers of packed digits: card numbers, tracks, and fixed fields.
struct PackedDigitTests {
    private func message(_ field: Int, _ value: String) throws -> ISOMessage {
        var message = ISOMessage(try #require(MessageType("0200")))
        message.set(field, value)
        return message
    }

    /// The bytes behind type and bitmap.
    private func bytes(_ field: Int, _ value: String, _ keys: String = "") throws -> [UInt8] {
        let codec = try Dialects.changed("iso87-bcd-tpdu", "framing: { header: { kind: none } }\n\(keys)").makeCodec()
        let bytes = try codec.encode(try message(field, value)).bytes
        let decoded = try codec.decode(bytes)
        #expect(decoded.message == (try message(field, value)))
        return Array(bytes.dropFirst(10))
    }

    private static let track = "4761739001010010=30122011143804489012"

    @Test(arguments: [32, 33, 36, 37])
    func `a packed track has as many digits as its length says`(count: Int) throws {
        let text = String(Self.track.prefix(count))
        let packed = text.replacing("=", with: "D") + (count % 2 == 1 ? "F" : "")
        #expect(try bytes(35, text).hexadecimal == "\(count)\(packed)")
    }

    @Test(arguments: [13, 15, 16, 19])
    func `a packed card number is filled as the profile says`(count: Int) throws {
        let number = String("4761739001010010123".prefix(count))
        let isOdd = count % 2 == 1
        #expect(try bytes(2, number).hexadecimal == "\(count)\(isOdd ? "0" : "")\(number)")
        let right = "encoding: { oddVariable: { side: right, digit: F } }"
        #expect(try bytes(2, number, right).hexadecimal == "\(count)\(number)\(isOdd ? "F" : "")")
        let zero = "encoding: { oddVariable: { side: right, digit: \"0\" } }"
        #expect(try bytes(2, number, zero).hexadecimal == "\(count)\(number)\(isOdd ? "0" : "")")
    }

    @Test func `a fixed odd number is filled on the side of the profile`() throws {
        #expect(try bytes(22, "051") == [0x00, 0x51])
        #expect(try bytes(22, "051", "encoding: { oddNumeric: { side: right, digit: \"0\" } }") == [0x05, 0x10])
        let currency = "fields: { 49: { attribute: n, length: 3 } }"
        #expect(try bytes(49, "978", currency) == [0x09, 0x78])
    }

    @Test func `a pad other than the profile's is an error`() throws {
        let codec = Dialects.packed.makeCodec()
        var bytes = try codec.encode(try Vector.numbered(31).message).bytes
        let place = try #require(bytes.firstIndex(of: 0x2F))
        bytes[place] = 0x20
        let error = #expect(throws: MessageError.self) { try codec.decode(bytes) }
        #expect(error?.field == 35)
        #expect(error?.offset == place)
        #expect(error?.rule == .wrongPad(0, expected: 0xF))
        var entry = try codec.encode(try message(22, "051")).bytes
        entry[15] = 0x10
        #expect(throws: MessageError.self) { try codec.decode(entry) }
    }

    @Test func `a packed length can count bytes`() throws {
        let keys = "encoding: { packedLengthCounts: bytes, oddVariable: { side: right, digit: F } }"
        #expect(try bytes(2, "4761739001010010123", keys).hexadecimal == "104761739001010010123F")
        #expect(try bytes(35, String(Self.track.prefix(37)), keys).hexadecimal.hasPrefix("19476173900101"))
        #expect(try bytes(2, "4761739001010010", keys).hexadecimal == "084761739001010010")
    }

    @Test func `half bytes above nine pass in a track alone`() throws {
        #expect(try bytes(35, "4761:;<=>?1").hexadecimal == "114761ABCDEF1F")
        let codec = Dialects.packed.makeCodec()
        var bytes = try codec.encode(try message(3, "000000")).bytes
        bytes[15] = 0xA0
        let error = #expect(throws: MessageError.self) { try codec.decode(bytes) }
        #expect(error?.rule == .notADigit)
        #expect(error?.offset == 15)
    }

    @Test func `a track in characters is read with both separators`() throws {
        let codec = Dialects.text.makeCodec()
        let bytes = try codec.encode(try message(35, "4761739001010010=3012")).bytes
        let letter = bytes.map { $0 == UInt8(ascii: "=") ? UInt8(ascii: "D") : $0 }
        #expect(try codec.decode(letter).message == codec.decode(bytes).message)
        let writes = try Dialects.changed("iso87-ascii", "encoding: { trackSeparator: D }").makeCodec()
        #expect(try writes.encode(try message(35, "4761739001010010=3012")).bytes == letter)
    }

    @Test func `an amount with a sign has one character more than its digits`() throws {
        #expect(try bytes(97, "D0000000000002100").suffix(9).hexadecimal == "440000000000002100")
        let text = "encoding: { signedAmount: text }"
        #expect(try bytes(97, "D0000000000002100", text).suffix(17) == Array("D0000000000002100".utf8)[...])
        #expect(throws: MessageError.self) { try bytes(97, "X0000000000002100") }
        #expect(throws: MessageError.self) { try bytes(97, "D000000000000210") }
    }

    @Test(arguments: ["digits", "bytes"])
    func `the length of bytes in hexadecimal digits counts as the profile says`(unit: String) throws {
        let codec = try Dialects.changed("iso87-ascii", "encoding: { hexLengthCounts: \(unit) }").makeCodec()
        var message = ISOMessage(try #require(MessageType("0100")))
        message.set(55, bytes: [0x9A, 0x03, 0x26, 0x11, 0x23])
        let bytes = try codec.encode(message).bytes
        #expect(bytes.suffix(13) == Array("\(unit == "digits" ? "010" : "005")9A03261123".utf8)[...])
        #expect(try codec.decode(bytes).message == message)
    }

    @Test func `lengths have up to six digits`() throws {
        let codec = try Dialects.changed(
            "iso87-ascii",
            "fields: { 120: { attribute: ans, kind: LLLLLL, maximum: 4000 }, 121: { kind: L, maximum: 9 } }"
        ).makeCodec()
        var message = ISOMessage(try #require(MessageType("0100")))
        message.set(120, String(repeating: "x", count: 3000))
        message.set(121, "123456789")
        let bytes = try codec.encode(message).bytes
        #expect(String(decoding: bytes[36..<42], as: UTF8.self) == "003000")
        #expect(try codec.decode(bytes).message == message)
    }

    @Test func `binary lengths are big endian`() throws {
        let codec = try Dialects.changed("iso87-bcd-tpdu", "encoding: { lengths: binary }").makeCodec()
        var message = ISOMessage(try #require(MessageType("0100")))
        message.set(2, "4761739001010010")
        message.set(60, String(repeating: "x", count: 300))
        let bytes = try codec.encode(message).bytes
        #expect(bytes[15] == 16)
        #expect(Array(bytes[24..<26]) == [0x01, 0x2C])
        #expect(try codec.decode(bytes).message == message)
    }

    @Test func `an empty variable field is legal`() throws {
        #expect(try bytes(54, "") == [0, 0])
        #expect(try bytes(62, "") == [0, 0])
    }
}
