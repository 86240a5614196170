import Determinism
import SimulatedTime
import Simulator
import SmartCard
import Testing
import USB

/// The field of a simulated contactless reader, byte by byte on the USB.
@Suite(.simulatedTime) struct SimulatedFieldTests {
    private static let read: [UInt8] = [0x00, 0xB0, 0, 2, 2]
    private static let statusQuery: UInt8 = 0x65

    private func host() async throws -> RawHost {
        let host = try await RawHost(.contactless, card: ScriptedCard(ScriptedCard.t1))
        #expect(try await host.notice() == [0x50, 0x03])
        #expect(try await host.powerOn(0).status == 0)
        return host
    }

    private func escape(_ host: RawHost, _ data: [UInt8]) async throws -> RawHost.Answer {
        try await host.command(0x6B, [0, 0, 0], data)
    }

    @Test func `the field is switched off and on by command, and the card is seen again without its power`()
        async throws
    {
        let host = try await host()
        #expect(try await escape(host, [0x96, 0xFF]).data == [0])
        #expect(try await escape(host, [0x96, 0x00]).type == 0x83)
        #expect(try await escape(host, [0x96, 0xFF]).data == [1])
        #expect(try await host.notice() == [0x50, 0x02])
        #expect(try await host.command(Self.statusQuery).status == 0x02)
        #expect(host.reader.hasCard())
        #expect(try await escape(host, [0x96, 0x01]).status == 0x01)
        #expect(try await host.notice() == [0x50, 0x03])
        #expect(try await host.command(Self.statusQuery).status == 0x01)
        #expect(try await host.powerOn(0).data == [0x3B, 0x80, 0x80, 0x01, 0x01])
    }

    @Test func `another command for the reader stays unknown, and a reader with contacts knows none`() async throws {
        #expect(try await escape(try await host(), [0x96]).status & 0x40 == 0x40)
        let contacts = try await RawHost(.shortAPDU, card: ScriptedCard(ScriptedCard.t1))
        #expect(try await escape(contacts, [0x96, 0x00]).status & 0x40 == 0x40)
        #expect(try await contacts.command(Self.statusQuery).status == 0x01)
    }

    @Test(arguments: 1...3)
    func `a card that is moved away leaves an exchange without its answer, and is missed later`(number: Int)
        async throws
    {
        let host = try await host()
        host.reader.arm(.movedAway(atExchange: number, noticedAfter: .milliseconds(1500), backAfter: nil))
        for _ in 1..<number { #expect(try await host.transfer(Self.read).data == [0, 1, 0x90, 0]) }
        let start = host.clock.now()
        let lost = try await host.transfer(Self.read)
        #expect(lost.status == 0x41 && lost.error == 0xFE && lost.data.isEmpty)
        // The reader believes in the card, and cannot reach it.
        #expect(try await host.command(Self.statusQuery).status == 0x01)
        let mute = try await host.powerOn(0)
        #expect(mute.status == 0x41 && mute.error == 0xFE)
        #expect(try await host.notice() == [0x50, 0x02])
        #expect(host.clock.now() == start.advanced(by: .milliseconds(1500)))
        #expect(try await host.command(Self.statusQuery).status == 0x02)
        #expect(!host.reader.hasCard())
    }

    @Test func `a card can come back before the reader has missed it, or after`() async throws {
        for (noticed, back) in [(1500, 300), (300, 1500)] {
            let host = try await host()
            host.reader.arm(
                .movedAway(
                    atExchange: 1, noticedAfter: .milliseconds(noticed), backAfter: .milliseconds(back)))
            #expect(try await host.transfer(Self.read).error == 0xFE)
            try await host.clock.sleep(for: .seconds(2))
            #expect(host.reader.hasCard())
            #expect(try await host.powerOn(0).status == 0)
            #expect(try await host.transfer(Self.read).data == [0, 1, 0x90, 0])
        }
    }

    @Test func `of two cards none is shown, and the collision is told to a host that asks`() async throws {
        let host = try await host()
        #expect(try await escape(host, [0xE4]).data == [0])
        host.reader.arm(.severalCards(isTold: true))
        #expect(try await host.command(Self.statusQuery).status == 0x02)
        #expect(try await host.powerOn(0).error == 0xFE)
        #expect(try await escape(host, [0xE4]).data == [1])
        host.reader.arm(.oneCardLeft)
        #expect(try await escape(host, [0xE4]).data == [0])
        #expect(try await host.command(Self.statusQuery).status == 0x01)
        #expect(try await host.powerOn(0).status == 0)
    }

    @Test func `a reader that can't tell shows no card, and says nothing`() async throws {
        let host = try await RawHost(.contactless)
        host.reader.arm(.severalCards(isTold: false))
        host.reader.insert(ScriptedCard(ScriptedCard.t1))
        #expect(try await escape(host, [0xE4]).data == [0])
        #expect(try await host.command(Self.statusQuery).status == 0x02)
    }

    @Test func `a bus reset switches the field on`() async throws {
        let host = try await host()
        _ = try await escape(host, [0x96, 0x00])
        try await host.transport.reset()
        #expect(try await escape(host, [0x96, 0xFF]).data == [0])
        #expect(try await host.command(Self.statusQuery).status == 0x01)
    }
}
