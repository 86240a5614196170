import CCID
import SmartCard
import Testing

/// PIN entry on the reader's own keys (PC_to_RDR_Secure, CCID 1.1 §6.1.11), byte for byte.
@Suite struct PINPadTests {
    /// The verification structure of PC/SC part 10 for a format 2 block: 30 seconds, 4 to 12 digits.
    private static func structure(_ prologue: String = "000000", seconds: String = "1E", messages: String = "00")
        -> String
    {
        "00 \(seconds) 89 47 04 0C04 02 \(messages) 0904 00 \(prologue) 00200080 08 20FFFFFFFFFFFFFF"
    }

    private static let record = CommandAPDU(0x00, 0xB2, 0x01, 0x0C, le: 0)
    private static let recordTPDU = "00B2010C00"
    private let entry = PINPadEntry(seconds: 30)

    private func descriptor(
        _ level: CCIDExchangeLevel, features: CCIDFeatures = [], pinSupport: CCIDPINSupport = .verification,
        display: UInt16 = 0
    ) -> CCIDClassDescriptor {
        var descriptor = CCIDClassDescriptor(level: level, features: features)
        (descriptor.pinSupport, descriptor.displayLayout) = (pinSupport, display)
        return descriptor
    }

    private func t0(_ script: [String], timing: CCIDTiming = CCIDTiming()) async throws -> (Rig, CCIDCardChannel) {
        let rig = try await Rig(descriptor(.tpdu), timing: timing, readyForT0 + script)
        return (rig, try await rig.reader.powerOn())
    }

    private func lrc(_ text: String) -> String {
        let bytes = hex(text)
        return hex(bytes + [bytes.reduce(0, ^)])
    }

    private func t1(_ script: [String]) async throws -> (Rig, CCIDCardChannel) {
        let ready =
            power(1, TestATR.t1) + parameters(3, "01", "11 10 FF 45 00 FE 00") + [
                block(4, "00C101FE3E"), answer(4, "00E101FE1E"),
            ]
        let rig = try await Rig(descriptor(.tpdu), ready + script)
        return (rig, try await rig.reader.powerOn())
    }

    // MARK: What is sent

    @Test func `at TPDU level with T=0 the prologue is zero and the answer is the status word`() async throws {
        let (rig, channel) = try await t0([
            secure(4, Self.structure()), answer(4, "9000"), block(5, Self.recordTPDU), answer(5, "9000"),
        ])
        #expect(channel.hasPINPad)
        #expect(try await channel.verifyPIN(entry) == .verified(.success))
        #expect(try await channel.transmit(Self.record).status == .success)
        await rig.expectDone()
    }

    @Test(arguments: [CCIDExchangeLevel.shortAPDU, .extendedAPDU])
    func `at APDU level the command goes in one message and the prologue is zero`(
        level: CCIDExchangeLevel
    ) async throws {
        for atr in [TestATR.t0, TestATR.t1] {
            let rig = try await Rig(
                descriptor(level, features: [.automaticNegotiation]),
                power(1, atr) + [secure(3, Self.structure()), answer(3, "63C2")])
            let channel = try await rig.reader.powerOn()
            #expect(try await channel.verifyPIN(entry) == .verified(StatusWord(0x63, 0xC2)))
            await rig.expectDone()
        }
    }

    @Test func `a reader with a display shows its own prompt`() async throws {
        let rig = try await Rig(
            descriptor(.shortAPDU, features: [.automaticNegotiation], display: 0x0210),
            power(1, TestATR.t0) + [secure(3, Self.structure(seconds: "FF", messages: "01")), answer(3, "9000")])
        let channel = try await rig.reader.powerOn()
        #expect(try await channel.verifyPIN(PINPadEntry(seconds: 255)) == .verified(.success))
        await rig.expectDone()
    }

    @Test func `digits and timeout are limited to the ranges of the structure`() {
        #expect(PINPadEntry(digits: 0...99, seconds: 0) == PINPadEntry(digits: 1...14, seconds: 1))
        #expect(PINPadEntry(seconds: 30).digits == 4...12)
    }

