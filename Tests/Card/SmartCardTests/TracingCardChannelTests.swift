import SmartCard
import Synchronization
import Testing

struct TracingCardChannelTests {
    /// Answers from a list, one after the other.
    private final class ScriptedCard: CardChannel {
        private let answers: Mutex<[Result<ResponseAPDU, CardChannelError>]>

        init(_ answers: [Result<ResponseAPDU, CardChannelError>]) { self.answers = Mutex(answers) }

        func transmit(_ command: CommandAPDU) async throws(CardChannelError) -> ResponseAPDU {
            try answers.withLock { $0.isEmpty ? .failure(.cardMute) : $0.removeFirst() }.get()
        }
    }

    private final class Lines: Sendable {
        let entries = Mutex<[TraceEntry]>([])
        func add(_ entry: TraceEntry) { entries.withLock { $0.append(entry) } }
        var text: [String] { entries.withLock { $0.map(\.jsonLine) } }
    }

    private func trace(_ exchanges: [(command: String, response: String)]) async throws -> [String] {
        let answers = try exchanges.map { try ResponseAPDU(bytes: bytes($0.response)) }
        let lines = Lines()
        let channel = TracingCardChannel(ScriptedCard(answers.map { .success($0) })) { lines.add($0) }
        for ((command, _), answer) in zip(exchanges, answers) {
            #expect(try await channel.transmit(try CommandAPDU(bytes: bytes(command))) == answer)
        }
        return lines.text
    }

    @Test func `an exchange is one JSON line`() async throws {
        let lines = try await trace([("00A4040007A000000003101000", "6F0584 03 A00000 9000")])
        #expect(lines == [#"{"c":"00A4040007A000000003101000","r":"6F058403A000009000"}"#])
    }

    @Test func `PINs are masked whatever the command's class`() async throws {
        let lines = try await trace([
            ("0020008008241234FFFFFFFFFF", "63C2"), ("842400020A01020304050607080910", "9000"),
            ("002C00000412345678", "6D00"),
            ("00210080059903241234", "9000"),
        ])
        #expect(lines[0] == #"{"c":"0020008008****************","r":"63C2"}"#)
        #expect(lines[1] == #"{"c":"842400020A********************","r":"9000"}"#)
        #expect(lines[2] == #"{"c":"002C000004********","r":"6D00"}"#)
        #expect(lines[3] == #"{"c":"0021008005**********","r":"9000"}"#)
    }

    @Test func `card data is masked in records at any depth, the rest stays`() async throws {
        let lines = try await trace([
            (
                "00B2010C00",
                "7029 5A08 4761739001010010 57 13 4761739001010010D22122011143804400000F 5F2002 2041 9F0702 FF00 9000"
            ),
            ("00A4040002A00000", "6F0E A50C BF0C 09 61 07 5A 05 1234567890 9000"),
        ])
        #expect(
            lines[0] == #"{"c":"00B2010C00","r":"70295A08"# + String(repeating: "**", count: 8) + "5713"
                + String(repeating: "**", count: 19) + #"5F2002****9F0702FF009000"}"#)
        #expect(lines[1].hasSuffix(#"61075A05**********9000"}"#))
    }

    @Test(arguments: ["57 00", "9F6B 00", "5A 00", "56 00", "57 01 FF"])
    func `an object without a value is no reason to stop`(object: String) async throws {
        let value = bytes(object)
        let lines = try await trace([("00B2010C00", "70" + hex([UInt8(value.count)]) + hex(value) + "9000")])
        #expect(lines.count == 1)
    }

    @Test(
        arguments: [
            "9F0B", "9F1F", "9F20", "9F6B", "9F46", "9F2D", "99", "56", "57", "58", "59", "5A", "5B", "5F20", "5F21",
            "5F22", "5F23", "5F24", "5F53", "DF812A", "DF812B",
        ])
    func `every sensitive object is masked`(tag: String) async throws {
        let value = "4761739001010010"
        let object = tag + "08" + value
        let record = "70" + hex([UInt8(object.count / 2)]) + object
        let lines = try await trace([("00B2010C00", record + "9000")])
        #expect(!lines[0].contains("47617390"))
        #expect(lines[0].contains(tag + "08" + String(repeating: "**", count: 8)))
    }

