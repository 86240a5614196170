internal import MSR
internal import SmartCard
internal import USB

/// A magnetic stripe reader on a USB bus, opened by this program's own driver.
final class StripeReaderSession: CardReaderSession {
    private let driver: MagneticStripeReader
    private let bus: any USBBus

    /// - Parameters:
    ///   - driver: the open reader.
    ///   - bus: where it is.
    init(_ driver: MagneticStripeReader, on bus: any USBBus) { (self.driver, self.bus) = (driver, bus) }

    /// Opens the reader of a device.
    ///
    /// - Throws: ``UnderlyingError``
    static func open(
        _ device: USBDevice, _ interface: MSRInterface, on bus: any USBBus, path: MSRPath
    ) async throws(UnderlyingError) -> StripeReaderSession {
        do throws(MSRError) {
            return StripeReaderSession(
                try await MagneticStripeReader.open(device, interface, on: bus, path: path), on: bus)
        } catch {
            throw UnderlyingError(error)
        }
    }

    /// Whether the reader takes no swipes any more.
    var isLost: Bool { driver.loss != nil }

    func inputs() async -> CardReaderInput { .swipe }

    func expectSwipe() { driver.expect() }

    func swipe() async throws(UnderlyingError) -> Swipe {
        do throws(MSRError) {
            return try await driver.swipe()
        } catch {
            throw UnderlyingError(error)
        }
    }

    func waitForCard(present: Bool, timeout: Duration) async throws(UnderlyingError) -> Bool {
        // No card stays in it.
        guard present else { return true }
        throw .featureNotAvailable("this reader has no slot for chip cards")
    }

    func powerOn() async throws(UnderlyingError) -> any CardChannel {
        throw .featureNotAvailable("this reader has no slot for chip cards")
    }

    func powerOff() async {}

    func batteryLevel() async -> Double? { nil }

    func loss() async -> DisconnectReason? {
        guard let loss = driver.loss else { return nil }
        let (bus, device) = (bus, driver.device)
        let isPresent = await Task {
            (try? await bus.devices())?.contains { $0.bus == device.bus && $0.address == device.address }
        }.value
        return isPresent == false ? .unplugged : .failed(loss.description)
    }

    func close() async { await driver.close() }
}
