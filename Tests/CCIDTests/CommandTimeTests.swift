import CCID
import SmartCard
import Testing

/// How long a whole command APDU may take, whatever the card says and does.
@Suite struct CommandTimeTests {
    private static let select = CommandAPDU(0x00, 0xA4, 0x04, 0x00, le: 0)
    private static let selectTPDU = "00A4040000"

    @Test func `an exchange gets no more time than the command has left`() async throws {
        let rig = try await Rig(
            .tpdu,
            readyForT0 + [
                block(4, Self.selectTPDU), "+ 59500", answer(4, "6102"), block(5, "00C0000002"),
                answer(5, "AABB9000"),
            ])
        let channel = try await rig.reader.powerOn()
        #expect(try await channel.transmit(Self.select).data == [0xAA, 0xBB])
        #expect(rig.transport.readTimeouts.last == .milliseconds(500))
        await rig.expectDone()
    }

    @Test func `no exchange begins when the command has no time left`() async throws {
        let rig = try await Rig(
            .tpdu, readyForT0 + [block(4, Self.selectTPDU), "+ 60000", answer(4, "6102")])
        let channel = try await rig.reader.powerOn()
        await #expect(throws: CardChannelError.timedOut) { try await channel.transmit(Self.select) }
        await rig.expectDone()
    }

    @Test func `the waiting time that a card asks for ends with the command's`() async throws {
        var descriptor = CCIDClassDescriptor(level: .tpdu, features: [.automaticIFSD])
        descriptor.protocols = .t1
        // T=0 first; BWI F of T=1 is 49 minutes at 4 MHz.
        let rig = try await Rig(
            descriptor,
            power(1, "3BE000008031FEF55A") + [block(3, "FF01FE"), answer(3, "FF01FE")]
                + parameters(4, "01", "11 10 00 F5 00 FE 00")
                + [block(5, "00 00 05 00A4040000 A5"), answer(5, "00 00 02 9000 92")])
        let channel = try await rig.reader.powerOn()
        #expect(try await channel.transmit(Self.select).status == .success)
        #expect(rig.transport.readTimeouts.last == .seconds(60))
        await rig.expectDone()
    }
}
