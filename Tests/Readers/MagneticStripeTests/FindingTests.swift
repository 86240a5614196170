import Determinism
import MagneticStripe
import SimulatedTime
import Simulator
import Testing
import USB

@Suite(.simulatedTime) struct FindingTests {
    private func device(
        _ model: SimulatedMSRModel, vendorID: UInt16? = nil, isSeenByKernel: Bool = true
    ) -> USBDevice {
        var descriptors = model.descriptors
        descriptors.device.vendorID = vendorID ?? descriptors.device.vendorID
        if !isSeenByKernel { descriptors.configuration.interfaces[0].kernelHID = nil }
        return USBDevice(
            bus: 1, address: 2, descriptor: descriptors.device, configuration: descriptors.configuration)
    }

    @Test func `a reader with standard usages is recognized by them`() {
        #expect(MagneticStripeInterface.find(in: device(.pointOfSale))?.format == .tracks(.pointOfSale))
        #expect(
            MagneticStripeInterface.find(in: device(.pointOfSale, vendorID: 0xBEEF))?.format == .tracks(.pointOfSale))
        #expect(MagneticStripeInterface.find(in: device(.pointOfSale, isSeenByKernel: false)) == nil)
    }

    @Test func `others are recognized by vendor and product, with or without the kernel's driver`() {
        for isSeen in [true, false] {
            #expect(
                MagneticStripeInterface.find(in: device(.fixedReport, isSeenByKernel: isSeen))?.format
                    == .tracks(.magTek))
            #expect(MagneticStripeInterface.find(in: device(.keyboard, isSeenByKernel: isSeen))?.format == .keyboard)
        }
    }

    @Test func `a keyboard is not a reader unless it is listed`() {
        #expect(MagneticStripeInterface.find(in: device(.keyboard, vendorID: 0xBEEF)) == nil)
        let named = MagneticStripeReaderModel(vendorID: 0xBEEF, productID: 0x0001, format: .keyboard)
        #expect(
            MagneticStripeInterface.find(in: device(.keyboard, vendorID: 0xBEEF), models: [named])?.format == .keyboard)
        // A device of that name that is no keyboard is not taken for one.
        let wrong = MagneticStripeReaderModel(vendorID: 0x0801, productID: 0x0002, format: .keyboard)
        #expect(MagneticStripeInterface.find(in: device(.fixedReport), models: [wrong]) == nil)
    }

    @Test func `a chip reader is not one, unless it has a stripe head`() async throws {
        let bus = SimulatedUSBBus(clock: SimulationClock(VirtualTimeSource()))
        let chip = bus.plug(SimulatedReaderUnit(model: .tpdu, clock: bus.clock).device)
        #expect(MagneticStripeInterface.find(in: chip) == nil)
        let unit = SimulatedReaderUnit(model: .combo, clock: bus.clock)
        let both = bus.plug(unit.device)
        let interface = try #require(MagneticStripeInterface.find(in: both))
        #expect(interface.hid.number == 1)
        let driver = try await MagneticStripeReader.open(both, interface, on: bus)
        let stripe = try SwipeBench.stripe()
        bus.clock.schedule(after: .seconds(1)) { unit.stripe?.swipe(stripe) }
        _ = try await driver.swipe()
        await driver.close()
    }

    // MARK: After a program that was killed

    private func bus(
        _ model: SimulatedMSRModel, _ habits: ReluctantBus.Habits
    ) -> (simulated: SimulatedUSBBus, reader: SimulatedMagneticStripeReader, bus: ReluctantBus) {
        let simulated = SimulatedUSBBus(clock: SimulationClock(VirtualTimeSource()))
        let reader = SimulatedMagneticStripeReader(model: model, clock: simulated.clock)
        simulated.plug(reader)
        return (simulated, reader, ReluctantBus(simulated, habits))
    }

    @Test func `a reader without a driver is queried for its descriptor, and then used`() async throws {
        let (simulated, reader, bus) = bus(.pointOfSale, .init(hidesReports: true))
        #expect(MagneticStripeInterface.find(in: try #require(try await bus.devices().first)) == nil)
        let device = try #require(try await MagneticStripeInterface.devices(on: bus).first)
        let interface = try #require(MagneticStripeInterface.find(in: device))
        #expect(interface.format == .tracks(.pointOfSale))
        let driver = try await MagneticStripeReader.open(device, interface, on: bus)
        let stripe = try SwipeBench.stripe()
        simulated.clock.schedule(after: .seconds(1)) { reader.swipe(stripe) }
        #expect(try await driver.swipe().stripe.faults.isEmpty == true)
        await driver.close()
    }

    @Test func `a device in use, or already recognized, is not opened`() async throws {
        let owner = USBDeviceOwner.driver(name: "other", place: "1-1:1.0")
        for (model, habits) in [
            (.pointOfSale, .init(hidesReports: true, owners: [owner])), (.pointOfSale, .init()),
            (.fixedReport, .init(hidesReports: true)), (.keyboard, .init(hidesReports: true)),
        ] as [(SimulatedMSRModel, ReluctantBus.Habits)] {
            let (_, _, bus) = bus(model, habits)
            #expect(try await MagneticStripeInterface.devices(on: bus).count == 1)
            #expect(bus.openCount == 0)
        }
    }

    @Test func `a device that cannot be queried is listed unchanged`() async throws {
        let (_, _, bus) = bus(.pointOfSale, .init(openError: .accessDenied, hidesReports: true))
        #expect(try await MagneticStripeInterface.devices(on: bus) == (try await bus.devices()))
    }
}
