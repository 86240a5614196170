import SmartCard
import Testing

struct BERTLVTests {
    // EMV Book 3 annex B: templates hold data objects that are found by their tags
    @Test func `a select response is read with its templates`() throws {
        let input = bytes("6F1A 840E 315041592E5359532E4444463031 A508 8801 01 5F2D02 656E")
        let objects = try BERTLV.parse(input)
        #expect(objects.map(\.tag) == [0x6F])
        #expect(objects.first(0x84)?.value == Array("1PAY.SYS.DDF01".utf8))
        #expect(objects.first(0xA5)?.children.map(\.tag) == [0x88, 0x5F2D])
        #expect(objects.first(0x5F2D)?.value == Array("en".utf8))
        #expect(objects.first(0x50) == nil)
        #expect(objects[0].encoded == input)
    }

    // EMV Book 3 annex B1: a tag goes on as long as its bytes say
    @Test(arguments: [
        ("5A 01 AA", 0x5A as BERTag), ("9F26 01 AA", 0x9F26), ("DF8129 01 AA", 0xDF8129),
        ("DFEE8101 01 AA", 0xDFEE_8101),
    ])
    func `tags of one to four bytes`(text: String, tag: BERTag) throws {
        let object = try #require(try BERTLV.parse(bytes(text)).first)
        #expect(object.tag == tag)
        #expect(object.value == [0xAA])
        #expect(BERTLV(tag, [0xAA]).encoded == bytes(text))
    }

    // EMV Book 3 annex B2: lengths above 127 are in one to three bytes behind a count
    @Test func `lengths of one to three bytes, minimal or not`() throws {
        for count in [0, 127, 128, 255, 256, 65_000] {
            let value: [UInt8] = Array(repeating: 0x55, count: count)
            let encoded = BERTLV.encode(0x5A, value)
            #expect(try BERTLV.parse(encoded).first?.value == value)
        }
        #expect(BERTLV.encode(0x5A, Array(repeating: 0, count: 128)).prefix(3) == [0x5A, 0x81, 0x80])
        #expect(BERTLV.encode(0x5A, Array(repeating: 0, count: 256)).prefix(4) == [0x5A, 0x82, 0x01, 0x00])
        let clumsy = bytes("5A 83000001 AA")
        let object = try #require(try BERTLV.parse(clumsy).first)
        #expect(object.value == [0xAA])
        #expect(object.encoded == clumsy)
    }

    // EMV Book 3 annex B1: zero bytes before, between and behind data objects do not count
    @Test func `zero bytes between data objects are skipped`() throws {
        let objects = try BERTLV.parse(bytes("0000 5A01AA 00 7007 00 9501BB 0000 00 00"))
        #expect(objects.map(\.tag) == [0x5A, 0x70])
        #expect(objects[1].children.map(\.tag) == [0x95])
    }

    // EMV Book 3 annex B2: a length beyond the end, an indefinite length and one of four bytes are refused
    @Test(arguments: [
        ("5A", BERTLVError.truncated(offset: 1)), ("5A 02 AA", .truncated(offset: 0)), ("9F", .truncated(offset: 0)),
        ("00 5A 82 01", .truncated(offset: 2)), ("70 03 5A 02 AA", .truncated(offset: 2)),
        ("5A 80 AA 0000", .invalidLength(offset: 1)), ("5A 84 00000001 AA", .invalidLength(offset: 1)),
        ("00 DF81818101 01 AA", .tagTooLong(offset: 1)),
    ])
    func `invalid coding is rejected at its position`(text: String, error: BERTLVError) {
        #expect(throws: error) { try BERTLV.parse(bytes(text)) }
    }

    @Test func `templates are opened to a limit and no deeper`() throws {
        let nested = bytes("7006 7204 7302 5A00")
        #expect(try BERTLV.parse(nested, limits: .init(depth: 4)).first(0x5A) != nil)
        #expect(throws: BERTLVError.tooDeep(offset: 4)) { try BERTLV.parse(nested, limits: .init(depth: 3)) }
        let bomb = Array(repeating: bytes("7082FFFF"), count: 16_000).flatMap { $0 }
        #expect(throws: BERTLVError.self) { try BERTLV.parse(bomb) }
        var deep: [UInt8] = []
        for _ in 0..<200 { deep = BERTLV.encode(0x70, deep) }
        #expect(throws: BERTLVError.self) { try BERTLV.parse(deep) }
    }

    @Test func `too many bytes are refused`() {
        #expect(throws: BERTLVError.tooLarge(offset: 4)) {
            try BERTLV.parse(bytes("5A03AAAAAA"), limits: .init(bytes: 4))
        }
    }

    @Test func `data objects are built from children`() throws {
        let built = BERTLV(0x77, children: [BERTLV(0x82, [0x19, 0x80]), BERTLV(0x94, [0x08, 0x01, 0x01, 0x00])])
        #expect(hex(built.encoded) == "770A82021980940408010100")
        #expect(try BERTLV.parse(built.encoded) == [built])
    }

    @Test func `no bytes crash the parser, and parsed data is written unchanged`() throws {
        var chance = SeededGenerator(seed: 3)
        let good = bytes("6F1A840E315041592E5359532E4444463031A5088801015F2D02656E")
        for length in 0..<good.count {
            if length > 0 { #expect(throws: BERTLVError.self) { try BERTLV.parse(Array(good.prefix(length))) } }
        }
        for round in 0..<3000 {
            let input = round % 2 == 0 ? chance.bytes(chance.number(0...40)) : chance.mutated(good)
            guard let objects = try? BERTLV.parse(input) else { continue }
            #expect(objects.flatMap(\.encoded).filter { $0 != 0 } == input.filter { $0 != 0 })
        }
    }
}
