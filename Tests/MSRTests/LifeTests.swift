import CardSecrets
import Determinism
import HID
import MagneticStripe
import Simulator
import Testing
import USB

@testable import MSR

@Suite struct LifeTests {
    @Test(arguments: SwipeTests.plain)
    func `waiting ends when the reader is pulled out`(model: SimulatedMSRModel) async throws {
        let bench = try await StripeBench(model)
        bench.clock.schedule(after: .seconds(1)) { bench.bus.unplug(bench.reader) }
        #expect(await StripeBench.failure(bench.driver) == .readerGone)
        #expect(await StripeBench.failure(bench.driver) == .readerGone)
        #expect(bench.driver.loss == .readerGone)
        await bench.driver.close()
    }

    @Test func `a reader that is pulled out while it types leaves no half card`() async throws {
        let bench = try await StripeBench(.keyboard)
        bench.reader.arm(.unplugged(afterReports: 30))
        let stripe = try StripeBench.stripe()
        bench.clock.schedule(after: .seconds(1)) { bench.reader.swipe(stripe) }
        #expect(await StripeBench.failure(bench.driver) == .readerGone)
        await bench.driver.close()
    }

    @Test func `waiting ends with its task, and the next wait gets the swipe`() async throws {
        let bench = try await StripeBench(.pointOfSale)
        let waiting = Task { await StripeBench.failure(bench.driver) }
        waiting.cancel()
        #expect(await waiting.value == .cancelled)
        _ = try await bench.swiping(try StripeBench.stripe())
        await bench.driver.close()
    }

    @Test func `closing ends a wait`() async throws {
        let bench = try await StripeBench(.pointOfSale)
        let waiting = Task { await StripeBench.failure(bench.driver) }
        await bench.driver.close()
        #expect(await waiting.value == .closed)
        #expect(await StripeBench.failure(bench.driver) == .closed)
        await bench.driver.close()
    }

    @Test func `two cannot wait at a time`() async throws {
        let bench = try await StripeBench(.pointOfSale)
        let first = Task { await StripeBench.failure(bench.driver) }
        var second: MSRError?
        // Whichever of the two comes first waits; the other is refused.
        while second == nil {
            let other = Task { await StripeBench.failure(bench.driver) }
            await Task.yield()
            other.cancel()
            let result = await other.value
            if result == .busy { second = result }
        }
        #expect(second == .busy)
        await bench.driver.close()
        #expect(await first.value == .closed)
    }

    @Test func `a stall is cleared, and what follows is read`() async throws {
        let bench = try await StripeBench(.pointOfSale)
        bench.reader.arm(.stall)
        _ = try await bench.swiping(try StripeBench.stripe())
        await bench.driver.close()
    }

    @Test func `a reader that fails again and again is given up`() async throws {
        let bench = try await StripeBench(.pointOfSale)
        for _ in 0..<8 { bench.reader.arm(.stall) }
        #expect(await StripeBench.failure(bench.driver) == .hid(.usb(.stalled)))
        await bench.driver.close()
    }

    @Test func `an interface that somebody has is refused, and can be opened when it is free`() async throws {
        let bench = try await StripeBench(.pointOfSale)
        let interface = try #require(MSRInterface.find(in: bench.device))
        await #expect(throws: MSRError.hid(.usb(.busy))) {
            _ = try await MagneticStripeReader.open(bench.device, interface, on: bench.bus)
        }
        await bench.driver.close()
        let again = try await MagneticStripeReader.open(bench.device, interface, on: bench.bus)
        await again.close()
    }

    @Test func `a reader that types is not read through the kernel`() async throws {
        let bench = try await StripeBench(.keyboard)
        await bench.driver.close()
        let interface = try #require(MSRInterface.find(in: bench.device))
        await #expect(throws: MSRError.keyboardThroughKernel) {
            _ = try await MagneticStripeReader.open(bench.device, interface, on: bench.bus, path: .hidraw)
        }
    }

    // MARK: Where the user may not take the device

    /// A reader on a bus that lets nobody open it; the kernel has a node for it.
    private func refused(
        _ model: SimulatedMSRModel, node: String? = "hidraw-that-nobody-has"
    ) throws -> (bus: ReluctantBus, reader: SimulatedMagneticStripeReader, device: USBDevice, interface: MSRInterface) {
        let bus = SimulatedUSBBus(clock: SimulationClock(VirtualTimeSource()))
        let reader = SimulatedMagneticStripeReader(model: model, clock: bus.clock)
        var device = bus.plug(reader)
        device.configuration?.interfaces[0].kernelHID?.node = node
        let interface = try #require(MSRInterface.find(in: device))
        return (ReluctantBus(bus, .init(openError: .accessDenied)), reader, device, interface)
    }

    @Test(arguments: [SimulatedMSRModel.pointOfSale, .fixedReport])
    func `a reader that may not be taken from the kernel is read through its node`(
        model: SimulatedMSRModel
    ) async throws {
        let (bus, reader, device, interface) = try refused(model)
        let bytes = try #require(interface.hid.kernel?.reportDescriptor)
        let node = ScriptedNode(try HIDReportDescriptor(parsing: bytes))
        let driver = try await MagneticStripeReader.open(device, interface, on: bus, path: .usb) { node }
        driver.expect()
        reader.swipe(try StripeBench.stripe())
        guard case .data(let report) = reader.read(endpoint: 0x81, maximumLength: 512) else {
            Issue.record("no report")
            return
        }
        node.send(report)
        #expect(try StripeCard(try await driver.swipe().stripe).pan.lastFour == "0010")
        await driver.close()
    }

    @Test func `without a node, and for a reader that types, the refusal is told as it is`() async throws {
        for (model, node) in [(.pointOfSale, nil), (.keyboard, "hidraw0")] as [(SimulatedMSRModel, String?)] {
            let (bus, _, device, interface) = try refused(model, node: node)
            await #expect(throws: MSRError.hid(.usb(.accessDenied))) {
                _ = try await MagneticStripeReader.open(device, interface, on: bus)
            }
        }
        // It is the real node that is opened.
        let (bus, _, device, interface) = try refused(.pointOfSale)
        await #expect(throws: MSRError.readerGone) {
            _ = try await MagneticStripeReader.open(device, interface, on: bus)
        }
    }
}