    @Test(arguments: [
        ("00B2010C00", "4761739001010010"), ("00B2010C00", "70095A084761739001010010FF"),
        ("80A8000002830000", "4761739001010010"), ("80CA9F1700", "4761739001010010"),
        ("80CA9F1700", "5A084761739001010010"),
        ("80A8000002830000", "C2084761739001010010"), ("00A4040002A00000", "4761739001010010"),
        ("80F2000000", "4761739001010010"),
    ])
    func `unknown data is masked completely, except the status`(command: String, data: String) async throws {
        let lines = try await trace([(command, data + "9000")])
        #expect(lines[0].contains(#""r":""# + String(repeating: "**", count: data.count / 2) + #"9000""#))
    }

    @Test func `answers in format 1, challenges and padding stay visible`() async throws {
        let lines = try await trace([
            ("80A8000002830000", "8006 3C00 08010100 9000"),
            ("80AE400002 0000 00", "8012 80 0001 0102030405060708 06010A03A00000 9000"),
            ("0084000000", "4142434445464748 9000"), ("00B2010C00", "7003950100 0000 9000"),
        ])
        #expect(lines[0].contains("80063C00080101009000"))
        #expect(lines[1].contains("801280000101020304050607080601"))
        #expect(lines[2].contains("41424344454647489000"))
        #expect(lines[3].contains("700395010000009000"))
    }

