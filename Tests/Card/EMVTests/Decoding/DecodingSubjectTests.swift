import SmartCard
import Testing

@testable import EMV

struct DecodingSubjectTests {
    @Test(arguments: [
        ("6F1A840E315041592E5359532E4444463031A5088801025F2D02656E", "tlv"), ("9F3602001C", "tlv"),
        ("95050000008000", "tlv"), ("3B6500002063CB6800", "atr"), ("3B65000020", "atr"), ("9000", "response"),
        ("6A82", "response"), ("7004 5F340101 9000", "response"), ("00A4040007A000000003101000", "command"),
        ("80A80000028300 00", "command"), ("8418000004AABBCCDD", "command"), ("00B2010C00", "command"),
        ("00B2010C00 7004 5F340101 9000", "exchange"), ("00A4040007A0000000031010 6A82", "exchange"),
        ("80CA9F1700 9F170103 9000", "exchange"), ("9F02069F03069F1A02", "dol"), ("6F1A840E3150", "tlv"),
        ("80AE80001D0000", "command"), ("9F81020103", "tlv"), ("9F2B089E409F0206", "dol"),
        ("84320000039F811100", "command"),
    ])
    func `the type of bytes is guessed from their content`(input: String, kind: String) throws {
        let decoding = try #require(EMVDecoder.decode(bytes(input)))
        #expect(decoding.subject.name == kind)
        #expect(decoding.isGuessed)
    }

    @Test(arguments: ["", "00", "0000", "5900", "FFFFFFFF", "E0F8C8"])
    func `unrecognized bytes are not guessed`(input: String) {
        #expect(EMVDecoder.decode(bytes(input)) == nil)
    }

    @Test func `every word and every tag is a kind, and gives its name back`() {
        for name in DecodingSubject.names { #expect(DecodingSubject(name: name)?.name == name) }
        #expect(DecodingSubject(name: "TVR") == .value(of: 0x95))
        #expect(DecodingSubject(name: "95") == .value(of: 0x95))
        #expect(DecodingSubject(name: "9f6e") == .value(of: 0x9F6E))
        #expect(DecodingSubject(name: "DF8129")?.name == "DF8129")
        for name in ["", "9", "9F", "9F1", "9F6E6E", "82 ", "+9F", "-1", "zz", "DF81818101", "0082", "00"] {
            #expect(DecodingSubject(name: name) == nil, "\(name)")
        }
    }

    @Test func `all data elements have a name and a source, without duplicates`() {
        let all = DataElement.table + DataElement.furtherTable + Kernel8DataObject.elements
        #expect(Set(all.map(\.tag)).count == all.count)
        for element in all {
            #expect(DecodingSubject(name: element.tag.description) == .value(of: element.tag))
            #expect(DataElement.described(element.tag) == element)
        }
        #expect(DataElement[0x9F66] == nil)
        #expect(DataElement[0x6F] == nil)
        #expect(DataElement[0x9F_8103] == nil)
    }
}
