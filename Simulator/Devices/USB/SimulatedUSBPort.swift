import Synchronization
import USB

/// A device while it is plugged in: its address, the owners of its interfaces, its halted endpoints, and the standard
/// requests that every device answers alike.
final class SimulatedUSBPort: Sendable {
    private struct State {
        var isConnected = true
        var owners: [UInt8: ObjectIdentifier] = [:]
        var halted: Set<UInt8> = []
        /// Endpoints whose data toggle was reset in the device but not in the host: one transfer is lost.
        var outOfSync: Set<UInt8> = []
        var isConfigured = true
        /// The alternate settings of interfaces that are not in setting 0.
        var settings: [UInt8: UInt8] = [:]
    }

    let simulated: any SimulatedUSBDevice
    let device: USBDevice
    /// The port number, counted from 1.
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

    // MARK: Claiming

    func claim(interface: UInt8, by owner: ObjectIdentifier) throws(USBError) {
        guard interfaces.contains(where: { $0.number == interface }) else { throw .notFound }
        let isFree = state.withLock { state in
            guard state.owners[interface] == nil || state.owners[interface] == owner else { return false }
            state.owners[interface] = owner
            return true
        }
        guard isFree else { throw .busy }
    }

    /// Claims all interfaces or none.
    ///
    /// - Returns: false if any of them is claimed.
    func claimAll(by owner: ObjectIdentifier) -> Bool {
        let numbers = interfaces.map(\.number)
        return state.withLock { state in
            guard state.owners.isEmpty else { return false }
            for number in numbers { state.owners[number] = owner }
            return true
        }
    }

    /// Whether no interface is claimed.
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

    /// Checks that a transfer may run: the device is connected, and `owner` has claimed the interface of the
    /// endpoint.
    func check(_ endpoint: UInt8, _ kind: USBEndpoint.Kind, _ owner: ObjectIdentifier) throws(USBError) {
        guard isConnected else { throw .disconnected }
        let interface = interfaces.first { $0.endpoints.contains { $0.address == endpoint && $0.kind == kind } }
        guard let interface, state.withLock({ $0.owners[interface.number] }) == owner else { throw .notFound }
    }

    // MARK: Transfers

    /// Sends an OUT transfer. A stall halts the endpoint.
    ///
    /// - Returns: false if the endpoint stalls, is halted, or does not exist.
    func write(_ bytes: [UInt8], endpoint: UInt8) -> Bool {
        guard endpoint & 0x80 == 0, isUsable(endpoint) else { return false }
        // The device takes it for a repetition of the previous transfer: it acknowledges and discards it (USB 2.0
        // §8.6.4).
        if discardsTransfer(endpoint) { return true }
        guard simulated.write(bytes, endpoint: endpoint) else {
            halt(endpoint)
            return false
        }
        return true
    }

    /// Returns an IN transfer. A stall halts the endpoint; a halted or missing endpoint stalls.
    func read(endpoint: UInt8, maximumLength: Int) -> SimulatedUSBInput {
        guard endpoint & 0x80 != 0, isUsable(endpoint) else { return .stall }
        var input = simulated.read(endpoint: endpoint, maximumLength: max(0, maximumLength))
        // The host discards it for the same reason.
        if case .data = input, discardsTransfer(endpoint) {
            input = simulated.read(endpoint: endpoint, maximumLength: max(0, maximumLength))
        }
        if case .stall = input { halt(endpoint) }
        return input
    }

    /// Whether ``read(endpoint:maximumLength:)`` would return anything but NAK.
    func hasInput(endpoint: UInt8) -> Bool { !isUsable(endpoint) || simulated.hasInput(endpoint: endpoint) }

    func clearHalt(_ endpoint: UInt8) throws(USBError) {
        guard exists(endpoint) else { throw .notFound }
        guard simulated.keepsHalts else {
            throw .other("the USB device refused to clear the halt of endpoint \(String(endpoint, radix: 16))")
        }
        state.withLock { state in
            state.halted.remove(endpoint)
            state.outOfSync.remove(endpoint)
        }
    }

    func reset() {
        forget()
        simulated.reset()
    }

    private func forget() {
        state.withLock { ($0.halted, $0.outOfSync, $0.settings, $0.isConfigured) = ([], [], [:], true) }
    }

    /// Simulates a suspend with power loss: the device restarts, and the host continues where it was.
    func loseSync() {
        reset()
        let endpoints = interfaces.flatMap(\.endpoints).filter { $0.kind == .bulk }.map(\.address)
        state.withLock { $0.outOfSync = Set(endpoints) }
    }

    private func discardsTransfer(_ endpoint: UInt8) -> Bool {
        state.withLock { $0.outOfSync.remove(endpoint) != nil }
    }

    /// Answers a control transfer; nil is a stall.
    func control(_ request: USBControlRequest) -> [UInt8]? {
        let answer = request.requestType & 0x60 == 0 ? standard(request) : simulated.control(request)
        return answer.map { request.isInput ? Array($0.prefix(Int(request.length))) : [] }
    }

    // MARK: Private

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

    /// Answers a standard request (USB 2.0 §9.4). The device answers class-specific ones, such as a report
    /// descriptor.
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
        // GET_STATUS: bus powered, no remote wakeup.
        case (0x80, 0x00): return [0, 0]
        case (0x81, 0x00): return hasInterface(recipient) ? [0, 0] : nil
        case (0x82, 0x00):
            guard recipient & 0x0F == 0 || exists(recipient) else { return nil }
            return [state.withLock { $0.halted.contains(recipient) } ? 1 : 0, 0]
        // GET_CONFIGURATION, SET_CONFIGURATION, and SET_ADDRESS, which the bus handles
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

    /// Handles SET_CONFIGURATION, which resets all endpoints and interfaces.
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
