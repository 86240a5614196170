import CCID
import Determinism
import Simulator
import Testing
import USB

@testable import Hardware

/// What contactless slots can do, by the table of known readers.
struct ContactlessCapabilitiesTests {
    private func capabilities(
        _ model: SimulatedReaderModel, vendor: UInt16, product: UInt16
    ) -> [ContactlessCapabilities?] {
        let clock = SimulationClock(VirtualTimeSource())
        let unit = SimulatedReaderUnit(model: model.disguised(asVendor: vendor, product: product), clock: clock)
        let device = SimulatedUSBBus(clock: clock).plug(unit.device)
        return CardReader.all(in: device).map { $0.contactless(in: device) }
    }

    @Test func `lights and buzzer are those of the reader's row`() {
        let acr122 = ContactlessCapabilities(
            slot: 0, field: .cardPower, tellsCollisions: false, indicators: "FF 00 40")
        #expect(capabilities(.shortAPDU, vendor: 0x072F, product: 0x2200) == [acr122])
        let own = ContactlessCapabilities(slot: 0, field: .cardPower, tellsCollisions: false, indicators: nil)
        #expect(capabilities(.shortAPDU, vendor: 0x076B, product: 0x5022) == [own])
        // An unknown reader whose descriptor shows that it is contactless.
        #expect(capabilities(.contactless, vendor: 0x1209, product: 0x00FF) == [own])
        #expect(capabilities(.shortAPDU, vendor: 0x1209, product: 0x00FF) == [nil])
    }

    @Test func `slots are counted over the interfaces of a device, and the first reader has them all`() {
        let field = ContactlessCapabilities(slot: 1, field: .command, tellsCollisions: false, indicators: nil)
        var twin = SimulatedReaderModel.shortAPDU
        twin.companions = [.shortAPDU]
        #expect(capabilities(twin, vendor: 0x04E6, product: 0x5724) == [field, field])
        #expect(capabilities(twin, vendor: 0x076B, product: 0x5422).map { $0?.slot } == [0, nil])
    }

    @Test func `an ACR1281U has its field in the second of three slots, beside the one for chips`() async throws {
        var model = SimulatedReaderModel.extendedAPDU
        model.slotCount = 3
        let field = ContactlessCapabilities(
            slot: 1, field: .cardPower, tellsCollisions: false, indicators: "E0 00 00 28/29")
        #expect(capabilities(model, vendor: 0x072F, product: 0x2224) == [field])
    }
}
