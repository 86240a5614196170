import CCID
import SmartCard
import Testing
import USB

/// One command and its answer, with all that may come in between.
@Suite struct ExchangeTests {
    private static let select = CommandAPDU(0x00, 0xA4, 0x04, 0x00, le: 0)
    private static let selectTPDU = "00A4040000"

    /// A rig whose card is powered at TPDU level in T=0; the next sequence number is 4.
    private func powered(_ script: [String], interrupt: Bool = false) async throws -> (Rig, CCIDCardChannel) {
        let rig = try await Rig(.tpdu, interrupt: interrupt, readyForT0 + script)
        return (rig, try await rig.reader.powerOn())
    }

    @Test func `a command and its answer are one message each`() async throws {
        let (rig, channel) = try await powered([block(4, Self.selectTPDU), answer(4, "6F009000")])
        #expect(try await channel.transmit(Self.select).bytes == hex("6F009000"))
        #expect(rig.transport.claimed == [0])
        await rig.expectDone()
    }

    @Test func `sequence numbers wrap around after 255`() async throws {
        var script: [String] = []
        for number in 1...300 { script += status("65", number & 0xFF) }
        let rig = try await Rig(.tpdu, script)
        for _ in 1...300 { #expect(try await rig.reader.cardStatus() == .active) }
        await rig.expectDone()
    }

    @Test func `an empty transfer is never an answer and does not extend the timeout`() async throws {
        let (rig, channel) = try await powered([
            block(4, Self.selectTPDU), "+ 4000", "<", "<", answer(4, "9000"),
        ])
        #expect(try await channel.transmit(Self.select).status == .success)
        #expect(rig.transport.readTimeouts.suffix(3) == [.seconds(10), .seconds(6), .seconds(6)])
        await rig.expectDone()
    }

    @Test func `endless empty transfers time out`() async throws {
        let rig = try await Rig(
            .tpdu, ["> 65 00000000 00 01 000000"] + Array(repeating: "<", count: 17) + abort(2))
        await #expect(throws: CCIDError.noEnd(.getSlotStatus)) { try await rig.reader.cardStatus() }
        await rig.expectDone()
    }

    @Test func `an outdated answer is dropped`() async throws {
        let rig = try await Rig(
            .tpdu,
            [
                "> 65 00000000 00 01 000000", "< 80 02000000 00 F0 00 00 00 9000", "< 81 00000000 00 00 02 00 00",
                "< 81 00000000 00 01 01 00 00",
            ])
        #expect(try await rig.reader.cardStatus() == .inactive)
        await rig.expectDone()
    }

    @Test func `endless outdated answers time out`() async throws {
        let rig = try await Rig(
            .tpdu,
            ["> 65 00000000 00 01 000000"] + Array(repeating: "< 81 00000000 00 00 02 00 00", count: 17) + abort(2))
        await #expect(throws: CCIDError.noEnd(.getSlotStatus)) { try await rig.reader.cardStatus() }
        await rig.expectDone()
    }

    @Test(arguments: [
        ("< 80 00000000 00 01 00 00 00", CCIDError.unexpectedAnswer(command: .getSlotStatus, answer: .dataBlock)),
        ("< 81 00000000 00 01 00 00", .message(.tooShort(9))),
        ("< 81 01000000 00 01 00 00 00", .message(.wrongLength(claimed: 1, actual: 0))),
        ("< 81 FFFFFFFF 00 01 00 00 00", .message(.wrongLength(claimed: 0xFFFF_FFFF, actual: 0))),
        ("< 81 00000000 00 01 00 00 00 90", .message(.wrongLength(claimed: 0, actual: 1))),
        ("< FF 00000000 00 01 00 00 00", .message(.unknownType(0xFF))),
        ("< 81 00000000 00 01 03 00 00", .message(.invalidField(name: "bmICCStatus", offset: 7, value: 0x03))),
        ("< 81 00000000 00 01 C0 00 00", .message(.invalidField(name: "bmCommandStatus", offset: 7, value: 0xC0))),
        ("<! overflow", .usb(.overflow)),
    ]) func `after a wrong answer the reader is made idle`(
        line: String, error: CCIDError
    ) async throws {
        let rig = try await Rig(
            .tpdu, ["> 65 00000000 00 01 000000", line] + abort(2) + status("65", 3, "02 00 00"))
        await #expect(throws: error) { try await rig.reader.cardStatus() }
        #expect(try await rig.reader.cardStatus() == .absent)
        await rig.expectDone()
    }

    @Test func `a failed command may be answered by a slot status`() async throws {
        let (rig, channel) = try await powered([
            block(4, Self.selectTPDU), "< 81 00000000 00 04 40 E0 00",
        ])
        await #expect(
            throws: CardChannelError.protocolViolation(CCIDError.failed(.transferBlock, .slotBusy).description)
        ) { try await channel.transmit(Self.select) }
        await rig.expectDone()
    }

    @Test func `a time extension restarts the timeout, as often as the card requests it`() async throws {
        let (rig, channel) = try await powered([
            block(4, Self.selectTPDU), "+ 9000", "< 80 00000000 00 04 80 01 00", "+ 9000",
            "< 80 00000000 00 04 80 03 00", "< 80 00000000 00 04 80 00 00", answer(4, "9000"),
        ])
        #expect(try await channel.transmit(Self.select).status == .success)
        #expect(rig.transport.readTimeouts.suffix(4) == [.seconds(10), .seconds(10), .seconds(30), .seconds(10)])
        await rig.expectDone()
    }

