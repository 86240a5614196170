import Testing

@testable import ISO8583

struct TextCodeTests {
    @Test(arguments: TextCode.allCases)
    func `every byte is one character and back`(code: TextCode) {
        guard let characters = code.characters, let bytes = code.bytes else { return }
        #expect(Set(characters).count == 256)
        for byte in 0...255 { #expect(bytes[Int(characters[byte])] == UInt8(byte)) }
    }

    @Test(arguments: [TextCode.ebcdic037, .ebcdic500, .ebcdic1047])
    func `the pages agree in letters and digits`(code: TextCode) throws {
        let bytes = try #require(code.bytes)
        func byte(_ character: Character) -> UInt8 { bytes[Int(character.asciiValue ?? 0)] }
        #expect("09AIJRSZaz".map(byte) == [0xF0, 0xF9, 0xC1, 0xC9, 0xD1, 0xD9, 0xE2, 0xE9, 0x81, 0xA9])
        #expect(byte(" ") == 0x40)
    }

    @Test func `the pages differ in brackets`() throws {
        func bytes(_ code: TextCode) throws -> [UInt8] {
            let bytes = try #require(code.bytes)
            return "[]!^|".utf8.map { bytes[Int($0)] }
        }
        #expect(try bytes(.ebcdic037) == [0xBA, 0xBB, 0x5A, 0xB0, 0x4F])
        #expect(try bytes(.ebcdic500) == [0x4A, 0x5A, 0x4F, 0x5F, 0xBB])
        #expect(try bytes(.ebcdic1047) == [0xAD, 0xBD, 0x5A, 0x5F, 0x4F])
    }

    @Test func `a message can be written in each page`() throws {
        for page in ["ebcdic037", "ebcdic500", "ebcdic1047"] {
            let codec = try Dialects.changed("iso93-ebcdic", "encoding: { text: \(page) }").makeCodec()
            var message = ISOMessage(try #require(MessageType("1200")))
            message.set(43, "A [shop] & more! ^|")
            message.set(4, "000000001250")
            #expect(try codec.decode(try codec.encode(message).bytes).message == message)
        }
    }

    @Test func `bitmaps and bytes can be hexadecimal digits in EBCDIC`() throws {
        let codec = try Dialects.changed("iso93-ebcdic", "encoding: { bitmap: hexEbcdic, binary: hex }").makeCodec()
        var message = ISOMessage(try #require(MessageType("1100")))
        message.set(52, bytes: [1, 2, 3, 4, 0xAB, 0xCD, 0xEF, 0])
        let bytes = try codec.encode(message).bytes
        #expect(bytes.prefix(6) == [0xF1, 0xF1, 0xF0, 0xF0, 0xF0, 0xF0])
        #expect(bytes.suffix(2) == [0xF0, 0xF0])
        #expect(try codec.decode(bytes).message == message)
        var small = bytes
        for place in small.indices where (0xC1...0xC6).contains(small[place]) { small[place] -= 0x40 }
        #expect(try codec.decode(small).message == message)
    }
}
