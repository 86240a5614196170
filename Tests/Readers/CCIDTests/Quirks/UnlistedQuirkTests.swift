import CCID
import Determinism
import SimulatedTime
import Simulator
import SmartCard
import Testing
import USB

/// Quirks that a shop can give a reader and that no reader in the table has: with the row it works, without it it
/// fails.
@Suite(.simulatedTime, .timeLimit(.minutes(10))) struct UnlistedQuirkTests {
    @Test(arguments: [QuirkCard.t0, QuirkCard.t1])
    func `a reader that claims short APDU and supports TPDU`(card: [UInt8]) async throws {
        // Data both ways: T=0 splits it in two, T=1 puts it into a block.
        let command = try CommandAPDU(cla: 0, ins: 0xA4, p1: 0, p2: 0, data: [1, 2, 3], expectedLength: 256)
        let bench = QuirkBench(.tpduOnly, card: card)
        #expect(try await bench.exchange(command, .row(bench.device, .exchangeLevel(.tpdu))).data == [3, 2, 1])
        // At short APDU level the firmware forwards the command unchanged, which is neither a TPDU nor a block.
        let wrong = try? await QuirkBench(.tpduOnly, card: card).exchange(command, .none)
        #expect(wrong?.data != [3, 2, 1])
    }

    @Test func `a reader that claims longer messages than it accepts`() async throws {
        let bench = QuirkBench(.messageLength, card: QuirkCard.t1)
        let command = try QuirkBench.extended()
        #expect(try await bench.exchange(command, .row(bench.device, .messageLength(271))).data.count == 1000)
        await #expect(throws: CardChannelError.self) {
            try await QuirkBench(.messageLength, card: QuirkCard.t1).exchange(command, .none)
        }
    }

    @Test func `a reader that claims one slot too many`() async throws {
        let bench = QuirkBench(.slotCount)
        let reader = try await bench.open(.row(bench.device, .slotCount(1)))
        #expect(reader.slotCount == 1)
        await #expect(throws: CCIDError.noSuchSlot(1)) { try await reader.cardStatus(slot: 1) }
        await reader.close()
        let believing = try await bench.open(.none)
        #expect(believing.slotCount == 2)
        #expect(try await believing.cardStatus(slot: 1) == .absent)
        await #expect(throws: CCIDError.cardAbsent) { try await believing.powerOn(slot: 1) }
        await believing.close()
    }

    @Test func `a reader that does not survive ABORT`() async throws {
        let slow = CommandAPDU(0x00, 0xE0, 0x78, 0x00)
        let bench = QuirkBench(.noAbort)
        let reader = try await bench.open(.row(bench.device, .noAbort))
        let channel = try await reader.powerOn()
        await #expect(throws: CardChannelError.timedOut) { try await channel.transmit(slow) }
        // The reset took the card's power, and nothing else.
        #expect(try await reader.powerOn().transmit(QuirkBench.read(9)).data.count == 9)
        await reader.close()

        let believing = QuirkBench(.noAbort)
        let lost = try await believing.open(.none)
        let broken = try await lost.powerOn()
        await #expect(throws: CardChannelError.timedOut) { try await broken.transmit(slow) }
        await #expect(throws: CCIDError.readerDead) { try await lost.powerOn() }
        await lost.close()
    }

    @Test func `a row can remove a quirk of an earlier one`() throws {
        let device = QuirkBench(.falsePINPad).device
        var table = ReaderQuirkTable.row(device, .noPINPad, .polled, .maximumDataRate(9600))
        table.rules.append(
            ReaderQuirkRule(
                "here it has one", vendorID: device.descriptor.vendorID, productID: device.descriptor.productID,
                [.maximumDataRate(100_000)], lifted: [.noPINPad], source: "test"))
        #expect(table.quirks(of: device.descriptor).all == [.maximumDataRate(100_000), .polled])
        #expect(try CCIDInterface.all(in: device, quirks: table)[0].descriptor.pinSupport == .verification)
    }
}
