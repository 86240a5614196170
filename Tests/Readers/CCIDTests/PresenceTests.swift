import CCID
import Determinism
import SmartCard
import Testing

/// Cards that come and go.
@Suite struct PresenceTests {
    private static let record = CommandAPDU(0x00, 0xB2, 0x01, 0x0C, le: 0)
    private static let recordTPDU = "00B2010C00"

    @Test func `a reader without notifications is polled`() async throws {
        let rig = try await Rig(
            .tpdu, status("65", 1, "02 00 00") + status("65", 2, "02 00 00") + status("65", 3, "01 00 00"))
        let start = rig.time.now()
        #expect(try await rig.reader.waitForCard(present: true, timeout: .seconds(30)))
        #expect(rig.time.now() == start.advanced(by: .milliseconds(500)))
        await rig.expectDone()
    }

    @Test func `a wait for insertion or removal times out`() async throws {
        let rig = try await Rig(
            .tpdu,
            status("65", 1, "02 00 00") + status("65", 2, "02 00 00") + status("65", 3, "02 00 00")
                + status("65", 4, "00 00 00"))
        #expect(try await !rig.reader.waitForCard(present: true, timeout: .milliseconds(400)))
        #expect(try await !rig.reader.waitForCard(present: false, timeout: .zero))
        await rig.expectDone()
    }

    @Test func `a wait ends when its task is canceled`() async throws {
        let rig = try await Rig(.tpdu, ["> 65 00000000 00 01 000000", "<~"] + abort(2))
        let wait = Task { try await rig.reader.waitForCard(present: true, timeout: .seconds(30)) }
        await rig.until { rig.transport.isHanging }
        wait.cancel()
        await #expect(throws: CCIDError.canceled) { try await wait.value }
        await rig.expectDone()
    }

