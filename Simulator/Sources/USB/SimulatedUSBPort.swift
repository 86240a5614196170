internal import Synchronization
internal import USB

/// A device from the moment it is plugged in until it is pulled out: its address, who has claimed its
/// interfaces, which endpoints are halted, and the standard requests that every device answers alike.
final class SimulatedUSBPort: Sendable {
    private struct State {
        var isConnected = true
        var owners: [UInt8: ObjectIdentifier] = [:]
        var halted: Set<UInt8> = []
        /// Endpoints whose data toggle is at the beginning in the device and not in the host: one transfer is lost.
        var outOfStep: Set<UInt8> = []
        var isConfigured = true
        /// The alternate setting of each interface that is not in its first one.
        var settings: [UInt8: UInt8] = [:]
    }

    let simulated: any SimulatedUSBDevice
    let device: USBDevice
    /// The number of the port, counted from 1.
    let number: Int
    private let state = Mutex(State())

    init(_ simulated: any SimulatedUSBDevice, bus: UInt8, address: UInt8, number: Int) {
        (self.simulated, self.number) = (simulated, number)
        let descriptors = simulated.descriptors
        device = USBDevice(
            bus: bus, address: address, port: "\(bus)-\(number)", descriptor: descriptors.device,
            configuration: descriptors.configuration, manufacturer: descriptors.manufacturer,
            product: descriptors.product,
            serialNumber: descriptors.serialNumber)
    }

    var isConnected: Bool { state.withLock { $0.isConnected } }

    func disconnect() { state.withLock { $0.isConnected = false } }

    // MARK: Who has it

    func claim(interface: UInt8, by owner: ObjectIdentifier) throws(USBError) {
        guard interfaces.contains(where: { $0.number == interface }) else { throw .notFound }
        let isFree = state.withLock { state in
            guard state.owners[interface] == nil || state.owners[interface] == owner else { return false }
            state.owners[interface] = owner
            return true
        }
        guard isFree else { throw .busy }
    }

    /// Claims every interface, or none.
    ///
    /// - Returns: false when somebody has one of them.
    func claimAll(by owner: ObjectIdentifier) -> Bool {
        let numbers = interfaces.map(\.number)
        return state.withLock { state in
            guard state.owners.isEmpty else { return false }
            for number in numbers { state.owners[number] = owner }
            return true
        }
    }

    /// Whether nobody has any of its interfaces.
    var isFree: Bool { state.withLock { $0.owners.isEmpty } }

    func release(interface: UInt8, by owner: ObjectIdentifier) throws(USBError) {
        let wasOwner = state.withLock { state in
            guard state.owners[interface] == owner else { return false }
            state.owners[interface] = nil
            return true
        }
        guard wasOwner else { throw .notFound }
    }

    func releaseAll(by owner: ObjectIdentifier) {
        state.withLock { state in state.owners = state.owners.filter { $0.value != owner } }
    }

    /// Whether a transfer may run: the device is there, and has this endpoint in an interface that `owner` claimed.
    func check(_ endpoint: UInt8, _ kind: USBEndpoint.Kind, _ owner: ObjectIdentifier) throws(USBError) {
        guard isConnected else { throw .disconnected }
        let interface = interfaces.first { $0.endpoints.contains { $0.address == endpoint && $0.kind == kind } }
        guard let interface, state.withLock({ $0.owners[interface.number] }) == owner else { throw .notFound }
    }

    // MARK: Transfers

    /// Sends an OUT transfer. A stall halts the endpoint.
    ///
    /// - Returns: false when the endpoint stalls, is halted or is not there.
    func write(_ bytes: [UInt8], endpoint: UInt8) -> Bool {
        guard endpoint & 0x80 == 0, isUsable(endpoint) else { return false }
        // Taken for a repetition of the transfer before: acknowledged and thrown away (USB 2.0 §8.6.4).
        if takeStep(endpoint) { return true }
        guard simulated.write(bytes, endpoint: endpoint) else {
            halt(endpoint)
            return false
        }
        return true
    }

    /// Gives an IN transfer. A stall halts the endpoint; one that is halted, or not there, stalls.
    func read(endpoint: UInt8, maximumLength: Int) -> SimulatedUSBInput {
        guard endpoint & 0x80 != 0, isUsable(endpoint) else { return .stall }
        var input = simulated.read(endpoint: endpoint, maximumLength: max(0, maximumLength))
        // The host throws it away for the same reason.
        if case .data = input, takeStep(endpoint) {
            input = simulated.read(endpoint: endpoint, maximumLength: max(0, maximumLength))
        }
        if case .stall = input { halt(endpoint) }
        return input
    }

    /// Whether ``read(endpoint:maximumLength:)`` would give anything but NAK.
    func hasInput(endpoint: UInt8) -> Bool { !isUsable(endpoint) || simulated.hasInput(endpoint: endpoint) }

