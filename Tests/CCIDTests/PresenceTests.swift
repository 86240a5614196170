import CCID
import Determinism
import SmartCard
import Testing

/// Cards that come and go.
@Suite struct PresenceTests {
    private static let record = CommandAPDU(0x00, 0xB2, 0x01, 0x0C, le: 0)
    private static let recordTPDU = "00B2010C00"

    @Test func `a reader that does not notify is looked at now and then`() async throws {
        let rig = try await Rig(
            .tpdu, status("65", 1, "02 00 00") + status("65", 2, "02 00 00") + status("65", 3, "01 00 00"))
        let start = rig.time.now()
        #expect(try await rig.reader.waitForCard(present: true, timeout: .seconds(30)))
        #expect(rig.time.now() == start.advanced(by: .milliseconds(500)))
        await rig.expectDone()
    }

    @Test func `a card that does not come ends the wait, and so does one that stays`() async throws {
        let rig = try await Rig(
            .tpdu,
            status("65", 1, "02 00 00") + status("65", 2, "02 00 00") + status("65", 3, "02 00 00")
                + status("65", 4, "00 00 00"))
        #expect(try await !rig.reader.waitForCard(present: true, timeout: .milliseconds(400)))
        #expect(try await !rig.reader.waitForCard(present: false, timeout: .zero))
        await rig.expectDone()
    }

    @Test func `a wait ends with its task`() async throws {
        let rig = try await Rig(.tpdu, ["> 65 00000000 00 01 000000", "<~"] + abort(2))
        let wait = Task { try await rig.reader.waitForCard(present: true, timeout: .seconds(30)) }
        await rig.until { rig.transport.isHanging }
        wait.cancel()
        await #expect(throws: CCIDError.cancelled) { try await wait.value }
        await rig.expectDone()
    }

    @Test func `a notice ends the wait at once`() async throws {
        let rig = try await Rig(
            CCIDClassDescriptor(level: .tpdu), interrupt: true, clock: StandingClock(),
            status("65", 1, "02 00 00") + status("65", 2, "01 00 00") + status("65", 3, "01 00 00")
                + status("65", 4, "02 00 00"))
        let arrival = Task { try await rig.reader.waitForCard(present: true, timeout: .seconds(3600)) }
        await rig.until { rig.transport.remaining.count == 6 }
        rig.transport.notify(.success(hex("5003")))
        #expect(try await arrival.value)
        let departure = Task { try await rig.reader.waitForCard(present: false, timeout: .seconds(3600)) }
        await rig.until { rig.transport.remaining.count == 2 }
        rig.transport.notify(.success(hex("5002")))
        #expect(try await departure.value)
        await rig.expectDone()
    }

    @Test func `a notice that overtakes an answer is not missed`() async throws {
        let rig = try await Rig(
            CCIDClassDescriptor(level: .tpdu), interrupt: true, clock: StandingClock(),
            ["> 65 00000000 00 01 000000", "N 5003", "< 81 00000000 00 01 02 00 00"] + status("65", 2, "01 00 00"))
        #expect(try await rig.reader.waitForCard(present: true, timeout: .seconds(3600)))
        await rig.expectDone()
    }

    @Test func `a wait between two looks ends with its task`() async throws {
        let rig = try await Rig(
            CCIDClassDescriptor(level: .tpdu), clock: StandingClock(), status("65", 1, "02 00 00"))
        let wait = Task { try await rig.reader.waitForCard(present: true, timeout: .seconds(3600)) }
        await rig.until { rig.transport.remaining.isEmpty }
        wait.cancel()
        await #expect(throws: CCIDError.cancelled) { try await wait.value }
        await rig.expectDone()
    }

    @Test func `a failed status of an empty slot is an empty slot`() async throws {
        let rig = try await Rig(.tpdu, status("65", 1, "42 FE 00"))
        #expect(try await rig.reader.cardStatus() == .absent)
        await rig.expectDone()
    }

    @Test func `a card pulled during an exchange is removed, though the reader only calls it mute`() async throws {
        let rig = try await Rig(
            .tpdu, interrupt: true,
            readyForT0 + [block(4, Self.recordTPDU), "N 5002", answer(4, "", "41 FE 00")])
        let channel = try await rig.reader.powerOn()
        await #expect(throws: CardChannelError.cardRemoved) { try await channel.transmit(Self.record) }
        await rig.expectDone()
    }

    @Test func `a card pulled during an exchange that gets no answer is removed`() async throws {
        let rig = try await Rig(
            .tpdu, interrupt: true,
            readyForT0 + [block(4, Self.recordTPDU), "N 5002", "<! timedOut"] + abort(5))
        let channel = try await rig.reader.powerOn()
        await #expect(throws: CardChannelError.cardRemoved) { try await channel.transmit(Self.record) }
        await #expect(throws: CardChannelError.cardRemoved) { try await channel.transmit(Self.record) }
        await rig.expectDone()
    }

    @Test func `the notice of the card that is already powered changes nothing`() async throws {
        let rig = try await Rig(
            .tpdu, interrupt: true, readyForT0 + ["N 5003", block(4, Self.recordTPDU), answer(4, "9000")])
        let channel = try await rig.reader.powerOn()
        #expect(try await channel.transmit(Self.record).status == .success)
        await rig.expectDone()
    }

    @Test func `a card that was out between two notices is another card`() async throws {
        let rig = try await Rig(
            .tpdu, interrupt: true,
            ["N 5003"] + readyForT0 + ["N 5003"] + status("65", 4) + status("65", 5))
        let channel = try await rig.reader.powerOn()
        #expect(try await rig.reader.cardStatus() == .active)
        await #expect(throws: CardChannelError.cardRemoved) { try await channel.transmit(Self.record) }
        #expect(try await rig.reader.waitForCard(present: false, timeout: .seconds(1)))
        await rig.expectDone()
    }

    @Test func `notices of other things are passed over, and a stalled endpoint is used again`() async throws {
        let rig = try await Rig(
            .tpdu, interrupt: true,
            ["N 60FF", "N 50", "N! stalled", "N 51FF0001", "N! other", "N 5003"] + status("65", 1, "01 00 00"))
        #expect(try await rig.reader.cardStatus() == .inactive)
        await rig.expectDone()
    }
}
