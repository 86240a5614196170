import CardSecrets
import Cryptography
import Testing
import Text

@testable import ISO8583

/// Messages of other programs, byte for byte in both directions.
struct VectorTests {
    @Test func `there are 33 messages`() { #expect(Vector.all.map(\.number) == Array(1...33)) }

    @Test(arguments: Vector.all)
    func `a message of another program is read`(vector: Vector) throws {
        let decoded = try vector.profile.makeCodec().decode(vector.body)
        #expect(decoded.message.type == (try vector.type))
        #expect(decoded.message.fields.map(\.self) == vector.fields.map(\.number))
        #expect(decoded.message == (try vector.message))
        let header = vector.profile.header
        #expect(decoded.header == (vector.number == 26 ? header.answer(to: header.bytes) : header.bytes))
    }

    @Test(arguments: Vector.all)
    func `the same values give the same bytes`(vector: Vector) throws {
        let header = Array(vector.body.prefix(vector.profile.header.count))
        let encoded = try vector.profile.makeCodec().encode(vector.message, header: header)
        #expect(encoded.bytes.hexadecimal == vector.body.hexadecimal)
        #expect(vector.profile.frame.frame(encoded.bytes)?.hexadecimal == vector.frame.hexadecimal)
    }

    @Test(arguments: Vector.all)
    func `a frame is found in its bytes`(vector: Vector) throws {
        var reader = FrameReader(vector.profile.frame)
        reader.feed(vector.frame)
        #expect(try reader.next() == .body(vector.body))
        #expect(try reader.next() == nil)
        try reader.finish()
    }

    /// The MAC key of the messages.
    private var key: SensitiveBytes { SensitiveBytes(hex("0123456789ABCDEFFEDCBA9876543210")) }

    @Test(arguments: [9, 10, 27, 33])
    func `a MAC covers the message from its type to the last byte before the MAC`(number: Int) throws {
        let vector = Vector.numbered(number)
        let codec = vector.profile.makeCodec()
        let decoded = try codec.decode(vector.body)
        let coverage = try #require(decoded.macCoverage)
        let mac = try RetailMAC.mac(Array(vector.body[coverage]), key: key, padding: .zeros)
        #expect(decoded.message.bytes(of: 64) == mac)
        #expect(decoded.macField == 64)
    }

    @Test(arguments: [9, 10, 27, 33])
    func `a MAC is put in behind the bytes that it covers`(number: Int) throws {
        let vector = Vector.numbered(number)
        var message = try vector.message
        message.remove(64)
        var encoded = try vector.profile.makeCodec().encode(message, hasMAC: true)
        try encoded.seal(with: try RetailMAC.mac(encoded.covered, key: key, padding: .zeros))
        #expect(encoded.bytes.hexadecimal == vector.body.hexadecimal)
    }

    @Test func `with a secondary bitmap the MAC is field 128`() throws {
        let codec = Vector.numbered(17).profile.makeCodec()
        var encoded = try codec.encode(try Vector.numbered(17).message, hasMAC: true)
        try encoded.seal(with: [1, 2, 3, 4, 5, 6, 7, 8])
        let decoded = try codec.decode(encoded.bytes)
        #expect(decoded.macField == 128)
        #expect(decoded.message.bytes(of: 128) == [1, 2, 3, 4, 5, 6, 7, 8])
        #expect(decoded.macCoverage?.upperBound == encoded.bytes.count - 16)
    }

    @Test func `a MAC of another length is refused`() throws {
        var encoded = try Dialects.text.makeCodec().encode(try Vector.numbered(3).message, hasMAC: true)
        #expect(throws: MessageError.self) { try encoded.seal(with: [1, 2, 3, 4]) }
        var without = try Dialects.text.makeCodec().encode(try Vector.numbered(3).message)
        #expect(throws: MessageError.self) { try without.seal(with: [1, 2, 3, 4, 5, 6, 7, 8]) }
    }
}
