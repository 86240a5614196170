import Settings
import Simulator
import SmartCard
import Testing

@Suite("A recorded card")
struct CardRecordingTests {
    private func recording(_ text: String) throws -> CardRecording {
        try CardRecording(try SettingsDocument(text: text, file: "field.yaml").root)
    }

    /// A card with an 8-byte number, track 2 data and a name, all masked.
    private static let masked = """
        lastFour: "4242"
        exchanges:
          - c: 00B2010C00
            r: "703E5A08****************5713**************************************5F2403******5F200A********************9F4604********9F1F0230309000"
          - { c: 80AE80000100, r: 771A9F2701809F360200019F4B08DF000000000000009F10030000009000 }
          - { c: 00B2020C00, e: removed }

        """

    private func powered(_ text: String) throws -> RecordedCard {
        let card = RecordedCard(try recording(text))
        #expect(!card.reset(warm: false).isEmpty)
        return card
    }

    private func answer(_ card: RecordedCard, _ command: CommandAPDU) throws -> ResponseAPDU {
        try #require(card.process(command).response)
    }

    private func digits(_ bytes: [UInt8]) -> [UInt8] { bytes.flatMap { [$0 >> 4, $0 & 0x0F] } }

    @Test("generated data has the length of the masked data, a correct check digit, and is repeatable")
    func filling() throws {
        let card = try powered(Self.masked)
        let response = try answer(card, CommandAPDU(0x00, 0xB2, 0x01, 0x0C, le: 0))
        let objects = try BERTLV.parse(response.data)
        let number = digits(try #require(objects.first(0x5A)).value)
        #expect(number.count == 16 && number.first == 9 && number.suffix(4) == [4, 2, 4, 2])
        let sum = number.reversed().enumerated().reduce(0) { sum, digit in
            let value = Int(digit.element) * (digit.offset % 2 + 1)
            return sum + value / 10 + value % 10
        }
        #expect(sum % 10 == 0)
        let track = try #require(objects.first(0x57)).value
        #expect(track.count == 19 && digits(track).prefix(17) == number + [0x0D])
        #expect(objects.first(0x5F24)?.value == [0x49, 0x12, 0x31])
        #expect(objects.first(0x5F20)?.value == Array("TEST/CARD ".utf8))
        // Unmasked data is unchanged.
        #expect(objects.first(0x9F1F)?.value == [0x30, 0x30])
        let again = try powered(Self.masked)
        #expect(try answer(again, CommandAPDU(0x00, 0xB2, 0x01, 0x0C, le: 0)) == response)
    }

    @Test("it is removed at the recorded point, and rejects unrecorded commands")
    func behavior() throws {
        let card = try powered(Self.masked)
        let select = try CommandAPDU(bytes: [0x00, 0xA4, 0x04, 0x00, 0x02, 0xA0, 0x00, 0x00])
        #expect(try answer(card, select).status == .fileNotFound)
        // Nothing takes it past a cryptogram that it has not been asked for.
        let record = CommandAPDU(0x00, 0xB2, 0x02, 0x0C, le: 0)
        #expect(try answer(card, record).status == StatusWord(0x6A, 0x83))
        let generate = try CommandAPDU(bytes: [0x80, 0xAE, 0x80, 0x00, 0x01, 0x00, 0x00])
        #expect(try answer(card, generate).status == .success)
        let reply = card.process(record)
        #expect(reply.response == nil && reply.removal == .beforeAnswer)
    }

    @Test("a cryptogram inside a signature is replayed, because the signature cannot be verified")
    func combined() throws {
        let card = try powered(Self.masked)
        let command = try CommandAPDU(bytes: [0x80, 0xAE, 0x90, 0x00, 0x01, 0x00, 0x00])
        let objects = try BERTLV.parse(try answer(card, command).data)
        #expect(objects.first(0x9F4B) == nil)
        #expect(objects.first(0x9F26)?.value == [UInt8](repeating: 0, count: 8))
        #expect(objects.first(0x9F36)?.value == [0, 1])
    }

    @Test(
        "an error is reported with its location, and never with the bytes",
        arguments: [
            ("exchanges: [{ c: 00A40400, r: 476173900101001 }]", "not hexadecimal bytes"),
            ("exchanges: [{ c: 00A40400, r: 9 }]", "not hexadecimal bytes"),
            ("exchanges: [{ c: 00A40400, r: \"90**\" }]", "end with its status word"),
            ("exchanges: [{ c: 00, r: 9000 }]", "exchanges[0].c"),
            ("exchanges: [{ c: 00A40400, r: 9000, e: mute }]", "either 'r' or 'e'"),
            ("exchanges: [{ c: 00A40400 }]", "'r'"), ("exchanges: []", "exchanges"), ("protocol: T=0", "'exchanges'"),
            ("lastFour: 47617\nexchanges: [{ c: 00A40400, r: 9000 }]", "lastFour"),
        ])
    func mistakes(text: String, words: String) throws {
        do {
            _ = try recording(text)
            Issue.record("it was read")
        } catch let error as SettingsError {
            #expect(error.description.contains("field.yaml:") && error.description.contains(words), "\(error)")
            #expect(!error.description.contains("476173"))
        }
    }
}
