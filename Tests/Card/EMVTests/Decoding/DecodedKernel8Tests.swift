import SmartCard
import Testing

@testable import EMV

/// Objects of kernel 8, with the messages of one transaction against another implementation of it, byte for byte.
struct DecodedKernel8Tests {
    private func decoding(_ text: String, as kind: String? = nil) throws -> Decoding {
        var subject: DecodingSubject?
        if let kind {
            let named: DecodingSubject = try #require(DecodingSubject(name: kind))
            subject = named
        }
        let decoding = try #require(EMVDecoder.decode(bytes(text), as: subject))
        #expect(decoding.problem == nil)
        return decoding
    }

    private func names(_ value: DecodedValue?) -> [String] { value?.flags.map(\.name) ?? [] }

    /// Every value in a tree, by tag.
    private func all(_ values: [DecodedValue]) -> [DecodedValue] { values.flatMap { [$0] + all($0.children) } }

    private static let answer = """
        77 48 9F270140 9F36020001 9F26082624B651CFC6F1BB 9F8105082565A8A19F53F58D 9F10201F0A0180 \
        00000000000000000000000000000000000000000000000000000000 9F81020100 9000
        """
    private static let selection = """
        6F378407F0000000080101A52C5007544553542043385F2D02656E9F380E9F2B089E409F02069F1A029F3501BF0C0A9F2C07 \
        0200FFFF800000 9000
        """
    private static let options = """
        776F 8202010A 940808010101100203 00 9F810340 \
        4DF863813A12EC3B3E0A580DCEA1B0B03B20D328BA791D4247422E9A2B310352 \
        8667AAA3D0DEB54F4586DA77769894699E9FC8AD71EBB3254F1273A0E9014AF6 \
        8C1B9F02069F03069F1A0295055F2A029A039C019F37049F33039F1D08 9000
        """

    // EMV Book C-8 annex A: the data objects that only kernel 8 has
    @Test func `every object of kernel 8 has a name and its source`() throws {
        let decision = try #require(try decoding("9F81020103").values.first)
        #expect(decision.name == "cardholder verification decision")
        #expect(decision.source == .card)
        #expect(names(decision) == ["CDCVM: the device verified its owner"])
        for object in Kernel8DataObject.all {
            let element = try #require(DataElement.described(object.tag))
            #expect(!element.name.isEmpty)
            #expect(element.isSecret == object.isSecret)
        }
    }

    @Test func `the answer to GENERATE AC of a foreign run has no unknown object`() throws {
        let values = all(try decoding(Self.answer).values)
        #expect(!values.contains { $0.name == "unknown" })
        #expect(values.first { $0.tag == 0x9F_8105 }?.name == "EDA-MAC")
        #expect(values.first { $0.tag == 0x9F_8105 }?.hex == "2565A8A19F53F58D")
        #expect(names(values.first { $0.tag == 0x9F_8102 }) == ["no CVM"])
        // Its layout is known to its issuer alone.
        #expect(values.first { $0.tag == 0x9F10 }?.children.isEmpty == true)
    }

