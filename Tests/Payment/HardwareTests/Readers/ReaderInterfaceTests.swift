import CCID
import Determinism
import SimulatedTime
import Simulator
import SmartCard
import Testing
import USB

@testable import Hardware

/// Devices with a reader behind each of several interfaces.
@Suite(.simulatedTime, .timeLimit(.minutes(10))) struct ReaderInterfaceTests {
    private let clock = SimulationClock()
    private let bus: SimulatedUSBBus
    private let unit: SimulatedReaderUnit

    init() {
        bus = SimulatedUSBBus(clock: clock)
        var model = SimulatedReaderModel.shortAPDU
        model.companions = [.shortAPDU, .shortAPDU]
        unit = SimulatedReaderUnit(model: model, clock: clock)
    }

    @Test func `each interface is a reader with its own identifier`() throws {
        let device = bus.plug(unit.device)
        let readers = CardReader.all(in: device)
        #expect(readers.map(\.id) == ["1209:0002@1-1", "1209:0002@1-1#1", "1209:0002@1-1#2"])
        #expect(readers.map(\.name).suffix(2) == [readers[0].name + " #1", readers[0].name + " #2"])
        #expect(CardReader(device) == readers[0])
    }

    @Test func `the source lists all of them and opens the requested one`() async throws {
        let source = USBCardReaderSource(bus, time: clock)
        var changes = source.changes().makeAsyncIterator()
        bus.plug(unit.device)
        let readers = try await source.readers()
        #expect(readers.count == 3)
        for reader in readers {
            let change = await changes.next(isolation: nil)
            #expect(change == .arrived(reader))
        }
        unit.readers[1].insert(try card())
        for (index, reader) in readers.enumerated() {
            let session = try await source.open(reader)
            #expect(try await session.waitForCard(present: true, timeout: .zero) == (index == 1))
            await session.close()
        }
        bus.unplug(unit.device)
        for reader in readers {
            let change = await changes.next(isolation: nil)
            #expect(change == .left(reader))
        }
        await #expect(throws: UnderlyingError.readerDisconnected) { try await source.open(readers[2]) }
    }

    @Test func `two of them can be open at the same time if the device allows it`() async throws {
        bus.plug(unit.device)
        let source = USBCardReaderSource(bus, time: clock)
        let readers = try await source.readers()
        let first = try await source.open(readers[0])
        let second = try await source.open(readers[1])
        await #expect(throws: UnderlyingError.self) { try await source.open(readers[0]) }
        await first.close()
        await second.close()
    }

    private func card() throws -> SimulatedEMVCard {
        try SimulatedEMVCard(
            profile: try CardProfileLibrary.profile("visa-credit"), keys: try TestKeys.embedded(),
            random: SeededRandomSource(seed: 1))
    }
}
