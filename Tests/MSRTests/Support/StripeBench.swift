import CardSecrets
import Determinism
import MSR
import MagneticStripe
import Simulator
import Testing
import USB

/// A simulated magnetic stripe reader on a simulated bus, and the driver on it.
struct StripeBench {
    let clock = SimulationClock(VirtualTimeSource())
    let bus: SimulatedUSBBus
    let reader: SimulatedMagneticStripeReader
    let device: USBDevice
    let driver: MagneticStripeReader

    init(_ model: SimulatedMSRModel) async throws {
        bus = SimulatedUSBBus(clock: clock)
        reader = SimulatedMagneticStripeReader(model: model, clock: clock)
        device = bus.plug(reader)
        let interface = try #require(MSRInterface.find(in: device))
        driver = try await MagneticStripeReader.open(device, interface, on: bus)
    }

    static func stripe(_ name: String = "visa-credit") throws -> SimulatedStripe {
        let profile = try #require(try CardProfileLibrary.profile(name).stripe)
        return try SimulatedStripe(profile, keys: TestKeys.embedded())
    }

    /// Waits for a swipe that happens after somebody waits for it.
    func swiping(_ stripe: SimulatedStripe) async throws -> Swipe {
        clock.schedule(after: .seconds(1)) { [reader] in reader.swipe(stripe) }
        return try await driver.swipe()
    }

    /// What waiting for a swipe failed with; nil when one came.
    static func failure(_ driver: MagneticStripeReader) async -> MSRError? {
        do throws(MSRError) {
            _ = try await driver.swipe()
            return nil
        } catch {
            return error
        }
    }
}
