import Determinism
import SmartCard
import Testing

@testable import EMV

@Suite("Decoding whatever comes")
struct DecodingRobustnessTests {
    private static let subjects: [DecodingSubject?] =
        [nil] + DecodingSubject.names.map { DecodingSubject(name: $0) }

    private static let samples = [
        "6F1A840E315041592E5359532E4444463031A5088801025F2D02656E", "3BE800008131FE4500734F0A1B2C3D4E5F",
        "00A4040007A0000000031010006F098407A00000000310109000", "9F02069F03069F1A0295055F2A029A039C019F3704",
        "70328E0E000000000000000042031E031F039F0702FF005F24032212319F0D05B050AC80009F0E0500000000009F0F05B070AC9800",
        "7213 9F180400000001 860A 8424000205 1122334455", "8012800042112233445566778806010A03A4A002",
    ]

    @Test func `no bytes make it trap, with any given type`() {
        let chance = SeededRandomSource(seed: 5)
        for round in 0..<1500 {
            var input = chance.bytes(round % 60)
            if round % 3 > 0 {
                input = bytes(Self.samples[round % Self.samples.count])
                for byte in chance.bytes(1 + round % 4) where !input.isEmpty {
                    input[Int(byte) % input.count] = chance.bytes(1).first ?? 0
                }
            }
            for subject in Self.subjects {
                guard let decoding = EMVDecoder.decode(input, as: subject) else { continue }
                #expect(decoding.length == input.count)
                if let problem = decoding.problem { #expect((0...input.count).contains(problem.offset)) }
            }
        }
    }

    @Test func `every tag takes a value of any length`() {
        let chance = SeededRandomSource(seed: 6)
        for element in DataElement.table + DataElement.furtherTable + Kernel8DataObject.elements {
            for count in [0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 16, 18, 28, 32, 33, 250] {
                let value = chance.bytes(count)
                for brand in [nil, CardBrand.visa, .mastercard, .americanExpress, .unionPay] {
                    let decoding = EMVDecoder.decode(value, as: .value(of: element.tag), brand: brand)
                    #expect(decoding?.values.first?.tag == element.tag)
                }
            }
        }
    }

    @Test func `data truncated anywhere is shown as far as it was read, with the position`() throws {
        let whole = bytes(Self.samples[0])
        for count in 3..<whole.count {
            let decoding = try #require(EMVDecoder.decode(Array(whole.prefix(count)), as: .tlv))
            #expect(decoding.problem?.offset == count || [18, 21, 24].contains(count), "\(count)")
            #expect(decoding.problem != nil)
            #expect(decoding.values.first?.tag == 0x6F)
            #expect(decoding.values.first?.problems.first?.hasPrefix("cut off") == true)
        }
        let decoding = try #require(EMVDecoder.decode(Array(whole.dropLast(3)), as: .tlv))
        #expect(decoding.text.contains("84  DF name"))
        #expect(decoding.text.contains("88  short file identifier (b, 1 byte, card)  02 = file 2"))
    }

    @Test func `an invalid list or script command leaves the rest readable`() throws {
        let message = tlv(0x70, tlv(0x8C, "9F02069F"), tlv(0x86, "8424000208AABB"), tlv(0x9F36, "0001"))
        let decoding = try #require(EMVDecoder.decode(message))
        #expect(decoding.problem == nil)
        let children = try #require(decoding.values.first?.children)
        #expect(children.map(\.problems.count) == [1, 1, 0])
        #expect(children[0].children.map(\.tag) == [0x9F02])
        #expect(children[0].problems.first?.contains("offset 7") == true)
        #expect(children[1].hex == nil)
    }

    @Test func `a template that is longer than its parent is cut off there`() throws {
        let decoding = try #require(EMVDecoder.decode(bytes("6F06 8405 A000000003 A500"), as: .tlv))
        #expect(decoding.problem == DecodingProblem(offset: 8, reason: "84 has 4 of its 5 bytes"))
    }

    // EMV Book 3 annex B2: indefinite lengths and lengths that are too long are no BER-TLV of EMV
    @Test(arguments: [
        ("6F80", 1), ("5A8401020304", 1), ("DF81818101", 0), ("9F", 0),
    ])
    func `invalid BER is reported at its position`(input: String, offset: Int) throws {
        let decoding = try #require(EMVDecoder.decode(bytes(input), as: .tlv))
        #expect(decoding.problem?.offset == offset)
    }

    @Test func `nesting has a limit, and so has the length`() throws {
        var deep: [UInt8] = []
        for _ in 0..<200 { deep = BERTLV.encode(0x70, deep) }
        let nested = try #require(EMVDecoder.decode(deep, as: .tlv))
        #expect(nested.problem?.reason.contains("16 levels") == true)
        let long = try #require(EMVDecoder.decode([UInt8](repeating: 0, count: 65_537), as: .tlv))
        #expect(long.problem?.offset == 65_536)
        #expect(long.values.isEmpty)
    }

    @Test func `texts with control characters reach no terminal`() throws {
        let decoding = try #require(EMVDecoder.decode(BERTLV.encode(0x50, [0x41, 0x1B, 0x5B, 0x32, 0x4A])))
        #expect(decoding.values.first?.meaning == nil)
        #expect(decoding.values.first?.hex == "411B5B324A")
    }
}
