import CardSecrets
import Testing
import Text

@testable import ZVT

struct VectorTests {
    private func message(_ bytes: [UInt8]) throws -> ZVTMessage {
        var reader = ZVTFrameReader()
        reader.feed(bytes)
        let frame = try #require(try reader.next())
        #expect(reader.pendingCount == 0)
        return try ZVTMessage(frame)
    }

    @Test(arguments: ZVTVector.all)
    func `a message is written with the bytes that it was read from`(vector: ZVTVector) throws {
        let message = try message(vector.bytes)
        #expect(try message.encoded() == vector.bytes)
        #expect(message.control.name != nil)
    }

    @Test func `the three messages that no other program confirmed are marked`() {
        let open = ZVTVector.all.filter { $0.judge == .none }.map(\.name)
        #expect(open == ["repeat receipt", "language", "send totals"])
    }

    @Test func `an approval has its fields`() throws {
        let message = try message(ZVTVector.named("approved"))
        #expect(message.control == .statusInformation)
        #expect(message.number(0x04) == 1250)
        #expect(message.number(0x0B) == 17)
        #expect(message.number(0x87) == 17)
        #expect(message.number(0x49) == 978)
        #expect(message.bytes(0x8B) == Array("Visa Credit".utf8) + [0])
        #expect(message.bytes(0x22) == nil)
        let objects = try #require(message.objects)
        #expect(objects.first(0x43)?.bytes == [0xA0, 0, 0, 0, 3, 0x10, 0x10])
        #expect(objects.first(0x2F)?.objects.first(0x1F10)?.bytes == [4])
    }

    @Test func `a status enquiry's completion has version and status`() throws {
        #expect(try self.message(ZVTVector.named("ready")).head == [.status(0)])
        let message = try message(ZVTVector.named("card inserted, with version"))
        #expect(message.head == [.version(Array("CP 1.0".utf8)), .status(0xDC)])
        #expect(try self.message(ZVTVector.named("completion")).head.isEmpty)
    }

    @Test func `an authorization knows its tip and the last number`() throws {
        let message = try message(ZVTVector.named("authorization with tip and last number"))
        #expect(message.objects?.first(0x1F36)?.bytes == [0, 0, 0, 0, 2, 0])
        #expect(message.objects?.first(0x1F1F)?.bytes == [0x17])
    }

    @Test func `empty fields of variable length are normal`() throws {
        let message = try message(
            [0x04, 0x0F, 0x0F, 0x27, 0x6C, 0x22, 0xF0, 0xF0, 0x0B, 0, 0, 0, 0x19, 0x60, 0x8B, 0xF0, 0xF1, 0])
        #expect(message.number(0x0B) == 0)
    }

    @Test func `a length of 255 bytes and more has the extended form`() throws {
        for count in [0, 254, 255, 256, 65_535] {
            let text = [UInt8](repeating: 0x41, count: max(0, count - 1))
            let head: [ZVTPart] = count == 0 ? [] : [.attribute(0), .text(text)]
            let bytes = try ZVTMessage(count == 0 ? .completion : .printLine, head: head).encoded()
            #expect(bytes.count == count + (count < 255 ? 3 : 5))
            #expect(try self.message(bytes).head == head)
        }
        let tooLong = ZVTMessage(.printLine, head: [.attribute(0), .text([UInt8](repeating: 0x41, count: 65_535))])
        let error = #expect(throws: ZVTError.self) { try tooLong.encoded() }
        #expect(error?.rule == .tooLong(65_536, maximum: 65_535))
    }

    @Test func `characters of CP437 are written, and others are replaced`() {
        #expect(
            ZVTCharacters.cp437.bytes(of: "Grüße 5 €\n☃") == [
                0x47, 0x72, 0x81, 0xE1, 0x65, 0x20, 0x35, 0x20, 0x45, 0x55, 0x52, 0x20, 0x3F,
            ])
        #expect(ZVTCharacters.cp437.text(of: [0x81, 0xE1, 0x07]) == "üß ")
        #expect(ZVTCharacters.latin1.bytes(of: "ü") == [0xFC])
        #expect(ZVTCharacters.utf8.bytes(of: "ü\u{1B}") == [0xC3, 0xBC, 0x20])
        #expect(ZVTCharacters.ascii.bytes(of: "ü") == [0x3F])
    }
}
