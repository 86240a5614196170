import MagneticStripe
import SmartCard
import Synchronization
import USB

/// A magnetic stripe reader on a USB bus, opened by this program's own driver.
final class MagneticStripeReaderSession: CardReaderSession {
    private let driver: MagneticStripeReader
    private let bus: any USBBus

    /// - Parameters:
    ///   - driver: The open reader.
    ///   - bus: The bus of the reader.
    init(_ driver: MagneticStripeReader, on bus: any USBBus) { (self.driver, self.bus) = (driver, bus) }

    /// Opens the reader of a device.
    ///
    /// - Throws: ``UnderlyingError``
    static func open(
        _ device: USBDevice, _ interface: MagneticStripeInterface, on bus: any USBBus, path: HIDAccess
    ) async throws(UnderlyingError) -> MagneticStripeReaderSession {
        do throws(MagneticStripeReaderError) {
            return MagneticStripeReaderSession(
                try await MagneticStripeReader.open(device, interface, on: bus, path: path), on: bus)
        } catch {
            throw UnderlyingError(error)
        }
    }

    /// Whether the reader no longer accepts swipes.
    var isLost: Bool { driver.loss != nil }

    func inputs() async -> CardReaderInput { .swipe }

    func expectSwipe() { driver.expect() }

    func swipe() async throws(UnderlyingError) -> Swipe {
        do throws(MagneticStripeReaderError) {
            return try await driver.swipe()
        } catch {
            throw UnderlyingError(error)
        }
    }

    func waitForCard(present: Bool, timeout: Duration) async throws(UnderlyingError) -> Bool {
        // A swiped card does not stay in the reader.
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

/// A chip card reader and a magnetic stripe reader that take cards together: in one device, or as two devices. The chip
/// reader determines the session; the stripe reader may be plugged in and unplugged.
final class CombinedReaderSession: CardReaderSession {
    private struct State {
        var stripe: MagneticStripeReaderSession?
        /// Why the current stripe reader cannot be used.
        var fault: UnderlyingError?
        var isClosed = false
    }

    private let chip: any CardReaderSession
    private let findStripe: @Sendable () async -> MagneticStripeReaderSearch
    private let state = Mutex(State())

    /// - Parameters:
    ///   - chip: The open chip reader.
    ///   - findStripe: Opens a stripe reader. Called before each payment, while there is none.
    init(chip: any CardReaderSession, findStripe: @escaping @Sendable () async -> MagneticStripeReaderSearch) {
        (self.chip, self.findStripe) = (chip, findStripe)
    }

    func inputs() async -> CardReaderInput {
        let present = state.withLock { $0.stripe }
        let inputs = await chip.inputs()
        if let present, !present.isLost { return inputs.union(.swipe) }
        await present?.close()
        var found: MagneticStripeReaderSession?
        var fault: UnderlyingError?
        switch await findStripe() {
        case .nothing: break
        case .opened(let session): found = session
        case .failed(let error): fault = error
        }
        let isTaken = state.withLock { [found, fault] state in
            (state.stripe, state.fault) = (state.isClosed ? nil : found, fault)
            return !state.isClosed
        }
        if !isTaken { await found?.close() }
        return isTaken && found != nil ? inputs.union(.swipe) : inputs
    }

    var contactlessField: (any ContactlessField)? { chip.contactlessField }

    var stripeFault: UnderlyingError? { state.withLock { $0.fault } }

    func expectSwipe() { state.withLock { $0.stripe }?.expectSwipe() }

    func swipe() async throws(UnderlyingError) -> Swipe {
        guard let stripe = state.withLock({ $0.stripe }) else {
            throw .featureNotAvailable("there is no magnetic stripe reader")
        }
        return try await stripe.swipe()
    }

    func waitForCard(present: Bool, timeout: Duration) async throws(UnderlyingError) -> Bool {
        try await chip.waitForCard(present: present, timeout: timeout)
    }

    func powerOn() async throws(UnderlyingError) -> any CardChannel { try await chip.powerOn() }

    func powerOff() async { await chip.powerOff() }

    func batteryLevel() async -> Double? { await chip.batteryLevel() }

    func loss() async -> DisconnectReason? { await chip.loss() }

    func onRecovery(_ observe: @escaping @Sendable (ReaderRecoveryStep) -> Void) { chip.onRecovery(observe) }

    func close() async {
        let stripe = state.withLock { state in
            state.isClosed = true
            return state.stripe.take()
        }
        await stripe?.close()
        await chip.close()
    }
}
