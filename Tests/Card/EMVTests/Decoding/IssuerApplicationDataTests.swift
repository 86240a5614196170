import Determinism
import SmartCard
import Testing

@testable import EMV

struct IssuerApplicationDataTests {
    private func value(_ text: String, _ brand: CardBrand? = nil) throws -> DecodedValue {
        let decoding = try #require(EMVDecoder.decode(bytes(text), as: DecodingSubject(name: "iad"), brand: brand))
        return try #require(decoding.values.first)
    }

    @Test(arguments: [
        ("06010A03A020000F04000000000000000000006232E4F9", "Visa, format 0", "CVN 10"),
        ("06011103A00000", "Visa, format 1", "CVN 17"),
        ("06011203A000000F0300001030800000046920AE952C48", "Visa, format 1", "CVN 18"),
        ("1F220100A0000000000000000000000000000000000000000000000000000000", "Visa, format 2", "CVN 22"),
        ("06013C03A00000", "Visa, format 3", "CVN 60"),
    ])
    func `Visa's formats are detected by their first bytes`(data: String, name: String, version: String) throws {
        let value = try value(data)
        #expect(value.meaning == name)
        #expect(value.children.first { $0.name == "cryptogram version number" }?.meaning?.hasPrefix(version) == true)
        #expect(value.children.first { $0.name == "derivation key index" }?.hex == "01")
        #expect(value.children.contains { $0.name == "card verification results" && !$0.flags.isEmpty })
    }

    @Test func `issuer discretionary data follows Visa's results, with its length`() throws {
        let value = try value("06010A03A02000 03AABBCC DDEE")
        #expect(
            value.children.map(\.name).suffix(2) == [
                "issuer discretionary data", "bytes after the issuer discretionary data",
            ])
        #expect(value.children.map(\.hex).suffix(2) == ["AABBCC", "DDEE"])
        #expect(value.children.map(\.offset) == [1, 2, 4, 8, 11])
    }

    @Test(arguments: [
        (18, "M/Chip 4 or M/Chip Advance", 8, false), (20, "M/Chip Advance", 8, true),
        (26, "M/Chip Advance", 16, false),
        (28, "M/Chip Advance", 16, true),
    ])
    func `M/Chip's layouts are detected by their length`(length: Int, name: String, counters: Int, hasATC: Bool) throws
    {
        let data = "0115 A00003240000 1234" + String(repeating: "00", count: length - 10)
        let value = try value(data, .mastercard)
        #expect(value.meaning == name)
        #expect(value.children.first { $0.name.hasPrefix("counters") }?.length == counters)
        #expect(value.children.contains { $0.name == "last online ATC" } == hasATC)
        let version = value.children.first { $0.name == "cryptogram version number" }
        #expect(version?.meaning == "common session key, counters in the cryptogram")
        let results = value.children.first { $0.name == "card verification results" }
        #expect(results?.flags.map(\.name).contains("PIN try counter: 3") == true)
    }

    // EMV Book 3 annex C9: issuer application data of the common core definitions have 32 bytes and a mark before
    // each half
    @Test func `common core data is detected by its two markers`() throws {
        let value = try value("0FA501 A800000000 0000000000000000 0F 000000000000000000000000000000")
        #expect(value.meaning == "common core definitions")
        #expect(
            value.children.map(\.name) == [
                "cryptogram version number", "derivation key index", "card verification results", "counters",
                "issuer discretionary data",
            ])
        #expect(value.children.first?.meaning == "CCD version 4.1, TDES")
        #expect(value.children[2].flags.map(\.name).contains("CDA performed"))
    }

    @Test func `UnionPay's data name the algorithm`() throws {
        let value = try value("07010103A0A802010A010000000000AABBCCDD", .unionPay)
        #expect(value.meaning == "UnionPay")
        #expect(value.children.first { $0.name.hasPrefix("algorithm") }?.name == "algorithm (TDES)")
        let results = try #require(value.children.first { $0.name == "card verification results" })
        #expect(results.flags.map(\.name).contains("DDA performed"))
    }

    @Test func `the layout follows the brand, and unknown data stays hexadecimal`() throws {
        let amex = try value("06020103A40000", .americanExpress)
        #expect(amex.meaning == "American Express")
        #expect(amex.children.first { $0.name == "card verification results" }?.flags.isEmpty == true)
        for brand in [CardBrand.mastercard, .discover, .jcb, .interac] {
            let value = try value("06010A03A00000", brand)
            #expect(value.children.isEmpty)
            #expect(value.hex == "06010A03A00000")
            #expect(value.meaning == nil)
        }
    }

    @Test func `the brand follows from the AID in the same data`() throws {
        let message = bytes("9F10 07 06020103A40000 9F06 06 A00000002501")
        let decoding = try #require(EMVDecoder.decode(message))
        #expect(decoding.values.first?.meaning == "American Express")
    }

    @Test func `a known layout is shown, whatever account number its digits look like`() throws {
        let chance = SeededRandomSource(seed: 3)
        var lookalikes = 0
        for index in 0..<2000 {
            let counters = chance.bytes(8).map { ($0 >> 4) % 10 << 4 | ($0 & 0x0F) % 10 }
            let data = [0x01, 0x10 | UInt8(index % 2)] + bytes("A54003020000") + chance.bytes(2) + counters
            if CardDataMask.mayHoldAccountNumber(data) { lookalikes += 1 }
            let decoded = EMVDecoder.decode(data, as: .value(of: 0x9F10), brand: index % 3 == 0 ? nil : .mastercard)
            let value = try #require(decoded?.values.first)
            #expect(!value.isMasked && value.hex == data.hexText)
            #expect(value.children.count == 5)
        }
        #expect(lookalikes > 100)
    }

    @Test func `the free part of a known layout is still withheld`() throws {
        let value = try value("06010A03A00000 08 4761739001010010", .visa)
        #expect(value.isMasked && value.hex == nil)
        #expect(value.children.last?.hex == nil)
        #expect(value.children.contains { $0.name == "card verification results" && $0.hex != nil })
    }

    @Test func `an account number in an unknown layout is withheld`() throws {
        #expect(try value("4761739001010010").hex == nil)
        #expect(try value("00004761739001010010", .jcb).hex == nil)
    }
}