    @Test func `time extensions are limited by the timeout of the whole command`() async throws {
        let extensions = Array(repeating: ["+ 25000", "< 80 00000000 00 04 80 FF 00"], count: 3).flatMap(\.self)
        let (rig, channel) = try await powered([block(4, Self.selectTPDU)] + extensions + abort(5))
        await #expect(throws: CardChannelError.timedOut) { try await channel.transmit(Self.select) }
        #expect(rig.transport.readTimeouts.dropLast().suffix(3) == [.seconds(10), .seconds(35), .seconds(10)])
        await rig.expectDone()
    }

    @Test func `time extensions without delay are limited too`() async throws {
        let extensions = Array(repeating: "< 80 00000000 00 04 80 01 00", count: 1_001)
        let (rig, channel) = try await powered([block(4, Self.selectTPDU)] + extensions + abort(5))
        await #expect(
            throws: CardChannelError.protocolViolation(CCIDError.noEnd(.transferBlock).description)
        ) { try await channel.transmit(Self.select) }
        await rig.expectDone()
    }

    @Test func `a stalled query is repeated once`() async throws {
        let rig = try await Rig(
            .tpdu,
            [
                ">! stalled 65 00000000 00 01 000000", "H 03", "> 65 00000000 00 02 000000",
                "< 81 00000000 00 02 01 00 00",
                "> 65 00000000 00 03 000000", "<! stalled", "H 82", "> 65 00000000 00 04 000000",
                "< 81 00000000 00 04 00 00 00",
            ])
        #expect(try await rig.reader.cardStatus() == .inactive)
        #expect(try await rig.reader.cardStatus() == .active)
        await rig.expectDone()
    }

    @Test func `a reader that rejects clearing a halt but works is still used`() async throws {
        let (rig, channel) = try await powered(
            [
                ">! stalled 65 00000000 00 04 000000", "H! 03", "> 65 00000000 00 05 000000", "<! stalled", "H! 82",
            ] + abort(6) + [block(7, Self.selectTPDU), answer(7, "9000")])
        await #expect(throws: CCIDError.usb(.stalled)) { try await rig.reader.cardStatus() }
        #expect(try await channel.transmit(Self.select).status == .success)
        await rig.expectDone()
    }

    @Test func `a query that stalls twice is an error`() async throws {
        let rig = try await Rig(
            .tpdu,
            [
                ">! stalled 65 00000000 00 01 000000", "H 03", ">! stalled 65 00000000 00 02 000000", "H 03",
            ] + abort(3))
        await #expect(throws: CCIDError.usb(.stalled)) { try await rig.reader.cardStatus() }
        await rig.expectDone()
    }

    @Test(arguments: [
        ([">! stalled 6F 05000000 00 04 000000 00A4040000", "H 03"]),
        (["> 6F 05000000 00 04 000000 00A4040000", "<! stalled", "H 82"]),
    ]) func `a stalled block is never sent twice`(stall: [String]) async throws {
        let (rig, channel) = try await powered(stall + abort(5))
        await #expect(throws: CardChannelError.readerUnavailable("the USB endpoint stalled")) {
            try await channel.transmit(Self.select)
        }
        await rig.expectDone()
    }

    @Test func `a hardware error notification during a command is its error, and the card's session ends`() async throws
    {
        let (rig, channel) = try await powered(
            [block(4, Self.selectTPDU), "N 51000401", answer(4, "9000")] + status("63", 5, "01 00 01"), interrupt: true)
        await #expect(
            throws: CardChannelError.readerUnavailable(CCIDError.hardwareFault(slot: 0, code: 1).description)
        ) { try await channel.transmit(Self.select) }
        await #expect(throws: CardChannelError.self) { try await channel.transmit(Self.select) }
        await rig.expectDone()
    }

    @Test func `slots are addressed by number, with one command at a time in the whole reader`() async throws {
        var descriptor = CCIDClassDescriptor(level: .tpdu)
        descriptor.maximumSlotIndex = 1
        descriptor.maximumBusySlots = 2
        let rig = try await Rig(
            descriptor,
            [
                "> 65 00000000 01 01 000000", "<~", "C 0201", "> 72 00000000 01 02 000000",
                "< 81 00000000 01 02 02 00 00", "> 65 00000000 00 03 000000", "< 81 00000000 00 03 00 00 00",
            ])
        let first = Task { try await rig.reader.cardStatus(slot: 1) }
        await rig.until { rig.transport.isHanging }
        let second = Task { try await rig.reader.cardStatus(slot: 0) }
        let third = Task { try await rig.reader.cardStatus(slot: 0) }
        third.cancel()
        await #expect(throws: CCIDError.canceled) { try await third.value }
        first.cancel()
        await #expect(throws: CCIDError.canceled) { try await first.value }
        #expect(try await second.value == .active)
        await #expect(throws: CCIDError.noSuchSlot(2)) { try await rig.reader.cardStatus(slot: 2) }
        await rig.expectDone()
    }
}