    @Test func `a notification ends the wait at once`() async throws {
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

    @Test func `a notification before an answer is not missed`() async throws {
        let rig = try await Rig(
            CCIDClassDescriptor(level: .tpdu), interrupt: true, clock: StandingClock(),
            ["> 65 00000000 00 01 000000", "N 5003", "< 81 00000000 00 01 02 00 00"] + status("65", 2, "01 00 00"))
        #expect(try await rig.reader.waitForCard(present: true, timeout: .seconds(3600)))
        await rig.expectDone()
    }

    @Test func `a wait between two polls ends when its task is canceled`() async throws {
        let rig = try await Rig(
            CCIDClassDescriptor(level: .tpdu), clock: StandingClock(), status("65", 1, "02 00 00"))
        let wait = Task { try await rig.reader.waitForCard(present: true, timeout: .seconds(3600)) }
        await rig.until { rig.transport.remaining.isEmpty }
        wait.cancel()
        await #expect(throws: CCIDError.canceled) { try await wait.value }
        await rig.expectDone()
    }

    @Test func `a failed status of an empty slot is an empty slot`() async throws {
        let rig = try await Rig(.tpdu, status("65", 1, "42 FE 00"))
        #expect(try await rig.reader.cardStatus() == .absent)
        await rig.expectDone()
    }

    @Test func `a card removed during an exchange is reported as removed, even if the reader reports it as mute`()
        async throws
    {
        let rig = try await Rig(
            .tpdu, interrupt: true,
            readyForT0 + [block(4, Self.recordTPDU), "N 5002", answer(4, "", "41 FE 00")])
        let channel = try await rig.reader.powerOn()
        await #expect(throws: CardChannelError.cardRemoved) { try await channel.transmit(Self.record) }
        await rig.expectDone()
    }

    @Test func `a card removed during an unanswered exchange is reported as removed`() async throws {
        let rig = try await Rig(
            .tpdu, interrupt: true,
            readyForT0 + [block(4, Self.recordTPDU), "N 5002", "<! timedOut", "C 0500"] + status("72", 5, "02 00 00"))
        let channel = try await rig.reader.powerOn()
        await #expect(throws: CardChannelError.cardRemoved) { try await channel.transmit(Self.record) }
        await #expect(throws: CardChannelError.cardRemoved) { try await channel.transmit(Self.record) }
        await rig.expectDone()
    }

    // MARK: Notices that come late

    @Test(arguments: ["N 5002", "N 5003"])
    func `a notification from before the power-on does not remove a powered card`(notice: String) async throws {
        let rig = try await Rig(
            .tpdu, interrupt: true,
            ["N 5003"] + readyForT0 + [notice] + status("65", 4, "00 00 00")
                + [block(5, Self.recordTPDU), answer(5, "9000"), block(6, Self.recordTPDU), answer(6, "9000")])
        let channel = try await rig.reader.powerOn()
        #expect(try await rig.reader.cardStatus() == .active)
        for _ in 0..<2 { #expect(try await channel.transmit(Self.record).status == .success) }
        await rig.expectDone()
    }

    @Test func `before the next command the status of a doubtful card is queried`() async throws {
        let rig = try await Rig(
            CCIDClassDescriptor(level: .tpdu), interrupt: true, clock: StandingClock(),
            readyForT0 + status("65", 4, "00 00 00") + [block(5, Self.recordTPDU), answer(5, "9000")])
        let channel = try await rig.reader.powerOn()
        rig.transport.notify(.success(hex("5002")))
        await rig.until { rig.transport.isListening }
        #expect(try await channel.transmit(Self.record).status == .success)
        await rig.expectDone()
    }

    @Test func `a doubtful card whose status cannot be queried counts as removed`() async throws {
        let rig = try await Rig(
            .tpdu, interrupt: true,
            readyForT0 + ["> 65 00000000 00 04 000000", "N 5002", "<! other", "C 0500"] + status("72", 5, "01 00 00"))
        let channel = try await rig.reader.powerOn()
        await #expect(throws: CCIDError.self) { try await rig.reader.cardStatus() }
        await #expect(throws: CardChannelError.cardRemoved) { try await channel.transmit(Self.record) }
        await rig.expectDone()
    }

    @Test func `a card that lost its power was removed`() async throws {
        let rig = try await Rig(
            CCIDClassDescriptor(level: .tpdu), interrupt: true, clock: StandingClock(),
            readyForT0 + status("65", 4, "01 00 00"))
        let channel = try await rig.reader.powerOn()
        rig.transport.notify(.success(hex("5002")))
        await rig.until { rig.transport.isListening }
        await #expect(throws: CardChannelError.cardRemoved) { try await channel.transmit(Self.record) }
        await rig.expectDone()
    }

    @Test func `a doubtful card is queried before it is powered off`() async throws {
        let rig = try await Rig(
            CCIDClassDescriptor(level: .tpdu), interrupt: true, clock: StandingClock(),
            readyForT0 + status("65", 4, "00 00 00") + status("63", 5, "01 00 01") + status("65", 6, "01 00 00"))
        _ = try await rig.reader.powerOn()
        rig.transport.notify(.success(hex("5002")))
        await rig.until { rig.transport.isListening }
        try await rig.reader.powerOff()
        #expect(try await !rig.reader.waitForCard(present: false, timeout: .zero))
        await rig.expectDone()
    }

    @Test func `notifications during power-on are older than the card's ATR`() async throws {
        let rig = try await Rig(
            .tpdu, interrupt: true,
            ["N 5003"] + status("65", 1, "01 00 00")
                + ["> 62 00000000 00 02 010000", "N 5002", "N 5003", answer(2, TestATR.t0)]
                + parameters(3, "00", "1100000A00") + [block(4, Self.recordTPDU), answer(4, "9000")])
        let channel = try await rig.reader.powerOn()
        #expect(try await channel.transmit(Self.record).status == .success)
        await rig.expectDone()
    }

    @Test func `the notification of a reader that powers cards by itself counts if an answer confirmed it`()
        async throws
    {
        // The first card is removed, which an answer reports before the notification; the second one is powered
        // meanwhile.
        let features: CCIDFeatures = [.automaticActivation]
        let rig = try await Rig(
            .tpdu, features: features, interrupt: true,
            ["N 5003"] + status("65", 1, "02 00 00") + power(2, TestATR.t0) + parameters(4, "00", "1100000A00")
                + ["N 5003", block(5, Self.recordTPDU), answer(5, "9000"), block(6, Self.recordTPDU), "N 5003"]
                + [answer(6, "9000")])
        #expect(try await rig.reader.cardStatus() == .absent)
        let channel = try await rig.reader.powerOn()
        #expect(try await channel.transmit(Self.record).status == .success)
        // The second notice is news: such a reader calls any card active.
        _ = try await channel.transmit(Self.record)
        await #expect(throws: CardChannelError.cardRemoved) { try await channel.transmit(Self.record) }
        await rig.expectDone()
    }

    @Test func `the notification of an already powered card changes nothing`() async throws {
        let rig = try await Rig(
            .tpdu, interrupt: true, readyForT0 + ["N 5003", block(4, Self.recordTPDU), answer(4, "9000")])
        let channel = try await rig.reader.powerOn()
        #expect(try await channel.transmit(Self.record).status == .success)
        await rig.expectDone()
    }

    @Test func `a card that was removed between two notifications is a new card`() async throws {
        let rig = try await Rig(
            .tpdu, interrupt: true,
            ["N 5003"] + readyForT0 + ["N 5003"] + status("65", 4, "01 00 00") + status("65", 5, "01 00 00"))
        let channel = try await rig.reader.powerOn()
        #expect(try await rig.reader.cardStatus() == .inactive)
        await #expect(throws: CardChannelError.cardRemoved) { try await channel.transmit(Self.record) }
        #expect(try await rig.reader.waitForCard(present: false, timeout: .seconds(1)))
        await rig.expectDone()
    }

    @Test func `other notifications are ignored, and a stalled endpoint is used again`() async throws {
        let rig = try await Rig(
            .tpdu, interrupt: true,
            ["N 60FF", "N 50", "N! stalled", "N 51FF0001", "N! other", "N 5003"] + status("65", 1, "01 00 00"))
        #expect(try await rig.reader.cardStatus() == .inactive)
        await rig.expectDone()
    }
}
