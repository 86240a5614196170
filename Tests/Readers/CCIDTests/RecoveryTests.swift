import CCID
import Determinism
import SmartCard
import Testing
import USB

/// What happens when a command does not end well: the reader is idle again, or known to be gone.
@Suite struct RecoveryTests {
    private static let select = CommandAPDU(0x00, 0xA4, 0x04, 0x00, le: 0)
    private static let selectTPDU = "00A4040000"

    private func powered(_ script: [String], interrupt: Bool = false) async throws -> (Rig, CCIDCardChannel) {
        let rig = try await Rig(.tpdu, interrupt: interrupt, readyForT0 + script)
        return (rig, try await rig.reader.powerOn())
    }

    @Test func `canceling a command leaves the reader idle, and only then returns`() async throws {
        let (rig, channel) = try await powered(
            [
                block(4, Self.selectTPDU), "<~", "C 0500", "> 72 00000000 00 05 000000",
                // The aborted command's own answer comes first.
                "< 80 00000000 00 04 40 FF 00", "< 81 00000000 00 05 00 00 00",
            ] + status("63", 6, "01 00 01") + status("65", 7, "01 00 00"))
        let exchange = Task { try await channel.transmit(Self.select) }
        await rig.until { rig.transport.isHanging }
        exchange.cancel()
        await #expect(throws: CardChannelError.canceled) { try await exchange.value }
        #expect(rig.transport.remaining.count == 4)
        try await rig.reader.powerOff()
        #expect(try await rig.reader.cardStatus() == .inactive)
        await rig.expectDone()
    }

