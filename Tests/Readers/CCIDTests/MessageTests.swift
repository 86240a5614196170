import Determinism
import SmartCard
import Testing
import USB

@testable import CCID

@Suite struct MessageTests {
    @Test func `every error code has its own error`() {
        for code in UInt8.min...UInt8.max { #expect(CCIDSlotError(code: code).code == code) }
        #expect(CCIDSlotError(code: 0xFE) == .cardMute)
        #expect(CCIDSlotError(code: 0x00) == .commandNotSupported)
        #expect(CCIDSlotError(code: 0x07) == .badField(offset: 7))
        #expect(CCIDSlotError(code: 0xA0) == .other(0xA0))
    }

    @Test func `notifications are read and written`() throws {
        let here = CCIDNotification.SlotChange(isPresent: true, hasChanged: true)
        let gone = CCIDNotification.SlotChange(isPresent: false, hasChanged: true)
        let quiet = CCIDNotification.SlotChange(isPresent: false, hasChanged: false)
        #expect(try CCIDNotification(bytes: hex("5003")) == .slotChange([here, quiet, quiet, quiet]))
        #expect(
            try CCIDNotification(bytes: hex("504E01"))
                == .slotChange([
                    gone, here, quiet, .init(isPresent: true, hasChanged: false),
                    .init(isPresent: true, hasChanged: false), quiet, quiet, quiet,
                ]))
        #expect(CCIDNotification.slotChange([gone, here]).bytes == hex("500E"))
        let fault = CCIDNotification.hardwareError(slot: 1, sequence: 9, code: 1)
        #expect(fault.bytes == hex("51010901"))
        #expect(try CCIDNotification(bytes: hex("51010901")) == fault)
    }

    @Test(arguments: [
        ("", CCIDMessageError.tooShort(0)), ("50", .tooShort(1)), ("5200", .unknownType(0x52)),
        ("510000", .wrongDataLength(expected: 3, actual: 2)),
    ]) func `a malformed notification is refused`(text: String, error: CCIDMessageError) {
        #expect(throws: error) { try CCIDNotification(bytes: hex(text)) }
    }

    @Test func `parsing any bytes as a notification ends, and the result survives a round trip`() throws {
        var dice = Dice(state: 2)
        for bytes in dice.mutations(of: hex("504E01"), count: 500) + dice.mutations(of: hex("51010901"), count: 500) {
            guard let notification = try? CCIDNotification(bytes: bytes) else { continue }
            #expect(try CCIDNotification(bytes: notification.bytes) == notification)
        }
    }

    @Test func `a command's description has no content`() {
        let pin = CCIDCommand.transferBlock(hex("0020008008241234FFFFFFFFFF"))
        #expect("\(pin)" == "transferBlock of 13 bytes")
    }
}

/// The time limit of a whole command APDU.
@Suite struct CommandTimeTests {
    private static let select = CommandAPDU(0x00, 0xA4, 0x04, 0x00, le: 0)
    private static let selectTPDU = "00A4040000"

    @Test func `an exchange is limited by the command's remaining time`() async throws {
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

    @Test func `no exchange starts after the command's timeout`() async throws {
        let rig = try await Rig(
            .tpdu, readyForT0 + [block(4, Self.selectTPDU), "+ 60000", answer(4, "6102")])
        let channel = try await rig.reader.powerOn()
        await #expect(throws: CardChannelError.timedOut) { try await channel.transmit(Self.select) }
        await rig.expectDone()
    }

    @Test func `the waiting time requested by a card is limited by the command's timeout`() async throws {
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

/// A maker's own commands (CCID 1.1 §6.1.8).
@Suite struct EscapeTests {
    private static let command = "> 6B 03000000 00 01 000000 424154"

    @Test func `an escape command and its answer are one message each`() async throws {
        let rig = try await Rig(.tpdu, [Self.command, "< 83 04000000 00 01 02 00 00 42415464"])
        #expect(try await rig.reader.escape([0x42, 0x41, 0x54]) == [0x42, 0x41, 0x54, 100])
        await rig.expectDone()
    }

    @Test func `an unknown command is reported by the reader`() async throws {
        let rig = try await Rig(.tpdu, [Self.command, "< 83 00000000 00 01 42 00 00"])
        await #expect(throws: CCIDError.self) { try await rig.reader.escape([0x42, 0x41, 0x54]) }
        await #expect(throws: CCIDError.noSuchSlot(7)) { try await rig.reader.escape([0x42], slot: 7) }
        await rig.expectDone()
    }
}

@Suite struct NoiseTests {
    @Test(arguments: [CCIDExchangeLevel.tpdu, .shortAPDU, .extendedAPDU], [false, true])
    func `with any answers of a reader, every call ends, and some succeed`(
        level: CCIDExchangeLevel, isAutomatic: Bool
    ) async throws {
        let command = try CommandAPDU(cla: 0, ins: 0xA4, p1: 4, p2: 0, data: [1, 2, 3], expectedLength: 256)
        let descriptor = CCIDClassDescriptor(level: level, features: isAutomatic ? [.automaticNegotiation] : [])
        var answers = 0
        var errors = 0
        for seed in 0..<150 as Range<UInt64> {
            let transport = NoisyTransport(Rig.device(descriptor.bytes, interrupt: seed % 3 == 0), seed: seed)
            do {
                let reader = try await CCIDReader.open(
                    transport.device, on: NoisyBus(transport: transport), time: VirtualTimeSource())
                _ = try await reader.waitForCard(present: true, timeout: .seconds(1))
                let channel = try await reader.powerOn()
                for _ in 0..<5 {
                    _ = try await channel.transmit(command)
                    answers += 1
                }
                await reader.close()
            } catch {
                errors += 1
            }
        }
        #expect(answers > 0)
        #expect(errors > 0)
    }
}
