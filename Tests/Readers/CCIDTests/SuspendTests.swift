import CCID
import Determinism
import SmartCard
import Testing
import USB

/// The machine sleeps while a reader is open.
@Suite struct SuspendTests {
    private static let select = CommandAPDU(0x00, 0xA4, 0x04, 0x00, le: 0)
    private static let selectTPDU = "00A4040000"

    @Test func `after a suspend no channel is used, and the reader is made idle first`() async throws {
        let clock = SleepingClock()
        let rig = try await Rig(
            CCIDClassDescriptor(level: .tpdu), clock: clock,
            readyForT0 + ["H 03", "H 82"] + status("65", 4, "01 00 00") + power(5, TestATR.t0)
                + parameters(7, "00", "1100000A00") + [block(8, Self.selectTPDU), answer(8, "9000")])
        let channel = try await rig.reader.powerOn()
        clock.suspend(for: .seconds(3600))
        await #expect(throws: CardChannelError.readerUnavailable(CCIDError.suspended.description)) {
            try await channel.transmit(Self.select)
        }
        await #expect(throws: CardChannelError.self) { try await channel.transmit(Self.select) }
        let second = try await rig.reader.powerOn()
        #expect(try await second.transmit(Self.select).status == .success)
        await rig.expectDone()
    }

    @Test func `a card that is powered after a suspend is activated completely`() async throws {
        let clock = SleepingClock()
        let rig = try await Rig(
            CCIDClassDescriptor(level: .tpdu), clock: clock,
            ["H 03", "H 82"] + status("65", 1, "01 00 00") + power(2, TestATR.t0) + parameters(4, "00", "1100000A00"))
        clock.suspend(for: .seconds(1))
        _ = try await rig.reader.powerOn()
        await rig.expectDone()
    }

    @Test func `a transfer lost by the suspend is recovered like any other`() async throws {
        let clock = SleepingClock()
        let rig = try await Rig(
            CCIDClassDescriptor(level: .tpdu), clock: clock,
            ["H 03", "H 82", "> 65 00000000 00 01 000000", "<! timedOut"] + abort(2) + status("65", 3, "02 00 00"))
        clock.suspend(for: .seconds(1))
        #expect(try await rig.reader.cardStatus() == .absent)
        #expect(rig.recovery.steps == [.abort(slot: 0), .recovered])
        await rig.expectDone()
    }

    @Test func `a card that was removed during the suspend is reported`() async throws {
        let clock = SleepingClock()
        let rig = try await Rig(
            CCIDClassDescriptor(level: .tpdu), clock: clock,
            readyForT0 + ["H 03", "H 82"] + status("65", 4, "02 00 00") + status("65", 5, "01 00 00"))
        _ = try await rig.reader.powerOn()
        clock.suspend(for: .seconds(60))
        // Another card is there at the next query.
        #expect(try await rig.reader.waitForCard(present: false, timeout: .zero))
        await rig.expectDone()
    }

    @Test func `a device that does not return from the suspend is gone`() async throws {
        let clock = SleepingClock()
        let rig = try await Rig(
            CCIDClassDescriptor(level: .tpdu), clock: clock,
            ["H 03", "H 82", ">! disconnected 65 00000000 00 01 000000"])
        clock.suspend(for: .seconds(60))
        await #expect(throws: CCIDError.readerGone) { try await rig.reader.cardStatus() }
        await rig.expectDone()
    }

    // Linux ends the read of the interrupt endpoint with -ESHUTDOWN when a device is suspended.
    @Test func `a read of notifications during the suspend does not lose the reader`() async throws {
        let clock = SleepingClock()
        let rig = try await Rig(
            CCIDClassDescriptor(level: .tpdu), interrupt: true, clock: clock,
            ["H 03", "H 82"] + status("65", 1, "01 00 00") + status("65", 2, "01 00 00"))
        // There are no commands in between.
        for _ in 0..<3 {
            clock.suspend(for: .seconds(3600))
            rig.transport.notify(.failure(.disconnected))
            await rig.until { rig.transport.isListening }
        }
        #expect(try await rig.reader.cardStatus() == .inactive)
        await rig.expectDone()
    }

    @Test func `notifications are read again after a reset following a suspend`() async throws {
        let clock = SleepingClock()
        let quirks = ReaderQuirkTable(rules: [
            ReaderQuirkRule("", vendorID: 0x08E6, productID: 0x4433, [.noAutosuspend], source: "")
        ])
        let rig = try await Rig(
            CCIDClassDescriptor(level: .tpdu), interrupt: true, clock: clock, quirks: quirks,
            opening: ["R", "> 65 00000000 00 00 000000", "< 81 00000000 00 00 01 00 00"],
            ["H 03", "H 82", "R"] + status("65", 1, "01 00 00") + status("65", 2, "01 00 00"))
        clock.suspend(for: .seconds(3600))
        #expect(try await rig.reader.cardStatus() == .inactive)
        await rig.until { rig.transport.isListening }
        await rig.expectDone()
    }

    @Test func `the difference of two clocks alone is not a suspend`() async throws {
        let clock = SleepingClock()
        let rig = try await Rig(
            CCIDClassDescriptor(level: .tpdu), clock: clock,
            readyForT0 + [block(4, Self.selectTPDU), answer(4, "9000")])
        let channel = try await rig.reader.powerOn()
        clock.suspend(for: .milliseconds(100))
        #expect(try await channel.transmit(Self.select).status == .success)
        await rig.expectDone()
    }

    @Test func `the machine's own clock shows its suspend`() {
        let time = SystemTimeSource()
        let asleep = time.timeAsleep()
        #expect(asleep >= .zero)
        #expect(asleep <= time.reading())
    }
}
