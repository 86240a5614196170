import CCID
import Determinism
import Foundation
import SimulatedTime
import Simulator
import SmartCard
import Synchronization
import Testing
import USB

/// The driver on a simulated contactless reader.
@Suite(.simulatedTime, .timeLimit(.minutes(10))) struct ContactlessSlotTests {
    private let clock = SimulationClock()

    private func device(_ model: SimulatedReaderModel) -> (USBDevice, SimulatedReaderUnit, SimulatedUSBBus) {
        let bus = SimulatedUSBBus(clock: clock)
        let unit = SimulatedReaderUnit(model: model, clock: clock)
        return (bus.plug(unit.device), unit, bus)
    }

    private func slots(_ model: SimulatedReaderModel) throws -> [Set<UInt8>] {
        try CCIDInterface.all(in: device(model).0).map(\.contactless.numbers)
    }

    @Test func `a contactless slot is known before a card is there`() throws {
        #expect(try slots(.contactless) == [[0]])
        #expect(try slots(.dualInterface) == [[], [0]])
        #expect(try slots(.shortAPDU) == [[]] && slots(.dualSlot) == [[]])
        // By the table alone, in whatever order the interfaces are.
        #expect(try slots(.shortAPDU.disguised(asVendor: 0x072F, product: 0x2200)) == [[0]])
        var twin = SimulatedReaderModel.shortAPDU
        twin.companions = [.shortAPDU]
        #expect(try slots(twin.disguised(asVendor: 0x04E6, product: 0x5724)) == [[], [0]])
        #expect(try slots(twin.disguised(asVendor: 0x076B, product: 0x5422)) == [[0], []])
        // By its name, and by T=1 alone.
        var named = SimulatedReaderModel.shortAPDU
        named.product = "Shop PICC Interface"
        #expect(try slots(named) == [[0]])
        var plain = SimulatedReaderModel.shortAPDU
        plain.protocols = 0b10
        #expect(try slots(plain) == [[0]])
        plain.level = .tpdu
        #expect(try slots(plain) == [[]])
    }

    @Test func `the documentation lists every known reader`() throws {
        let root = (0..<4).reduce(URL(filePath: #filePath)) { path, _ in path.deletingLastPathComponent() }
        let text = try String(contentsOf: root.appending(path: "docs/taps.md"), encoding: .utf8)
        let rows = ContactlessReaderRow.known.filter { $0.vendorID != 0x1209 }
        let lines = rows.map { row in
            let id = USBIdentifiers(vendor: row.vendorID, product: row.productID)
            return "| \(row.name) | `\(id)` | \(row.slot) | \(row.field == nil ? "card powered off" : "Escape 96") | "
                + "\(row.indicators.map { "`\($0.name)`" } ?? "the reader's own") |"
        }
        #expect(
            text.contains(lines.joined(separator: "\n")), "docs/taps.md must have:\n\(lines.joined(separator: "\n"))")
        #expect(Set(rows.map { [$0.vendorID, $0.productID] }).count == rows.count)
    }

    @Test func `a card without contacts is powered once, and without parameters`() async throws {
        let (device, unit, bus) = device(.contactless)
        let card = CountingCard()
        unit.first.insert(card)
        let reader = try await CCIDReader.open(device, on: bus, time: clock)
        // The second command would be a warm reset, the third the parameters.
        unit.first.arm(.command(3, .unanswered))
        let channel = try await reader.powerOn()
        #expect(channel.contactless == .card(historicalBytes: []))
        #expect(channel.transmissionProtocol == 1)
        #expect(card.resets == 1)
        unit.first.disarm()
        #expect(try await channel.transmit(QuirkBench.read(3)).data == [0, 1, 2])
        await reader.close()
    }

    @Test func `a field is switched off and on, and tells of several cards`() async throws {
        let (device, unit, bus) = device(.contactless)
        unit.first.insert(CountingCard())
        let reader = try await CCIDReader.open(device, on: bus, time: clock)
        #expect(reader.tellsCollisions)
        #expect(try await !reader.seesSeveralCards())
        try await reader.switchField(on: false)
        #expect(try await reader.cardStatus() == .absent)
        try await reader.switchField(on: true)
        #expect(try await reader.waitForCard(present: true, timeout: .seconds(1)))
        unit.first.arm(.severalCards(isTold: true))
        #expect(try await reader.seesSeveralCards())
        #expect(try await reader.cardStatus() == .absent)
        await reader.close()
    }

    @Test func `a powered card that stays when its field is switched off and on is still there`() async throws {
        let (device, unit, bus) = device(.contactless)
        unit.first.insert(CountingCard())
        let reader = try await CCIDReader.open(device, on: bus, time: clock)
        _ = try await reader.powerOn()
        try await reader.switchField(on: false)
        try await reader.switchField(on: true)
        #expect(try await reader.waitForCard(present: true, timeout: .seconds(1)))
        #expect(try await !reader.waitForCard(present: false, timeout: .seconds(1)))
        unit.first.removeCard()
        #expect(try await reader.waitForCard(present: false, timeout: .seconds(1)))
        await reader.close()
    }

    @Test func `a card that leaves in an exchange is mute first, and removed when the reader has missed it`()
        async throws
    {
        let (device, unit, bus) = device(.contactless)
        unit.first.insert(CountingCard())
        let reader = try await CCIDReader.open(device, on: bus, time: clock)
        let channel = try await reader.powerOn()
        unit.first.arm(.movedAway(atExchange: 1, noticedAfter: .milliseconds(800), backAfter: nil))
        await #expect(throws: CardChannelError.cardMute) { try await channel.transmit(QuirkBench.read(3)) }
        await #expect(throws: CCIDError.cardMute) { try await reader.powerOn() }
        #expect(try await reader.waitForCard(present: false, timeout: .seconds(2)))
        await #expect(throws: CCIDError.cardAbsent) { try await reader.powerOn() }
        await reader.close()
    }
}

/// A card without contacts that counts its resets.
private final class CountingCard: SimulatedCard {
    private let card = QuirkCard(QuirkCard.t1)
    private let count = Mutex(0)

    var resets: Int { count.withLock { $0 } }

    func reset(warm: Bool) -> [UInt8] {
        count.withLock { $0 += 1 }
        return card.reset(warm: warm)
    }

    func powerOff() { card.powerOff() }

    func process(_ command: CommandAPDU) -> SimulatedCardReply { card.process(command) }

    func sendsData(header: [UInt8]) -> Bool { card.sendsData(header: header) }
}