    @Test func `a PAN that was seen is masked wherever it turns up`() async throws {
        let lines = try await trace([
            ("00B2010C00", "700A 5A08 541333008902001F 9000"),
            ("80AE80000C 0000 541333008902001F 0000 00", "8001 80 9000"),
            // Shifted by half a byte, in ASCII, and in a data object that nothing is known of.
            ("80AE80000D 0005 413330089020 01F0 000000 00", "800C 353431333333303038393032303031 9000"),
            ("80CADF0100", "DF0108 541333008902001F 9000"),
        ])
        for line in lines { #expect(!line.contains("541333008902001") && !line.contains("3534313333")) }
        #expect(lines[1].contains("80AE80000C0000****************000000"))
        #expect(lines[3].contains("DF0108****************9000"))
    }

    @Test func `track 2 data is known again without its tag`() async throws {
        let track = "4761739001010010D22122011143804400000F"
        let lines = try await trace([
            ("00B2010C00", "7015 5713 \(track) 9000"), ("80AE800013 \(track) 00", "8001 80 9000"),
        ])
        #expect(lines[1].contains("80AE800013" + String(repeating: "**", count: 19) + "00"))
    }

    @Test func `the expiry date is masked, and again where a list asks for it`() async throws {
        let lines = try await trace([
            ("00B2011400", "700F 5F2403 351231 5F2503 240101 9F0800 9000"),
            ("80AE80000B 0000 351231 351231 000000 00", "770A 9F2701 80 DF0103 351231 9000"),
            ("00B2011400", "7006 5F2403 111111 9000"), ("80AE800004 11111111 00", "8001 80 9000"),
        ])
        #expect(lines[0].contains("700F5F2403******5F25032401019F08009000"))
        #expect(lines[1] == #"{"c":"80AE80000B0000************00000000","r":"770A9F270180DF0103******9000"}"#)
        #expect(lines[2].contains("70065F2403******9000"))
        #expect(lines[3].contains("80AE8000041111111100"))
    }

    @Test(arguments: [
        ("04DC010C14 700A5A08541333008902001F 1122334455667788", "04DC010C14700A5A08****************1122334455667788"),
        ("00DC010C08 70065F2403351231", "00DC010C0870065F2403******"),
        ("04DA5F240B 351231 1122334455667788", "04DA5F240B**********************"),
        ("00DA9F5802 0203", "00DA9F58020203"), ("00DB3FFF0A 5A08541333008902001F", "00DB3FFF0A5A08****************"),
    ])
    func `card data that an issuer writes is masked, and known from then on`(
        command: String, shown: String
    ) async throws {
        let number = "541333008902001F"
        let lines = try await trace([(command, "9000"), ("80CADF0100", "DF0108 \(number) 9000")])
        #expect(lines[0] == #"{"c":"\#(shown)","r":"9000"}"#)
        let isKnown = command.contains(number)
        #expect(lines[1].contains(isKnown ? "DF0108****************9000" : "DF0108\(number)9000"))
    }

    @Test func `a failure is recorded and passed on`() async throws {
        let lines = Lines()
        let channel = TracingCardChannel(ScriptedCard([.failure(.protocolViolation("a \"quoted\"\nplace"))])) {
            lines.add($0)
        }
        await #expect(throws: CardChannelError.self) { try await channel.transmit(CommandAPDU(0, 0x84, 0, 0, le: 8)) }
        #expect(lines.text.count == 1)
        #expect(lines.text[0].hasPrefix(#"{"c":"0084000008","e":""#))
        #expect(lines.text[0].contains(#"a \"quoted\"\u000Aplace"#))
    }

    @Test func `no canary gets through in random records`() async throws {
        var chance = SeededGenerator(seed: 12)
        let pan = "4111117777222233"
        for _ in 0..<200 {
            var body = "5A08" + pan
            for _ in 0..<chance.number(0...4) {
                let object =
                    "DF0" + String(chance.number(1...9)) + "0A" + hex(chance.bytes(1)) + pan + hex(chance.bytes(1))
                body = chance.chance(50) ? body + object : object + body
            }
            var record = BERTLV(0x70, bytes(body)).encoded
            if chance.chance(30) { record = chance.mutated(record) }
            let lines = try await trace([
                ("00B2010C00", hex(record) + "9000"), ("80AE80000A00" + pan + "0000", hex(record) + "9000"),
            ])
            // A changed byte may hide the tag, so only what is unchanged is a canary.
            if record == BERTLV(0x70, bytes(body)).encoded {
                for line in lines { #expect(!line.contains("11117777") && !line.contains("77722223")) }
            }
        }
    }

    // MARK: PIN entry at the reader

    private struct PINPad: PINPadCardChannel {
        let answer: Result<PINPadAnswer, CardChannelError>
        var hasPINPad = true

        func transmit(_ command: CommandAPDU) async throws(CardChannelError) -> ResponseAPDU { throw .cardMute }
        func verifyPIN(_ entry: PINPadEntry) async throws(CardChannelError) -> PINPadAnswer { try answer.get() }
    }

    @Test(
        arguments: [
            (.success(.verified(.success)), #""r":"9000""#),
            (.success(.verified(StatusWord(0x63, 0xC2))), #""r":"63C2""#),
            (.success(.canceled), #""e":"the PIN entry was canceled""#),
            (.success(.timedOut), #""e":"no PIN was entered in time""#),
            (.failure(.cardRemoved), #""e":"\#(CardChannelError.cardRemoved)""#),
        ] as [(Result<PINPadAnswer, CardChannelError>, String)])
    func `a PIN entry at the reader is passed on, and its trace hides the block`(
        answer: Result<PINPadAnswer, CardChannelError>, outcome: String
    ) async throws {
        let lines = Lines()
        let channel = TracingCardChannel(PINPad(answer: answer)) { lines.add($0) }
        #expect(channel.hasPINPad)
        let got: Result<PINPadAnswer, CardChannelError>
        do throws(CardChannelError) { got = .success(try await channel.verifyPIN(PINPadEntry(seconds: 30))) } catch {
            got = .failure(error)
        }
        #expect(got == answer)
        #expect(lines.text == [#"{"c":"0020008008****************",\#(outcome)}"#])
    }

    @Test func `a channel without a PIN pad has none when it is traced`() async throws {
        let lines = Lines()
        let plain = TracingCardChannel(ScriptedCard([])) { lines.add($0) }
        #expect(!plain.hasPINPad)
        #expect(try await plain.verifyPIN(PINPadEntry(seconds: 30)) == .unsupported)
        let silent = TracingCardChannel(PINPad(answer: .success(.canceled), hasPINPad: false)) { lines.add($0) }
        #expect(!silent.hasPINPad)
        #expect(lines.text.isEmpty)
    }
}