    @Test func `the card is powered off in a canceled task too`() async throws {
        let (rig, _) = try await powered(status("63", 4, "01 00 01"))
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            try await rig.reader.powerOff()
        }
        task.cancel()
        try await task.value
        await rig.expectDone()
    }

    @Test func `a command of a canceled task is not sent, and the session stays usable`() async throws {
        let (rig, channel) = try await powered([block(4, Self.selectTPDU), answer(4, "9000")])
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await channel.transmit(Self.select)
        }
        task.cancel()
        await #expect(throws: CardChannelError.canceled) { try await task.value }
        #expect(try await channel.transmit(Self.select).status == .success)
        await rig.expectDone()
    }

    @Test func `a command without an answer is aborted, and the card's session ends`() async throws {
        let (rig, channel) = try await powered([block(4, Self.selectTPDU), "<! timedOut"] + abort(5))
        await #expect(throws: CardChannelError.timedOut) { try await channel.transmit(Self.select) }
        await #expect(
            throws: CardChannelError.protocolViolation("an earlier exchange with the card failed: power it on again")
        ) { try await channel.transmit(Self.select) }
        await rig.expectDone()
    }

    @Test func `a card can be used again once it is powered again`() async throws {
        let again = status("65", 6) + status("63", 7, "01 00 00") + reset(8, TestATR.t0)
        let (rig, channel) = try await powered(
            [block(4, Self.selectTPDU), "<! timedOut"] + abort(5) + again + parameters(9, "00", "1100000A00") + [
                block(10, Self.selectTPDU), answer(10, "9000"),
            ])
        await #expect(throws: CardChannelError.timedOut) { try await channel.transmit(Self.select) }
        let second = try await rig.reader.powerOn()
        #expect(try await second.transmit(Self.select).status == .success)
        await #expect(
            throws: CardChannelError.protocolViolation("the card was powered off or reset since: power it on again")
        ) { try await channel.transmit(Self.select) }
        await rig.expectDone()
    }

    @Test func `a reader without the abort request is aborted by the message alone`() async throws {
        let rig = try await Rig(
            .tpdu,
            ["> 65 00000000 00 01 000000", "<! timedOut", "C! stalled 0200"] + status("72", 2) + status("65", 3))
        await #expect(throws: CCIDError.timedOut(.getSlotStatus)) { try await rig.reader.cardStatus() }
        #expect(try await rig.reader.cardStatus() == .active)
        await rig.expectDone()
    }

    @Test func `an abort message that stalls is sent again with the number of its request`() async throws {
        let rig = try await Rig(
            .tpdu,
            [
                "> 65 00000000 00 01 000000", "<! timedOut", "C 0200", ">! stalled 72 00000000 00 02 000000", "H 03",
                "> 72 00000000 00 02 000000", "<! stalled", "H 82", "<", "< 81 00000000 00 02 01 00 00",
            ])
        await #expect(throws: CCIDError.timedOut(.getSlotStatus)) { try await rig.reader.cardStatus() }
        await rig.expectDone()
    }

    @Test func `a reader that ignores an abort is reset, and its card must be powered again`() async throws {
        let (rig, channel) = try await powered(
            [
                block(4, Self.selectTPDU), "<! timedOut", "C 0500", "> 72 00000000 00 05 000000", "<! timedOut",
                "> 63 00000000 00 06 000000", "<! timedOut", "R",
            ] + status("65", 7, "01 00 00") + status("65", 8, "01 00 00"))
        await #expect(throws: CardChannelError.timedOut) { try await channel.transmit(Self.select) }
        await #expect(throws: CardChannelError.self) { try await channel.transmit(Self.select) }
        #expect(try await rig.reader.cardStatus() == .inactive)
        #expect(
            rig.recovery.steps == [.abort(slot: 0), .slotPowerOff(slot: 0), .deviceReset, .recovered])
        await rig.expectDone()
    }

    // Linux ends the read of the interrupt endpoint with -ESHUTDOWN when a device is reset.
    @Test func `a reader that is reset during a read of notifications is not gone, and is read again`() async throws {
        let (rig, channel) = try await powered(
            [
                block(4, Self.selectTPDU), "<! timedOut", "C 0500", "> 72 00000000 00 05 000000", "<! timedOut",
                "> 63 00000000 00 06 000000", "<! timedOut", "R",
            ] + status("65", 7, "01 00 00") + status("65", 8, "01 00 00"), interrupt: true)
        await #expect(throws: CardChannelError.timedOut) { try await channel.transmit(Self.select) }
        await rig.until { rig.transport.isListening }
        #expect(try await rig.reader.cardStatus() == .inactive)
        #expect(rig.recovery.steps.last == .recovered)
        await rig.expectDone()
    }

    @Test func `a reader that ignores an abort may react to power off`() async throws {
        let (rig, channel) = try await powered(
            [block(4, Self.selectTPDU), "<! timedOut", "C 0500", "> 72 00000000 00 05 000000", "<! timedOut"]
                + status("63", 6, "01 00 01") + status("65", 7, "01 00 00"))
        await #expect(throws: CardChannelError.timedOut) { try await channel.transmit(Self.select) }
        await #expect(
            throws: CardChannelError.protocolViolation("the card was powered off or reset since: power it on again")
        ) { try await channel.transmit(Self.select) }
        #expect(try await rig.reader.cardStatus() == .inactive)
        #expect(rig.recovery.steps == [.abort(slot: 0), .slotPowerOff(slot: 0), .recovered])
        await rig.expectDone()
    }

    @Test func `a reader that hangs in the middle of an abort is reset`() async throws {
        let (rig, channel) = try await powered(
            [block(4, Self.selectTPDU), "<! timedOut", "C 0500", "> 72 00000000 00 05 000000", "<! timedOut"]
                + status("63", 6, "40 FF 00") + ["R"] + status("65", 7, "01 00 00"))
        await #expect(throws: CardChannelError.timedOut) { try await channel.transmit(Self.select) }
        #expect(
            rig.recovery.steps == [.abort(slot: 0), .slotPowerOff(slot: 0), .deviceReset, .recovered])
        await rig.expectDone()
    }

    @Test func `a reader without answers after a reset is dead, after a limited time`() async throws {
        let (rig, channel) = try await powered([
            block(4, Self.selectTPDU), "<! timedOut", "C 0500", "> 72 00000000 00 05 000000", "<! timedOut",
            "> 63 00000000 00 06 000000", "<! timedOut", "R", "> 65 00000000 00 07 000000", "<! timedOut",
        ])
        let start = rig.time.now()
        await #expect(throws: CardChannelError.timedOut) { try await channel.transmit(Self.select) }
        // The card's time to answer, then 2 s each for abort and power off, 10 s for the status.
        #expect(rig.time.now() <= start.advanced(by: .seconds(10 + 2 + 2 + 10)))
        #expect(rig.recovery.steps == [.abort(slot: 0), .slotPowerOff(slot: 0), .deviceReset, .dead])
        await #expect(throws: CardChannelError.readerUnavailable(CCIDError.readerDead.description)) {
            try await channel.transmit(Self.select)
        }
        await #expect(throws: CCIDError.readerDead) { try await rig.reader.cardStatus() }
        await rig.expectDone()
    }

    @Test func `a confirmed cancellation is not a recovery`() async throws {
        let (rig, channel) = try await powered([block(4, Self.selectTPDU), "<~"] + abort(5))
        let exchange = Task { try await channel.transmit(Self.select) }
        await rig.until { rig.transport.isHanging }
        exchange.cancel()
        await #expect(throws: CardChannelError.canceled) { try await exchange.value }
        #expect(rig.recovery.steps == [])
        await rig.expectDone()
    }

    @Test func `a hardware error without a command powers its slot off`() async throws {
        let (rig, channel) = try await powered(status("63", 4, "01 00 01"), interrupt: true)
        rig.transport.notify(.success(hex("51000001")))
        await rig.until { rig.recovery.steps == [.slotPowerOff(slot: 0), .recovered] }
        await #expect(throws: CardChannelError.self) { try await channel.transmit(Self.select) }
        await rig.expectDone()
    }

    @Test func `a hardware error of one slot is handled during a command of another`() async throws {
        var descriptor = CCIDClassDescriptor(level: .tpdu)
        descriptor.maximumSlotIndex = 1
        let rig = try await Rig(
            descriptor, interrupt: true,
            power(1, TestATR.t0, slot: 1) + parameters(3, "00", "1100000A00", slot: 1) + [
                "> 65 00000000 00 04 000000", "N 51010001", "< 81 00000000 00 04 02 00 00",
            ] + status("63", 5, "01 00 01", slot: 1))
        let channel = try await rig.reader.powerOn(slot: 1)
        #expect(try await rig.reader.cardStatus(slot: 0) == .absent)
        await rig.until { rig.recovery.steps == [.slotPowerOff(slot: 1), .recovered] }
        await #expect(throws: CardChannelError.self) { try await channel.transmit(Self.select) }
        await rig.expectDone()
    }

    @Test func `a reader that does not come back from a reset is gone`() async throws {
        let (rig, channel) = try await powered([
            block(4, Self.selectTPDU), "<! timedOut", "C! timedOut 0500", ">! timedOut 72 00000000 00 05 000000",
            ">! timedOut 63 00000000 00 06 000000", "R!",
        ])
        await #expect(throws: CardChannelError.timedOut) { try await channel.transmit(Self.select) }
        await #expect(throws: CardChannelError.readerUnavailable(CCIDError.readerGone.description)) {
            try await channel.transmit(Self.select)
        }
        await #expect(throws: CCIDError.readerGone) { try await rig.reader.cardStatus() }
        await rig.expectDone()
    }

    @Test func `an unplugged reader is gone at once`() async throws {
        let (rig, channel) = try await powered([block(4, Self.selectTPDU), "<! disconnected"])
        await #expect(throws: CardChannelError.readerUnavailable(CCIDError.readerGone.description)) {
            try await channel.transmit(Self.select)
        }
        await #expect(throws: CCIDError.readerGone) { try await rig.reader.powerOn() }
        await rig.expectDone()
    }

    @Test func `an unplugged idle reader is detected`() async throws {
        let rig = try await Rig(
            CCIDClassDescriptor(level: .tpdu), interrupt: true, clock: StandingClock(), status("65", 1, "02 00 00"))
        let wait = Task { try await rig.reader.waitForCard(present: true, timeout: .seconds(3600)) }
        await rig.until { rig.transport.remaining.isEmpty }
        // The read, and the one that is tried after it.
        for _ in 0..<2 { rig.transport.notify(.failure(.disconnected)) }
        await #expect(throws: CCIDError.readerGone) { try await wait.value }
        await #expect(throws: CCIDError.readerGone) { try await rig.reader.cardStatus() }
        await rig.expectDone()
    }

    @Test func `closing powers the card off and closes the device`() async throws {
        let (rig, channel) = try await powered(status("63", 4, "01 00 01"), interrupt: true)
        await rig.reader.close()
        #expect(rig.transport.closings == 1)
        await rig.reader.close()
        #expect(rig.transport.closings == 1)
        await #expect(throws: CCIDError.closed) { try await rig.reader.cardStatus() }
        await #expect(throws: CardChannelError.readerUnavailable(CCIDError.closed.description)) {
            try await channel.transmit(Self.select)
        }
        await rig.expectDone()
    }

    // Another program may reset the device, or the machine may end a suspend that no clock shows.
    @Test func `a reader that answers after a failed read of notifications is not gone`() async throws {
        let rig = try await Rig(
            CCIDClassDescriptor(level: .tpdu), interrupt: true,
            status("65", 1, "02 00 00") + status("65", 2, "02 00 00"))
        for _ in 0..<2 {
            rig.transport.notify(.failure(.disconnected))
            await rig.until { rig.transport.isListening }
            #expect(try await rig.reader.cardStatus() == .absent)
        }
        await rig.expectDone()
    }

    @Test func `closing waits for a running command, and then powers the card off`() async throws {
        let rig = try await Rig(
            CCIDClassDescriptor(level: .tpdu), clock: StandingClock(),
            readyForT0 + [block(4, Self.selectTPDU), "<~"] + status("63", 5, "01 00 01"))
        let channel = try await rig.reader.powerOn()
        let exchange = Task { try await channel.transmit(Self.select) }
        await rig.until { rig.transport.isHanging }
        let close = Task { await rig.reader.close() }
        for _ in 0..<100 { await Task.yield() }
        #expect(rig.transport.closings == 0)
        rig.transport.answer(hex("80 02000000 00 04 00 00 00 9000"))
        #expect(try await exchange.value.status == .success)
        await close.value
        #expect(rig.transport.closings == 1)
        await rig.expectDone()
    }

    @Test func `close returns when the reader is closed, also for concurrent calls`() async throws {
        let rig = try await Rig(.tpdu, readyForT0 + ["> 63 00000000 00 04 000000", "<~"])
        _ = try await rig.reader.powerOn()
        let first = Task { await rig.reader.close() }
        await rig.until { rig.transport.isHanging }
        let second = Task { await rig.reader.close() }
        for _ in 0..<100 { await Task.yield() }
        // The card is being switched off for the first one: the device is not taken away meanwhile.
        #expect(rig.transport.closings == 0)
        rig.transport.answer(hex("81 00000000 00 04 01 00 01"))
        await second.value
        #expect(rig.transport.closings == 1)
        await first.value
        #expect(rig.transport.closings == 1)
        await rig.expectDone()
    }

    @Test func `closing ends a running command that does not end by itself`() async throws {
        let (rig, channel) = try await powered([block(4, Self.selectTPDU), "<~"])
        let exchange = Task { try await channel.transmit(Self.select) }
        await rig.until { rig.transport.isHanging }
        await rig.reader.close()
        await #expect(throws: CardChannelError.readerUnavailable(CCIDError.closed.description)) {
            try await exchange.value
        }
        await rig.expectDone()
    }

    @Test func `data left by an earlier program is ignored`() async throws {
        let rig = try await Rig(
            CCIDClassDescriptor(level: .tpdu),
            opening: [
                "> 65 00000000 00 00 000000", "< 80 02000000 00 2A 00 00 00 9000", "< 80 01", "<! stalled", "H 82", "<",
                "< 81 00000000 00 00 00 00 00",
            ], status("65", 1))
        #expect(try await rig.reader.cardStatus() == .active)
        await rig.expectDone()
    }

    @Test func `a reader that is still busy with an earlier program's command is aborted`() async throws {
        let rig = try await Rig(
            CCIDClassDescriptor(level: .tpdu),
            opening: ["> 65 00000000 00 00 000000", "<! timedOut"] + abort(1), status("65", 2))
        #expect(try await rig.reader.cardStatus() == .active)
        await rig.expectDone()
    }

    @Test func `a reader that never answers is closed and not opened`() async throws {
        let time = VirtualTimeSource()
        let transport = ScriptedTransport(Rig.device(Rig.qemuDescriptor), time)
        transport.append([
            "> 65 00000000 00 00 000000", "<! timedOut", "C 0100", "> 72 00000000 00 01 000000", "<! timedOut",
            "> 63 00000000 00 02 000000", "<! timedOut", "R", "> 65 00000000 00 03 000000", "<! timedOut",
        ])
        await #expect(throws: CCIDError.readerDead) {
            try await CCIDReader.open(transport.device, on: ScriptedBus(transport: transport), time: time)
        }
        #expect(transport.closings == 1)
        #expect(transport.problems == [])
    }

    @Test func `a device that is not a reader is closed and not opened`() async throws {
        let time = VirtualTimeSource()
        let transport = ScriptedTransport(Rig.device([0x02, 0x21]), time)
        await #expect(throws: CCIDError.descriptor(.wrongLength(2))) {
            try await CCIDReader.open(transport.device, on: ScriptedBus(transport: transport), time: time)
        }
        #expect(transport.closings == 1)
        #expect(transport.claimed == [])
    }
}