    @Test(arguments: [[], .modification] as [CCIDPINSupport])
    func `a reader without verification in bPINSupport is not used`(support: CCIDPINSupport) async throws {
        let rig = try await Rig(descriptor(.tpdu, pinSupport: support), readyForT0)
        let channel = try await rig.reader.powerOn()
        #expect(!channel.hasPINPad)
        #expect(try await channel.verifyPIN(entry) == .unsupported)
        await rig.expectDone()
    }

    // MARK: How it ends

    @Test(
        arguments: [
            ("", "40 F0 00", .timedOut), ("", "40 EF 00", .canceled), ("", "40 C0 00", .wrongLength),
            ("", "40 00 00", .unsupported), ("", "40 0C 00", .unsupported), ("6400", "00 00 00", .timedOut),
            ("6401", "00 00 00", .canceled), ("6403", "00 00 00", .wrongLength), ("6B80", "00 00 00", .unsupported),
        ] as [(String, String, PINPadAnswer)])
    func `an entry without a PIN leaves the card unchanged`(
        data: String, status: String, expected: PINPadAnswer
    ) async throws {
        let (rig, channel) = try await t0([
            secure(4, Self.structure()), answer(4, data, status), block(5, Self.recordTPDU), answer(5, "9000"),
        ])
        #expect(try await channel.verifyPIN(entry) == expected)
        #expect(try await channel.transmit(Self.record).status == .success)
        await rig.expectDone()
    }

    @Test(
        arguments: [
            ("", "42 FE 00", .cardRemoved), ("", "42 EF 00", .cardRemoved), ("9000", "02 00 00", .cardRemoved),
            ("", "40 FE 00", .cardMute), ("9000", "01 00 00", .cardMute),
            ("", "40 FD 00", .protocolViolation(CCIDError.failed(.secure, .parity).description)),
            ("", "40 FF 00", .protocolViolation(CCIDError.failed(.secure, .aborted).description)),
            ("90", "00 00 00", .protocolViolation(APDUError.responseTooShort(1).description)),
            ("", "00 00 00", .protocolViolation(APDUError.responseTooShort(0).description)),
        ] as [(String, String, CardChannelError)])
    func `an entry with an unknown result ends the channel`(
        data: String, status: String, expected: CardChannelError
    ) async throws {
        let (rig, channel) = try await t0([secure(4, Self.structure()), answer(4, data, status)])
        await #expect(throws: expected) { try await channel.verifyPIN(entry) }
        await #expect(throws: CardChannelError.self) { try await channel.transmit(Self.record) }
        await rig.expectDone()
    }

    @Test func `time extensions during the entry extend the timeout, within the total`() async throws {
        let (rig, channel) = try await t0([
            secure(4, Self.structure()), answer(4, "", "80 01 00"), "+ 5000", answer(4, "", "80 01 00"), "+ 5000",
            answer(4, "", "80 01 00"), "+ 15000", answer(4, "9000"),
        ])
        #expect(try await channel.verifyPIN(entry) == .verified(.success))
        // 30 s for the cardholder and 10 s for the card; 60 s in all.
        #expect(rig.transport.readTimeouts.suffix(4) == [.seconds(40), .seconds(40), .seconds(40), .seconds(40)])
        await rig.expectDone()
    }

    @Test func `an entry that does not end is aborted`() async throws {
        let (rig, channel) = try await t0(
            [secure(4, Self.structure()), answer(4, "", "80 01 00"), "<! timedOut", "<! timedOut"] + abort(5))
        await #expect(throws: CardChannelError.timedOut) { try await channel.verifyPIN(entry) }
        #expect(rig.transport.readTimeouts.contains(.seconds(40)))
    }

    @Test func `a canceled task aborts the entry and returns when the reader is idle`() async throws {
        let (rig, channel) = try await t0(
            [
                secure(4, Self.structure()), "<~", "C 0500", "> 72 00000000 00 05 000000",
                "< 80 00000000 00 04 40 FF 00", "< 81 00000000 00 05 00 00 00",
            ] + status("65", 6))
        let verification = Task { try await channel.verifyPIN(entry) }
        await rig.until { rig.transport.isHanging }
        verification.cancel()
        await #expect(throws: CardChannelError.canceled) { try await verification.value }
        #expect(try await rig.reader.cardStatus() == .active)
        await rig.expectDone()
    }

