import CardSecrets
import MagneticStripe
import Simulator
import Testing
import USB

extension OverLibUSB {
    /// Magnetic stripe readers: control requests, reports of many packets, and a driver of the kernel that has to
    /// leave.
    @Suite struct MagneticStripeTests {
        private static let formats: [(SimulatedMSRModel, SwipeFormat)] = [
            (.pointOfSale, .tracks(.pointOfSale)), (.fixedReport, .tracks(.magTek)), (.keyboard, .keyboard),
        ]

        private func stripe() throws -> SimulatedMagneticStripe {
            try SimulatedMagneticStripe(
                try #require(try CardProfileLibrary.profile("stripe-only").stripe), keys: TestKeys.embedded())
        }

        @Test(arguments: formats)
        func `swipes are received repeatedly`(model: SimulatedMSRModel, format: SwipeFormat) async throws {
            try await BridgeBench.run { bench in
                let plugged = try await bench.plug(SimulatedMagneticStripeReader(model: model, clock: bench.clock))
                let interface = try #require(HIDInterface.all(in: plugged.device).first)
                let driver = try await MagneticStripeReader.open(
                    plugged.device, MagneticStripeInterface(hid: interface, format: format), on: bench.bus)
                for _ in 0..<3 {
                    driver.expect()
                    plugged.simulated.swipe(try stripe())
                    let card = try SwipedCard(try await driver.swipe().stripe)
                    #expect(card.pan.lastFour == "7014")
                    #expect((card.trackOne != nil && card.trackTwo != nil) == true)
                }
                await driver.close()
                #expect(try await plugged.count(.claims) == 1)
                #expect(try await plugged.count(.releases) == 1)
            }
        }

        @Test func `the kernel's keyboard driver is detached and attached again`() async throws {
            try await BridgeBench.run { bench in
                let plugged = try await bench.plug(SimulatedMagneticStripeReader(model: .keyboard, clock: bench.clock))
                try await USBBridge.setDriver("usbhid", of: plugged.device.address)
                let interface = try #require(MagneticStripeInterface.find(in: plugged.device))
                let driver = try await MagneticStripeReader.open(plugged.device, interface, on: bench.bus)
                #expect(try await plugged.count(.detaches) == 1)
                #expect(try await plugged.count(.attaches) == 0)
                await driver.close()
                #expect(try await plugged.count(.attaches) == 1)
            }
        }

        @Test func `unplugging the reader during the wait for a swipe ends the wait`() async throws {
            try await BridgeBench.run { bench in
                let plugged = try await bench.plug(
                    SimulatedMagneticStripeReader(model: .fixedReport, clock: bench.clock))
                let interface = try #require(MagneticStripeInterface.find(in: plugged.device))
                let driver = try await MagneticStripeReader.open(plugged.device, interface, on: bench.bus)
                let waiting = Task { () -> MagneticStripeReaderError? in
                    do throws(MagneticStripeReaderError) {
                        _ = try await driver.swipe()
                        return nil
                    } catch {
                        return error
                    }
                }
                try await bench.unplug(plugged)
                #expect(await waiting.value == .readerGone)
                await driver.close()
            }
        }

        @Test func `a reader that a killed program detached from its driver is queried for its descriptor`()
            async throws
        {
            try await BridgeBench.run { bench in
                let plugged = try await bench.plug(
                    SimulatedMagneticStripeReader(model: .pointOfSale, clock: bench.clock))
                #expect(MagneticStripeInterface.find(in: plugged.device) == nil)
                let devices = try await MagneticStripeInterface.devices(on: bench.bus)
                let device = try #require(devices.first { $0.address == plugged.device.address })
                let interface = try #require(MagneticStripeInterface.find(in: device))
                #expect(try await plugged.count(.claims) == 1)
                #expect(try await plugged.count(.releases) == 1)
                let driver = try await MagneticStripeReader.open(device, interface, on: bench.bus)
                driver.expect()
                plugged.simulated.swipe(try stripe())
                #expect(try SwipedCard(try await driver.swipe().stripe).pan.lastFour == "7014")
                await driver.close()
            }
        }

        @Test func `an interface in use by another program is rejected`() async throws {
            try await BridgeBench.run { bench in
                let plugged = try await bench.plug(
                    SimulatedMagneticStripeReader(model: .fixedReport, clock: bench.clock))
                let interface = try #require(MagneticStripeInterface.find(in: plugged.device))
                try await USBBridge.setTaken(true, plugged.device.address)
                await #expect(throws: MagneticStripeReaderError.hid(.usb(.busy))) {
                    _ = try await MagneticStripeReader.open(plugged.device, interface, on: bench.bus)
                }
            }
        }
    }
}
