internal import Synchronization
public import USB

/// A device whose firmware can be replaced over USB (DFU 1.1): at work it is what it is, with an interface more; in update
/// mode it does nothing but take firmware. It comes to the bus anew whenever it changes its mode.
public final class SimulatedUpdatableDevice: SimulatedUSBDevice {
    private struct State {
        var firmware: DFUFirmware
        var unplug: (@Sendable () -> Void)?
        /// It leaves the bus to come back by itself, after so long.
        var returnsAfter: Duration?
        var fault: SimulatedFirmwareFault?
        /// Length of the firmware that is on its way, for faults that come in the middle.
        var expected: Int?
    }

    private let inner: any SimulatedUSBDevice
    private let habits: SimulatedFirmwareHabits
    private let clock: SimulationClock
    private let state: Mutex<State>

    /// - Parameters:
    ///   - inner: what the device is at work.
    ///   - habits: how it takes firmware.
    ///   - clock: what it lives by.
    public init(_ inner: any SimulatedUSBDevice, habits: SimulatedFirmwareHabits, clock: SimulationClock) {
        (self.inner, self.habits, self.clock) = (inner, habits, clock)
        state = Mutex(State(firmware: DFUFirmware(habits)))
    }

    /// bcdDevice of the firmware in it; nil when none runs.
    public var release: UInt16? { state.withLock { $0.firmware.installed?.release } }

    /// Whether it does nothing but take firmware.
    public var isInUpdateMode: Bool { state.withLock { !$0.firmware.isAtWork } }

    /// Arms a fault. For one that comes in the middle, `expected` is the length of the firmware in bytes.
    public func arm(_ fault: SimulatedFirmwareFault, expected: Int? = nil) {
        state.withLock { state in
            (state.fault, state.firmware.fault, state.expected) = (fault, fault, expected)
        }
    }

    // MARK: What the host sees

    public var descriptors: SimulatedUSBDescriptors {
        let firmware = state.withLock { $0.firmware }
        var descriptors = inner.descriptors
        let mode: UInt8 = firmware.isAtWork ? 1 : 2
        let interface = USBInterface(
            number: firmware.isAtWork ? ownInterface : 0, classCode: 0xFE, subclassCode: 0x01, protocolCode: mode,
            endpoints: [], classDescriptors: [functionalDescriptor])
        descriptors.device.release = firmware.installed?.release ?? 0
        guard !firmware.isAtWork else {
            descriptors.configuration.interfaces.append(interface)
            return descriptors
        }
        descriptors.device.productID = habits.updateProductID
        descriptors.configuration.interfaces = [interface]
        return descriptors
    }

    public var keepsHalts: Bool { inner.keepsHalts }

    public var returnsAfter: Duration? { state.withLock { $0.returnsAfter } }

    public func plugged(unplug: @escaping @Sendable () -> Void) {
        let isAtWork = state.withLock { state in
            let isReturn = state.returnsAfter != nil
            (state.unplug, state.returnsAfter) = (unplug, nil)
            // One that comes by itself has decided what it is.
            if !isReturn { _ = state.firmware.restart(at: clock.now(), withPower: true) }
            return state.firmware.isAtWork
        }
        if isAtWork { inner.plugged(unplug: unplug) }
    }

    public func unplugged() {
        state.withLock { $0.unplug = nil }
        inner.unplugged()
    }

    public func reset() {
        let now = clock.now()
        let (isAtWork, changesMode) = state.withLock { state in
            let isAtWork = state.firmware.isAtWork
            return (isAtWork, state.firmware.restart(at: now, withPower: false))
        }
        if changesMode { comeAnew() } else if isAtWork { inner.reset() }
    }

    /// In update mode there is nothing to begin anew: only a reset of the bus ends it (DFU 1.1 §A.2).
    public func configured() {
        if !isInUpdateMode { inner.configured() }
    }

    public func write(_ bytes: [UInt8], endpoint: UInt8) -> Bool {
        !isInUpdateMode && inner.write(bytes, endpoint: endpoint)
    }

    public func read(endpoint: UInt8, maximumLength: Int) -> SimulatedUSBInput {
        isInUpdateMode ? .stall : inner.read(endpoint: endpoint, maximumLength: maximumLength)
    }

    public func hasInput(endpoint: UInt8) -> Bool { isInUpdateMode || inner.hasInput(endpoint: endpoint) }

    public func control(_ request: USBControlRequest) -> [UInt8]? {
        let isOwn =
            request.requestType & 0x7F == 0x21 && UInt8(request.index & 0xFF) == (isInUpdateMode ? 0 : ownInterface)
        guard isOwn else { return isInUpdateMode ? nil : inner.control(request) }
        let now = clock.now()
        var (leaves, isPulledOut, manifests) = (false, false, false)
        let answer = state.withLock { state in
            let before = state.firmware.isManifesting
            let answer = state.firmware.answer(request.request, request.data, at: now)
            leaves = request.request == 0 && state.firmware.state == .appDetach && habits.detachesItself
            if case .unplugged(let percent) = state.fault, request.request == 1, let expected = state.expected {
                isPulledOut = state.firmware.percent(of: expected) >= percent
            }
            manifests = !before && state.firmware.isManifesting && state.fault == .restartsByItself
            return answer
        }
        // The request is answered first.
        if leaves {
            clock.schedule(after: .milliseconds(10)) { [weak self] in
                self?.state.withLock { $0.firmware.enterUpdateMode() }
                self?.comeAnew()
            }
        }
        if manifests {
            clock.schedule(after: habits.manifestationTime) { [weak self] in self?.reset() }
        }
        if isPulledOut { pullOut() }
        return answer
    }

    // MARK: Inside

    /// Interface number of DFU at work: behind the others.
    private var ownInterface: UInt8 {
        (inner.descriptors.configuration.interfaces.map(\.number).max() ?? 0) &+ 1
    }

    /// DFU functional descriptor (§4.1.3): 1.1, can be written, not read.
    private var functionalDescriptor: [UInt8] {
        let attributes: UInt8 = 0x01 | (habits.survivesManifestation ? 0x04 : 0) | (habits.detachesItself ? 0x08 : 0)
        let timeout = UInt16(
            clamping: habits.detachTimeout.components.seconds * 1000
                + habits.detachTimeout.components.attoseconds / 1_000_000_000_000_000)
        let size = UInt16(clamping: habits.transferSize)
        return [
            9, 0x21, attributes, UInt8(timeout & 0xFF), UInt8(timeout >> 8), UInt8(size & 0xFF), UInt8(size >> 8), 0x10,
            1,
        ]
    }

    private func comeAnew() {
        let unplug = state.withLock { state in
            // With that fault it is gone for good when it should come back to work.
            if state.fault == .doesNotReturn, state.firmware.isAtWork {
                state.fault = nil
            } else {
                state.returnsAfter = habits.restartTime
            }
            return state.unplug
        }
        unplug?()
    }

    private func pullOut() {
        let unplug = state.withLock { state in
            (state.fault, state.firmware.fault) = (nil, nil)
            return state.unplug
        }
        unplug?()
    }
}