    @Test func `a reader that does not confirm an abort is reset`() async throws {
        let (rig, channel) = try await t0([
            secure(4, Self.structure()), "<~", "C 0500", "> 72 00000000 00 05 000000", "<! timedOut",
            "> 63 00000000 00 06 000000", "<! timedOut", "R", "> 65 00000000 00 07 000000",
            "< 81 00000000 00 07 01 00 00",
        ])
        let verification = Task { try await channel.verifyPIN(entry) }
        await rig.until { rig.transport.isHanging }
        verification.cancel()
        await #expect(throws: CardChannelError.canceled) { try await verification.value }
        await rig.expectDone()
    }

    @Test func `a PIN entry is never sent twice`() async throws {
        let (rig, channel) = try await t0([secure(4, Self.structure()), "<! stalled", "H 82"] + abort(5))
        await #expect(throws: CardChannelError.self) { try await channel.verifyPIN(entry) }
        await rig.expectDone()
    }

    // MARK: T=1 at TPDU level

    @Test func `the host provides the T=1 prologue and receives the card's block`() async throws {
        let (rig, channel) = try await t1([
            secure(5, Self.structure("00 00 0D")), answer(5, lrc("000002 9000")),
            block(6, lrc("004005 00B2010C00")), answer(6, lrc("004002 9000")),
            secure(7, Self.structure("00 00 0D")), answer(7, lrc("000002 63C1")),
        ])
        #expect(try await channel.verifyPIN(entry) == .verified(.success))
        #expect(try await channel.transmit(Self.record).status == .success)
        #expect(try await channel.verifyPIN(entry) == .verified(StatusWord(0x63, 0xC1)))
        await rig.expectDone()
    }

    @Test(arguments: [("", "40 EF 00", PINPadAnswer.canceled), ("6400", "00 00 00", .timedOut)])
    func `a block that was not sent does not use up its number`(
        data: String, status: String, expected: PINPadAnswer
    ) async throws {
        let (rig, channel) = try await t1([
            secure(5, Self.structure("00 00 0D")), answer(5, data, status),
            block(6, lrc("000005 00B2010C00")), answer(6, lrc("000002 9000")),
        ])
        #expect(try await channel.verifyPIN(entry) == expected)
        #expect(try await channel.transmit(Self.record).status == .success)
        await rig.expectDone()
    }

    @Test func `the card can request time, and its damaged response is requested again`() async throws {
        let (rig, channel) = try await t1([
            secure(5, Self.structure("00 00 0D")), answer(5, lrc("00C30102")),
            block(6, lrc("00E30102"), "02 0000"), answer(6, "0000029000FF"),
            block(7, lrc("008100")), answer(7, lrc("000002 9000")),
        ])
        #expect(try await channel.verifyPIN(entry) == .verified(.success))
        await rig.expectDone()
    }

    @Test func `a card that did not get the PIN gets no empty block`() async throws {
        let (rig, channel) = try await t1([
            secure(5, Self.structure("00 00 0D")), answer(5, lrc("008100")),
        ])
        await #expect(throws: CardChannelError.protocolViolation(T1Error.unrecoverable.description)) {
            try await channel.verifyPIN(entry)
        }
        await rig.expectDone()
    }

    @Test func `a card with blocks shorter than the command is not used this way`() async throws {
        let (rig, channel) = try await t1([
            block(5, lrc("000005 00B2010C00")), answer(5, lrc("00C1010C")),
            block(6, lrc("00E1010C")), answer(6, lrc("000002 9000")),
            block(7, lrc("004005 00B2010C00")), answer(7, lrc("004002 9000")),
        ])
        #expect(try await channel.transmit(Self.record).status == .success)
        #expect(try await channel.verifyPIN(entry) == .unsupported)
        #expect(try await channel.transmit(Self.record).status == .success)
        await rig.expectDone()
    }
}