    func clearHalt(_ endpoint: UInt8) throws(USBError) {
        guard exists(endpoint) else { throw .notFound }
        guard simulated.keepsHalts else {
            throw .other("the USB device refused to clear the halt of endpoint \(String(endpoint, radix: 16))")
        }
        state.withLock { state in
            state.halted.remove(endpoint)
            state.outOfStep.remove(endpoint)
        }
    }

    func reset() {
        forget()
        simulated.reset()
    }

    private func forget() {
        state.withLock { ($0.halted, $0.outOfStep, $0.settings, $0.isConfigured) = ([], [], [:], true) }
    }

    /// The machine slept and the bus lost its power: the device begins anew, and the host goes on where it was.
    func loseStep() {
        reset()
        let endpoints = interfaces.flatMap(\.endpoints).filter { $0.kind == .bulk }.map(\.address)
        state.withLock { $0.outOfStep = Set(endpoints) }
    }

    private func takeStep(_ endpoint: UInt8) -> Bool {
        state.withLock { $0.outOfStep.remove(endpoint) != nil }
    }

    /// Answers a control transfer; nil is a stall.
    func control(_ request: USBControlRequest) -> [UInt8]? {
        let answer = request.requestType & 0x60 == 0 ? standard(request) : simulated.control(request)
        return answer.map { request.isInput ? Array($0.prefix(Int(request.length))) : [] }
    }

    // MARK: Inside

    private var interfaces: [USBInterface] { device.configuration?.interfaces ?? [] }

    private func halt(_ endpoint: UInt8) {
        if simulated.keepsHalts { state.withLock { _ = $0.halted.insert(endpoint) } }
    }

    private func exists(_ endpoint: UInt8) -> Bool {
        interfaces.contains { $0.endpoints.contains { $0.address == endpoint } }
    }

    private func isUsable(_ endpoint: UInt8) -> Bool {
        state.withLock { state in
            state.isConfigured && !state.halted.contains(endpoint)
                && interfaces.contains { interface in
                    interface.alternateSetting == state.settings[interface.number, default: 0]
                        && interface.endpoints.contains { $0.address == endpoint }
                }
        }
    }

    /// USB 2.0 §9.4. What a device of one class answers beyond that, such as a report descriptor, is its own.
    private func standard(_ request: USBControlRequest) -> [UInt8]? {
        let descriptors = simulated.descriptors
        let recipient = UInt8(truncatingIfNeeded: request.index)
        switch (request.requestType, request.request) {
        case (0x80, 0x06):
            switch (request.value >> 8, request.value & 0xFF) {
            case (1, _): return descriptors.deviceBytes
            case (2, 0): return descriptors.configurationBytes
            case (3, let index): return descriptors.stringBytes(UInt8(index))
            case (6, _): return descriptors.deviceQualifierBytes
            default: return nil
            }
        // GET_STATUS: powered by the bus, no remote wakeup.
        case (0x80, 0x00): return [0, 0]
        case (0x81, 0x00): return hasInterface(recipient) ? [0, 0] : nil
        case (0x82, 0x00):
            guard recipient & 0x0F == 0 || exists(recipient) else { return nil }
            return [state.withLock { $0.halted.contains(recipient) } ? 1 : 0, 0]
        // GET_CONFIGURATION, SET_CONFIGURATION, SET_ADDRESS, which is between the host and the bus
        case (0x80, 0x08): return [state.withLock { $0.isConfigured } ? descriptors.configuration.value : 0]
        case (0x00, 0x09): return configure(request.value)
        case (0x00, 0x05): return []
        // GET_INTERFACE, SET_INTERFACE
        case (0x81, 0x0A): return hasInterface(recipient) ? [state.withLock { $0.settings[recipient] ?? 0 }] : nil
        case (0x01, 0x0B): return set(interface: recipient, to: request.value)
        // CLEAR_FEATURE and SET_FEATURE of ENDPOINT_HALT
        case (0x02, 0x01) where request.value == 0:
            do throws(USBError) { try clearHalt(recipient) } catch { return nil }
            return []
        case (0x02, 0x03) where request.value == 0 && exists(recipient):
            halt(recipient)
            return []
        case (0x00, _): return nil
        default: return simulated.control(request)
        }
    }

    private func hasInterface(_ number: UInt8) -> Bool { interfaces.contains { $0.number == number } }

    /// SET_CONFIGURATION: every endpoint and interface is as after a reset.
    private func configure(_ value: UInt16) -> [UInt8]? {
        guard value == 0 || value == UInt16(simulated.descriptors.configuration.value) else { return nil }
        forget()
        simulated.configured()
        state.withLock { $0.isConfigured = value != 0 }
        return []
    }

    private func set(interface number: UInt8, to setting: UInt16) -> [UInt8]? {
        let interface = interfaces.first { $0.number == number && UInt16($0.alternateSetting) == setting }
        guard let interface else { return nil }
        state.withLock { state in
            state.settings[number] = interface.alternateSetting
            for endpoint in interface.endpoints { state.halted.remove(endpoint.address) }
        }
        return []
    }
}
