import Synchronization
public import USB

/// A device whose firmware can be replaced over USB (DFU 1.1). At work it is the inner device with one more
/// interface; in update mode it only takes firmware. It re-enumerates whenever its mode changes.
public final class SimulatedUpdatableDevice: SimulatedUSBDevice {
    private struct State {
        var firmware: DFUFirmware
        var unplug: (@Sendable () -> Void)?
        /// The delay until the device returns to the bus by itself.
        var returnsAfter: Duration?
        var fault: SimulatedFirmwareFault?
        /// The length of the firmware being downloaded, in bytes, for faults in the middle of a download.
        var expected: Int?
    }

    private let inner: any SimulatedUSBDevice
    private let habits: SimulatedFirmwareOptions
    private let clock: SimulationClock
    private let state: Mutex<State>

    /// Creates the device.
    ///
    /// - Parameters:
    ///   - inner: the device at work.
    ///   - habits: how it accepts firmware.
    ///   - clock: the clock of its bus.
    public init(_ inner: any SimulatedUSBDevice, habits: SimulatedFirmwareOptions, clock: SimulationClock) {
        (self.inner, self.habits, self.clock) = (inner, habits, clock)
        state = Mutex(State(firmware: DFUFirmware(habits)))
    }

    /// The bcdDevice of the installed firmware; nil if none runs.
    public var release: UInt16? { state.withLock { $0.firmware.installed?.release } }

    /// Whether the device is in update mode.
    public var isInUpdateMode: Bool { state.withLock { !$0.firmware.isAtWork } }

    /// Arms a fault. A fault in the middle of a download needs `expected`, the length of the firmware in bytes.
    public func arm(_ fault: SimulatedFirmwareFault, expected: Int? = nil) {
        state.withLock { state in
            (state.fault, state.firmware.fault, state.expected) = (fault, fault, expected)
        }
    }

    // MARK: Host side

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
            // A device that returns by itself has already chosen its mode.
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

    /// Does nothing in update mode: only a bus reset ends it (DFU 1.1 §A.2).
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
        // The device answers the request before it leaves.
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

    // MARK: Private

    /// The interface number of DFU at work, after the inner device's interfaces.
    private var ownInterface: UInt8 {
        (inner.descriptors.configuration.interfaces.map(\.number).max() ?? 0) &+ 1
    }

    /// The DFU functional descriptor (DFU 1.1 §4.1.3): version 1.1, download only.
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
            // The device with this fault never returns to work.
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
