import CCID
import SmartCard
import Testing

/// The behavior of QEMU's reader, as observed on the wire.
@Suite struct QEMUQuirkTests {
    /// SELECT of the master file.
    private let select: CommandAPDU
    private static let selectTPDU = "00A40400023F00"
    init() throws {
        select = try CommandAPDU(cla: 0x00, ins: 0xA4, p1: 0x04, p2: 0x00, data: [0x3F, 0x00], expectedLength: nil)
    }

    private static let ready = power(1, TestATR.t0, select: "00")

    private func powered(_ script: [String], interrupt: Bool = false) async throws -> (Rig, CCIDCardChannel) {
        let rig = try await Rig(
            try CCIDClassDescriptor(bytes: Rig.qemuDescriptor), interrupt: interrupt, Self.ready + script)
        return (rig, try await rig.reader.powerOn())
    }

    @Test func `its traffic equals ours, byte for byte`() async throws {
        let (rig, channel) = try await powered(
            [
                "> 6F 07000000 00 03 00 0000 00A40400023F00", "< 80 02000000 00 03 00 00 00 90 00",
                "> 63 00000000 00 04 000000", "< 81 00000000 00 04 01 00 00",
            ])
        #expect(try await channel.transmit(select).status == .success)
        try await rig.reader.powerOff()
        await rig.expectDone()
    }

    @Test func `1 - after an answer of exactly 64 bytes the next read is empty and the one after it the answer`()
        async throws
    {
        let data = String(repeating: "11", count: 52)
        let (rig, channel) = try await powered([
            block(3, "00B2010C00"), answer(3, data + "9000"),
            block(4, "00B2010C00"), "<", answer(4, "6A82"),
        ])
        let record = CommandAPDU(0x00, 0xB2, 0x01, 0x0C, le: 0)
        #expect(try await channel.transmit(record).data.count == 52)
        #expect(try await channel.transmit(record).status == StatusWord(0x6A, 0x82))
        await rig.expectDone()
    }

    @Test func `2 - a bulk-out that it stalls is cleared, and a block is not repeated`() async throws {
        let (rig, channel) = try await powered(
            [
                ">! stalled 6F 07000000 00 03 00 0000 00A40400023F00", "H 03", "C! stalled 0400",
            ] + status("72", 4) + status("65", 5))
        await #expect(throws: CardChannelError.readerUnavailable("the USB endpoint stalled")) {
            try await channel.transmit(select)
        }
        #expect(try await rig.reader.cardStatus() == .active)
        await rig.expectDone()
    }

    @Test func `3 - power on without a card fails, although an ATR follows`() async throws {
        let rig = try await Rig(
            try CCIDClassDescriptor(bytes: Rig.qemuDescriptor),
            status("65", 1, "01 00 00") + [
                "> 62 00000000 00 02 00 0000", "< 80 04000000 00 02 42 FE 00 3B 60 00 00",
            ])
        await #expect(throws: CCIDError.cardAbsent) { try await rig.reader.powerOn() }
        await rig.expectDone()
    }

    @Test func `3 - an exchange without a card is no success, although the command is called done`() async throws {
        let (rig, channel) = try await powered([block(3, Self.selectTPDU), "< 80 00000000 00 03 02 00 00"])
        await #expect(throws: CardChannelError.cardRemoved) { try await channel.transmit(select) }
        await rig.expectDone()
    }

    @Test func `4 - a card that offers T=1 only is refused at a reader of T=0, and gets no T=1 block`() async throws {
        let rig = try await Rig(
            try CCIDClassDescriptor(bytes: Rig.qemuDescriptor),
            power(1, TestATR.t1, select: "00") + status("63", 3, "01 00 01"))
        await #expect(throws: CCIDError.noCommonProtocol) { try await rig.reader.powerOn() }
        await rig.expectDone()
    }

    @Test func `4 - an answer to reset that is no payment card's is refused with the reason`() async throws {
        let atr = "3B951381018073FF01000B"
        let rig = try await Rig(
            try CCIDClassDescriptor(bytes: Rig.qemuDescriptor),
            power(1, atr, select: "00") + reset(3, atr, select: "00") + status("63", 4, "01 00 01"))
        await #expect(throws: CCIDError.answerToReset(.waitingTimes(nil))) { try await rig.reader.powerOn() }
        await rig.expectDone()
    }

    @Test func `5 - a long silence without time extension is waited out`() async throws {
        let (rig, channel) = try await powered([block(3, Self.selectTPDU), "+ 9900", "<", answer(3, "9000")])
        #expect(try await channel.transmit(select).status == .success)
        #expect(rig.transport.readTimeouts.last == .milliseconds(100))
        await rig.expectDone()
    }

    @Test func `5 - without class requests a command is aborted by the message alone`() async throws {
        let (rig, channel) = try await powered(
            [block(3, Self.selectTPDU), "<! timedOut", "C! stalled 0400"] + status("72", 4))
        await #expect(throws: CardChannelError.timedOut) { try await channel.transmit(select) }
        await rig.expectDone()
    }

    @Test func `6 - a card that was pulled and put back is gone, though the status calls it active`() async throws {
        let (rig, channel) = try await powered(
            ["N 5002", "N 5003"] + status("65", 3, "00 00 00") + status("65", 4, "00 00 00"), interrupt: true)
        #expect(try await rig.reader.cardStatus() == .active)
        await #expect(throws: CardChannelError.cardRemoved) { try await channel.transmit(select) }
        #expect(try await rig.reader.waitForCard(present: false, timeout: .seconds(1)))
        await rig.expectDone()
    }
}