    @Test func `the answer to SELECT shows the card qualifier and what the kernel is asked for`() throws {
        let values = all(try decoding(Self.selection).values)
        #expect(!values.contains { $0.name == "unknown" })
        #expect(values.first { $0.tag == 0x9E }?.name == "kernel key data")
        #expect(
            names(values.first { $0.tag == 0x9F2C }) == [
                "version: 2", "secure channel offered: P-256 with AES-128", "secure channel offered: none",
                "secure channel offered: none", "notices that the field was off",
            ])
    }

    // EMV Book C-8 annex A: the AIP of a kernel 8 application has other bits than that of a contact card
    @Test func `the interchange profile of a kernel 8 application says nothing of CDA`() throws {
        let values = all(try decoding(Self.options).values)
        #expect(!values.contains { $0.name == "unknown" })
        let words = ["local authentication supported", "offline capable", "IAD-MAC at the kernel's default offset"]
        #expect(names(values.first { $0.tag == 0x82 }) == words)
        #expect(values.first { $0.tag == 0x9F_8103 }?.name == "card key data")
        // The value alone, with a bit that contact cards do not have.
        #expect(
            names(try decoding("0102", as: "aip").values.first) == [
                "local authentication supported", "IAD-MAC at the kernel's default offset",
            ])
        // In a kernel 8 answer also without one.
        let plain = all(try decoding("770E 82020100 9F810306414243444546 9000", as: "response").values)
        #expect(names(plain.first { $0.tag == 0x82 }).first == "local authentication supported")
        // Both are possible.
        let open = try decoding("0100", as: "aip").values.first
        #expect(names(open) == ["CDA supported"])
        #expect(open?.meaning?.contains("local authentication") == true)
        #expect(try decoding("3900", as: "aip").values.first?.meaning == nil)
    }

    // EMV Book C-8 annex A: bit 80 of TVR byte 5 is the format of kernel 8
    @Test(arguments: [
        ("0000048081", ["online CVM captured", "floor limit exceeded"], ["relay resistance not performed"]),
        (
            "040000808E", ["local authentication failed", "floor limit exceeded"],
            [
                "relay resistance threshold exceeded", "relay resistance time limits exceeded",
                "relay resistance performed",
            ]
        ),
        ("8000000081", ["local authentication not performed"], ["relay resistance not performed"]),
        ("00000000C1", [], ["AIDs of reader and card differ", "relay resistance not performed"]),
    ])
    func `a TVR of kernel 8 has its own words`(value: String, first: [String], last: [String]) throws {
        let words = names(try decoding(value, as: "tvr").values.first)
        #expect(words == first + ["kernel 8 processing and TVR format"] + last)
    }

    @Test func `the default TDOL of a contact card stays, with the other meaning of its bit`() throws {
        let value = try decoding("0000000080", as: "tvr").values.first
        #expect(names(value) == ["default TDOL used"])
        #expect(value?.meaning == "or, with kernel 8 (contactless), the format of its results")
        // TSI is of contact cards alone.
        let contact = try decoding("95050000000080 9B02E800", as: "tlv").values.first
        #expect(contact?.meaning == nil)
        let tap = all(try decoding("95050000000080 9F81020103", as: "tlv").values)
        #expect(names(tap.first) == ["kernel 8 processing and TVR format"])
    }

    @Test func `the verification of a device is no PIN of the card`() throws {
        let tap = all(try decoding("95050000008081 9F3403010002", as: "tlv").values)
        #expect(tap.first { $0.name == "method" }?.meaning == "CDCVM: the device verified its owner")
        let value = try decoding("010002", as: "cvm-results").values.first
        #expect(value?.children.first?.meaning == "plaintext PIN verified by the card")
        #expect(value?.meaning == "of a tapped card: the device verified its owner")
        #expect(try decoding("410302", as: "cvm-results").values.first?.meaning == nil)
    }

    @Test func `terminal capabilities of kernel 8 have its methods and local authentication`() throws {
        #expect(
            names(try decoding("E04410", as: "terminal-capabilities").values.first) == [
                "manual key entry", "magnetic stripe", "chip with contacts", "online PIN", "CDCVM",
                "local authentication",
            ])
    }

    @Test func `the kernel qualifier of a foreign run is decoded`() throws {
        #expect(
            names(try decoding("02800010FFFF0000", as: "9F2B").values.first) == [
                "version: 2", "local authentication enabled", "secure channel chosen: P-256 with AES-128",
                "certificates: P-256 with SHA-256", "certificates: none", "certificates: none",
            ])
    }

    // EMV Contactless Book B §3.4.1.4, table 3-7. The value is a test value of emv-utils.
    @Test func `the terminal's kernel identifier says whether the reader has kernel 8`() throws {
        let value = try #require(try decoding("96 08 080000C000000000", as: "tlv").values.first)
        #expect(value.name == "kernel identifier, terminal")
        #expect(value.meaning == "kernel 8: EMV common kernel")
        #expect(names(value) == ["the reader has kernel 8", "kernel 8 may run this transaction"])
    }

    @Test func `outcome, message, and error of a foreign run are decoded`() throws {
        #expect(
            names(try decoding("10F0F000B0F00D00", as: "9F8210").values.first) == [
                "approved", "no start", "no online response data", "no CVM", "message on the outcome",
                "data record present", "discretionary data present", "no other interface",
                "field off, in 100 ms (255: not): 13", "time to remove the card, in 100 ms: 0",
            ])
        let message = try decoding("0300000013656E000000000000", as: "9F8205").values.first
        #expect(message?.children.map(\.meaning) == ["approved", "not ready", "1300 ms", "en"])
        let error = try decoding("000300698 51C", as: "9F8204").values.first
        #expect(
            error?.children.map(\.meaning) == [
                "no error", "status bytes", "no error", nil, "insert, swipe, or try another card",
            ])
        let restart = try decoding("3120", as: "9F8108").values.first
        #expect(restart?.children.map(\.meaning) == ["try another interface: chip with contacts", "see phone"])
    }

    @Test func `relay resistance and data envelopes are commands with names`() throws {
        let relay = all(
            try decoding("80EA0000041122334400 800AA1A2A3A40000FFFF0012 9000", as: "exchange").values)
        #expect(relay.first?.name == "EXCHANGE RELAY RESISTANCE DATA")
        #expect(relay.first { $0.name == "longest time" }?.meaning == "6553500 µs")
        #expect(relay.first { $0.name == "estimated transmission time of the answer" }?.meaning == "1800 µs")
        let read = all(
            try decoding("84320000039F811100 E66B018BFA294C358C300A4EF7E32F54C3F1D347 9000", as: "exchange").values)
        #expect(read.first?.name == "READ DATA")
        #expect(read.contains { $0.tag == 0x9F_8111 && $0.name == "data envelope 1" })
        #expect(read.first { $0.name == "MAC" }?.hex == "F7E32F54C3F1D347")
        let generate = try decoding("80AE408000", as: "command").values.first
        #expect(generate?.meaning == "asks for TC (approve), WRITE DATA follows")
    }

    @Test func `a list of the card tells how the values in a command are laid out`() throws {
        let list = try DataObjectList(bytes("9F2B 08 95 05 9F33 03"))
        let command = bytes("80A8000012 8310 02800010FFFF0000 0000000080 E00010")
        let decoding = try #require(EMVDecoder.decode(command, as: .command, answering: list))
        let values = all(decoding.values)
        #expect(names(values.first { $0.tag == 0x95 }) == ["kernel 8 processing and TVR format"])
        #expect(values.first { $0.tag == 0x9F2B }?.name == "kernel qualifier")
    }

    @Test func `keys, MACs, and enciphered records are shown, whatever their digits are`() throws {
        // The digits are those of a number with a right check digit.
        let value = try decoding("9F8109084761739001010010", as: "tlv").values.first
        #expect(value?.isMasked == false)
        #expect(value?.hex == "4761739001010010")
    }
}
