import CCID
import SimulatedTime
import Simulator
import SmartCard
import Testing

/// Readers that carry single bytes: the host runs T=0 and T=1 whole (CCID 1.1 §6.1.4).
@Suite(.simulatedTime, .timeLimit(.minutes(10))) struct CharacterLevelTests {
    private func select() throws -> CommandAPDU {
        try CommandAPDU(cla: 0x00, ins: 0xA4, p1: 0x00, p2: 0x00, data: [0x3F, 0x00], expectedLength: nil)
    }

    private static let record = CommandAPDU(0x00, 0xB2, 0x01, 0x0C, le: 0)

    /// Waits for so many bytes of the card.
    private func bytes(_ sequence: Int, _ data: String, expecting count: String, waiting: String = "00") -> String {
        block(sequence, data, "\(waiting) \(count)")
    }

    private func t0(_ script: [String]) async throws -> (Rig, CCIDCardChannel) {
        let rig = try await Rig(CCIDClassDescriptor(level: .character), readyForT0 + script)
        return (rig, try await rig.reader.powerOn())
    }

    @Test func `T=0 requests a procedure byte, the data, and each byte of the status`() async throws {
        let (rig, channel) = try await t0([
            bytes(4, "00B2010C00", expecting: "0100"), answer(4, "6C"), bytes(5, "", expecting: "0100"),
            answer(5, "03"),
            bytes(6, "00B2010C03", expecting: "0100"), answer(6, "B2"), bytes(7, "", expecting: "0300"),
            answer(7, "700100"), bytes(8, "", expecting: "0100"), answer(8, "90"), bytes(9, "", expecting: "0100"),
            answer(9, "00"),
        ])
        let response = try await channel.transmit(Self.record)
        #expect(response.data == hex("700100") && response.status == .success)
        await rig.expectDone()
    }

    @Test func `T=0 sends the data as requested by the card, whole or byte by byte`() async throws {
        let (rig, channel) = try await t0([
            bytes(4, "00A4000002", expecting: "0100"), answer(4, "60"), bytes(5, "", expecting: "0100"),
            answer(5, "5B"), bytes(6, "3F", expecting: "0100"), answer(6, "A4"), bytes(7, "00", expecting: "0100"),
            answer(7, "90"), bytes(8, "", expecting: "0100"), answer(8, "00"),
        ])
        #expect(try await channel.transmit(try select()).status == .success)
        await rig.expectDone()
    }

    @Test func `a response in pieces is combined`() async throws {
        let (rig, channel) = try await t0([
            bytes(4, "00B2010C00", expecting: "0100"), answer(4, "6C"), bytes(5, "", expecting: "0100"),
            answer(5, "03"),
            bytes(6, "00B2010C03", expecting: "0100"), answer(6, "B2"), bytes(7, "", expecting: "0300"),
            answer(7, "7001"), bytes(8, "", expecting: "0100"), answer(8, "00"), bytes(9, "", expecting: "0100"),
            answer(9, "90"), bytes(10, "", expecting: "0100"), answer(10, "00"),
        ])
        #expect(try await channel.transmit(Self.record).data == hex("700100"))
        await rig.expectDone()
    }

    @Test func `an invalid procedure byte, and a timeout, are errors of the exchange`() async throws {
        let (rig, channel) = try await t0([bytes(4, "00A4000002", expecting: "0100"), answer(4, "33")])
        await #expect(throws: CardChannelError.protocolViolation(T0Error.invalidProcedureByte(0x33).description)) {
            try await channel.transmit(try select())
        }
        await rig.expectDone()
        let (silent, mute) = try await t0([bytes(4, "00A4000002", expecting: "0100"), answer(4, "")])
        await #expect(throws: CardChannelError.cardMute) { try await mute.transmit(try select()) }
        await silent.expectDone()
    }

    @Test func `T=1 requests the prologue of a block first, and then its announced rest`() async throws {
        let rig = try await Rig(
            CCIDClassDescriptor(level: .character),
            power(1, TestATR.t1) + parameters(3, "01", "11 10 FF 45 00 FE 00") + [
                bytes(4, "00C101FE3E", expecting: "0300"), answer(4, "00E101"),
                bytes(5, "", expecting: "0200"), answer(5, "FE1E"),
                bytes(6, "000005 00B2010C00 BA", expecting: "0300"), answer(6, "00C301"),
                bytes(7, "", expecting: "0200"), answer(7, "02C0"),
                bytes(8, "00E30102E0", expecting: "0300", waiting: "02"), answer(8, "000002"),
                bytes(9, "", expecting: "0300"), answer(9, "900092"),
            ])
        let channel = try await rig.reader.powerOn()
        #expect(try await channel.transmit(Self.record).status == .success)
        await rig.expectDone()
    }

    @Test func `T=1 requests a truncated block again`() async throws {
        let rig = try await Rig(
            CCIDClassDescriptor(level: .character, features: .automaticIFSD),
            power(1, TestATR.t1) + parameters(3, "01", "11 10 FF 45 00 FE 00") + [
                bytes(4, "000005 00B2010C00 BA", expecting: "0300"), answer(4, "0000"),
                bytes(5, "00820082", expecting: "0300"), answer(5, "000002"),
                bytes(6, "", expecting: "0300"), answer(6, "900092"),
            ])
        let channel = try await rig.reader.powerOn()
        #expect(try await channel.transmit(Self.record).status == .success)
        await rig.expectDone()
    }

    @Test func `keys are not used: a PIN entry needs a command or a block`() async throws {
        var descriptor = CCIDClassDescriptor(level: .character)
        descriptor.pinSupport = .verification
        let rig = try await Rig(descriptor, readyForT0)
        let channel = try await rig.reader.powerOn()
        #expect(!channel.hasPINPad)
        #expect(try await channel.verifyPIN(PINPadEntry(seconds: 30)) == .unsupported)
        await rig.expectDone()
    }

    @Test(arguments: [QuirkCard.t0, QuirkCard.t1])
    func `a simulated reader at character level carries commands of every length`(card: [UInt8]) async throws {
        var model = SimulatedReaderModel.tpdu
        model.level = .character
        let bench = QuirkBench(model, card: card)
        let reader = try await bench.open(.none)
        let channel = try await reader.powerOn()
        for count in 0...250 as ClosedRange<UInt8> {
            #expect(try await channel.transmit(QuirkBench.read(count)).data.count == Int(count))
        }
        let data = (0..<255).map { UInt8($0) }
        let echo = try CommandAPDU(cla: 0, ins: 0xA4, p1: 0, p2: 0, data: data, expectedLength: 256)
        #expect(try await channel.transmit(echo).data == data.reversed())
        // A card that takes its time.
        #expect(try await channel.transmit(CommandAPDU(0x00, 0xE0, 0x05, 0x00)).status == .success)
        await reader.close()
    }
}
