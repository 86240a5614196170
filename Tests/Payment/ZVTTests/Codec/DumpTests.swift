import CardSecrets
import Testing

@testable import ZVT

struct DumpTests {
    private func dump(_ bytes: [UInt8]) throws -> String {
        var reader = ZVTFrameReader()
        reader.feed(bytes)
        return ZVTDump(try ZVTMessage(try #require(try reader.next()))).text
    }

    @Test func `a dump shows fields and data objects with their names`() throws {
        #expect(
            try dump(ZVTVector.named("authorization with tip and last number")) == """
                06 01 authorization
                  04       amount            000000001450
                  49       currency          0978
                  06       TLV container
                  06 1F36  tip               000000000200
                  06 1F1F  last transaction  17

                """)
    }

    @Test func `a dump has no password and no card number`() throws {
        let track: [UInt8] = [0x47, 0x61, 0x73, 0x90, 0x01, 0x01, 0x00, 0x10, 0xD3, 0x01, 0x22, 0x01]
        let number = Array(track.prefix(8))
        let message = ZVTMessage(
            .refund, head: [.password(ZVTSecret(SensitiveBytes([0x12, 0x34, 0x56])))],
            fields: [
                ZVTField(0x22, number), ZVTField(0x23, track), ZVTField(0x3A, [0x12, 0x3F]),
                ZVTField(0x0E, [0x30, 0x12]),
                ZVTField(0x3C, Array("card 4761739001010010".utf8)),
                ZVTField(objects: [ZVTObject(0x1F55, number), ZVTObject(0x07, Array("4761739001010010".utf8))]),
            ])
        let text = try dump(try message.encoded())
        for secret in ["123456", "476173", "3012", "123F"] { #expect(!text.contains(secret)) }
        #expect(text.contains("22       card number"))
        #expect(text.contains("************0010"))
        #expect(text.contains("06 1F55"))
        #expect(text.contains("8 bytes"))
        let shown = "\(message) \(String(reflecting: message)) \(String(reflecting: message.fields[0]))"
        for secret in ["476173", "0x47", "71"] { #expect(!shown.contains(secret)) }
    }

    @Test func `results have their words`() {
        #expect("\(ZVTControl.notPossible)" == "84 83 negative answer: not possible")
        #expect("\(ZVTResult(rawValue: 0x33))" == "host's code 51")
        #expect(ZVTResult(responseCode: "51") == ZVTResult(rawValue: 0x33))
        #expect(ZVTResult(responseCode: "1A") == nil)
        #expect(ZVTResult(responseCode: "00") == nil)
    }
}
