import CardSecrets
import Determinism
import SimulatedTime
import Simulator
import Testing
import USB

@testable import MagneticStripe

@Suite(.simulatedTime) struct LifeTests {
    @Test(arguments: SwipeTests.plain)
    func `a wait ends when the reader is unplugged`(model: SimulatedMSRModel) async throws {
        let bench = try await SwipeBench(model)
        bench.clock.schedule(after: .seconds(1)) { bench.bus.unplug(bench.reader) }
        #expect(await SwipeBench.failure(bench.driver) == .readerGone)
        #expect(await SwipeBench.failure(bench.driver) == .readerGone)
        #expect(bench.driver.loss == .readerGone)
        await bench.driver.close()
    }

    @Test func `a reader that is unplugged while it types leaves no partial card`() async throws {
        let bench = try await SwipeBench(.keyboard)
        bench.reader.arm(.unplugged(afterReports: 30))
        let stripe = try SwipeBench.stripe()
        bench.clock.schedule(after: .seconds(1)) { bench.reader.swipe(stripe) }
        #expect(await SwipeBench.failure(bench.driver) == .readerGone)
        await bench.driver.close()
    }

    @Test func `a wait ends when its task is canceled, and the next wait gets the swipe`() async throws {
        let bench = try await SwipeBench(.pointOfSale)
        let waiting = Task { await SwipeBench.failure(bench.driver) }
        waiting.cancel()
        #expect(await waiting.value == .canceled)
        _ = try await bench.swiping(try SwipeBench.stripe())
        await bench.driver.close()
    }

    @Test func `closing ends a wait`() async throws {
        let bench = try await SwipeBench(.pointOfSale)
        let waiting = Task { await SwipeBench.failure(bench.driver) }
        await bench.driver.close()
        #expect(await waiting.value == .closed)
        #expect(await SwipeBench.failure(bench.driver) == .closed)
        await bench.driver.close()
    }

    @Test func `a second simultaneous wait is rejected`() async throws {
        let bench = try await SwipeBench(.pointOfSale)
        let first = Task { await SwipeBench.failure(bench.driver) }
        var second: MagneticStripeReaderError?
        // Whichever of the two comes first waits; the other is refused.
        while second == nil {
            let other = Task { await SwipeBench.failure(bench.driver) }
            try await bench.clock.sleep(for: .milliseconds(1))
            other.cancel()
            let result = await other.value
            if result == .busy { second = result }
        }
        #expect(second == .busy)
        await bench.driver.close()
        #expect(await first.value == .closed)
    }

    @Test func `a stall is cleared, and reading continues`() async throws {
        let bench = try await SwipeBench(.pointOfSale)
        bench.reader.arm(.stall)
        _ = try await bench.swiping(try SwipeBench.stripe())
        await bench.driver.close()
    }

    @Test func `a reader that fails repeatedly is given up`() async throws {
        let bench = try await SwipeBench(.pointOfSale)
        for _ in 0..<8 { bench.reader.arm(.stall) }
        #expect(await SwipeBench.failure(bench.driver) == .hid(.usb(.stalled)))
        await bench.driver.close()
    }

    @Test func `an interface in use is rejected, and can be opened when it is free`() async throws {
        let bench = try await SwipeBench(.pointOfSale)
        let interface = try #require(MagneticStripeInterface.find(in: bench.device))
        await #expect(throws: MagneticStripeReaderError.hid(.usb(.busy))) {
            _ = try await MagneticStripeReader.open(bench.device, interface, on: bench.bus)
        }
        await bench.driver.close()
        let again = try await MagneticStripeReader.open(bench.device, interface, on: bench.bus)
        await again.close()
    }

    @Test func `a reader that types is not read through the kernel`() async throws {
        let bench = try await SwipeBench(.keyboard)
        await bench.driver.close()
        let interface = try #require(MagneticStripeInterface.find(in: bench.device))
        await #expect(throws: MagneticStripeReaderError.keyboardThroughKernel) {
            _ = try await MagneticStripeReader.open(bench.device, interface, on: bench.bus, path: .hidraw)
        }
    }

    // MARK: Where the user may not take the device

    /// A reader on a bus without permission to open it; the kernel has a node for it.
    private func refused(
        _ model: SimulatedMSRModel, node: String? = "hidraw-that-nobody-has"
    ) throws -> (
        bus: ReluctantBus, reader: SimulatedMagneticStripeReader, device: USBDevice, interface: MagneticStripeInterface
    ) {
        let bus = SimulatedUSBBus(clock: SimulationClock(VirtualTimeSource()))
        let reader = SimulatedMagneticStripeReader(model: model, clock: bus.clock)
        var device = bus.plug(reader)
        device.configuration?.interfaces[0].kernelHID?.node = node
        let interface = try #require(MagneticStripeInterface.find(in: device))
        return (ReluctantBus(bus, .init(openError: .accessDenied)), reader, device, interface)
    }

    @Test(arguments: [SimulatedMSRModel.pointOfSale, .fixedReport])
    func `without permission to detach the kernel's driver a reader is read through its node`(
        model: SimulatedMSRModel
    ) async throws {
        let (bus, reader, device, interface) = try refused(model)
        let bytes = try #require(interface.hid.kernel?.reportDescriptor)
        let node = ScriptedNode(try HIDReportDescriptor(parsing: bytes))
        let driver = try await MagneticStripeReader.open(device, interface, on: bus, path: .usb) { node }
        driver.expect()
        reader.swipe(try SwipeBench.stripe())
        guard case .data(let report) = reader.read(endpoint: 0x81, maximumLength: 512) else {
            Issue.record("no report")
            return
        }
        node.send(report)
        #expect(try SwipedCard(try await driver.swipe().stripe).pan.lastFour == "0010")
        await driver.close()
    }

    @Test func `without a node, and for a reader that types, the missing permission is reported`() async throws {
        for (model, node) in [(.pointOfSale, nil), (.keyboard, "hidraw0")] as [(SimulatedMSRModel, String?)] {
            let (bus, _, device, interface) = try refused(model, node: node)
            await #expect(throws: MagneticStripeReaderError.hid(.usb(.accessDenied))) {
                _ = try await MagneticStripeReader.open(device, interface, on: bus)
            }
        }
        // It is the real node that is opened.
        let (bus, _, device, interface) = try refused(.pointOfSale)
        await #expect(throws: MagneticStripeReaderError.readerGone) {
            _ = try await MagneticStripeReader.open(device, interface, on: bus)
        }
    }
}
