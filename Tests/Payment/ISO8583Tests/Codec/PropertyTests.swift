import Determinism
import Testing
import Text

@testable import ISO8583

/// What holds for every message of every profile.
struct PropertyTests {
    static let profiles = Dialects.shippedProfiles + [Dialects.ebcdic, Dialects.text93]

    @Test(arguments: PropertyTests.profiles.map(\.name))
    func `a message is read as it was written`(name: String) throws {
        let profile = try #require(Self.profiles.first { $0.name == name })
        let codec = profile.makeCodec()
        let source = ArbitraryMessages(profile, seed: 17)
        for _ in 0..<300 {
            let message = source.message()
            let bytes = try codec.encode(message).bytes
            let decoded = try codec.decode(bytes, showsPlaces: true)
            #expect(decoded.message == message)
            #expect(decoded.message.fields == message.fields)
            #expect(decoded.places.map(\.field) == message.fields.map(\.self))
            #expect(decoded.places.last.map { $0.offset + $0.count } ?? bytes.count == bytes.count)
            #expect(try codec.encode(decoded.message).bytes == bytes)
        }
    }

    @Test(arguments: PropertyTests.profiles.map(\.name))
    func `one changed byte gives an error or a message that is written the same`(name: String) throws {
        let profile = try #require(Self.profiles.first { $0.name == name })
        let codec = profile.makeCodec()
        let source = ArbitraryMessages(profile, seed: 18)
        for _ in 0..<60 {
            let bytes = try codec.encode(source.message()).bytes
            for _ in 0..<40 {
                var changed = bytes
                let place = source.random.bytes(2).reduce(0) { $0 << 8 | Int($1) } % bytes.count
                changed[place] = source.random.bytes(1)[0]
                guard let decoded = try? codec.decode(changed) else { continue }
                let written = try codec.encode(decoded.message, header: decoded.header).bytes
                // A second way of writing the same, such as small hexadecimal digits, is read and not written.
                if written != changed { #expect(try codec.decode(written).message == decoded.message) }
            }
        }
    }

    @Test(arguments: PropertyTests.profiles.map(\.name))
    func `every cut message is an error`(name: String) throws {
        let profile = try #require(Self.profiles.first { $0.name == name })
        let codec = profile.makeCodec()
        let bytes = try codec.encode(ArbitraryMessages(profile, seed: 19).message()).bytes
        for count in 0..<bytes.count {
            #expect(throws: MessageError.self) { try codec.decode(Array(bytes.prefix(count))) }
        }
        #expect(throws: MessageError.self) { try codec.decode(bytes + [0x30]) }
    }

    @Test(arguments: [2, 63, 64, 66, 127, 128])
    func `bits at the edges of the bitmaps are fields`(field: Int) throws {
        let profile = Dialects.packed
        let format = try #require(profile.table[field])
        var message = ISOMessage(try #require(MessageType("0200")))
        message.set(field, bytes: ArbitraryMessages(profile, seed: 3).value(format))
        let bytes = try profile.makeCodec().encode(message).bytes
        #expect(bytes[7] & 0x80 == (field > 64 ? 0x80 : 0))
        #expect(try profile.makeCodec().decode(bytes).message == message)
    }

    @Test func `a message without fields has an empty bitmap`() throws {
        let message = ISOMessage(try #require(MessageType("0800")))
        let bytes = try Dialects.text.makeCodec().encode(message).bytes
        #expect(bytes == Array("08000000000000000000".utf8))
        #expect(try Dialects.text.makeCodec().decode(bytes).message == message)
    }

    @Test func `a secondary bitmap can always be sent`() throws {
        let codec = try Dialects.changed("iso87-ascii", "encoding: { alwaysSecondaryBitmap: true }").makeCodec()
        let message = try Vector.numbered(9).message
        let bytes = try codec.encode(message).bytes
        #expect(bytes[4] == UInt8(ascii: "B"))
        #expect(try codec.decode(bytes).message == message)
        var sealed = try codec.encode(ISOMessage(message.type), hasMAC: true)
        try sealed.seal(with: [UInt8](repeating: 7, count: 8))
        #expect(try codec.decode(sealed.bytes).macField == 128)
    }

    @Test(arguments: ["asField65", "afterSecondary"])
    func `a tertiary bitmap announces the fields above 128`(place: String) throws {
        let codec = try Dialects.changed(
            "iso87-bcd-tpdu",
            """
            encoding: { tertiaryBitmap: \(place) }
            fields: { 130: { attribute: ans, kind: LLL, maximum: 100 }, 192: { attribute: n, length: 3 } }
            """
        ).makeCodec()
        var message = try Vector.numbered(25).message
        message.set(130, "hello")
        message.set(192, "123")
        let bytes = try codec.encode(message).bytes
        let decoded = try codec.decode(bytes)
        #expect(decoded.message == message)
        #expect(try codec.encode(decoded.message).bytes == bytes)
        // In both ways field 97 stands behind the bitmap, and only afterSecondary has that before field 7.
        let third: [UInt8] = [0x40, 0, 0, 0, 0, 0, 0, 1]
        #expect((Array(bytes[23..<31]) == third) == (place == "afterSecondary"))
    }

    @Test func `without a tertiary bitmap there are no fields above 128`() throws {
        var message = try Vector.numbered(25).message
        message.set(130, "hello")
        let error = #expect(throws: MessageError.self) { try Dialects.packed.makeCodec().encode(message) }
        #expect(error?.field == 130)
    }

    @Test func `a value is replaced and removed`() throws {
        var message = try Vector.numbered(9).message
        message.set(11, "000006")
        message.set(35, "4761739001010010=3012")
        message.set(35, "4761739001010010=3112")
        message.remove(62)
        message.remove(62)
        #expect(message.text(of: 11) == "000006")
        #expect(message.text(of: 12) == "021800")
        #expect(message.text(of: 35) == nil)
        #expect(message.count(of: 35) == 21)
        #expect(message.secrets.count == 3)
        #expect(message.text(of: 62) == nil)
        #expect(!message.fields.contains(62))
        #expect(message != (try Vector.numbered(9).message))
    }

    @Test func `what is no field is no value`() throws {
        var message = ISOMessage(try #require(MessageType("0800")))
        for field in [Int.min, 0, 1, 193, Int.max] { message.set(field, "1") }
        #expect(message.fields.isEmpty)
        #expect(message.count(of: 1) == nil)
    }
}
