internal import Synchronization
internal import USB

/// A device from the moment it is plugged in until it is pulled out: its address, who has claimed its
/// interfaces, which endpoints are halted, and the standard requests that every device answers alike.
final class SimulatedUSBPort: Sendable {
    private struct State {
        var isConnected = true
        var owners: [UInt8: ObjectIdentifier] = [:]
        var halted: Set<UInt8> = []
    }

    let simulated: any SimulatedUSBDevice
    let device: USBDevice
    private let state = Mutex(State())

    init(_ simulated: any SimulatedUSBDevice, bus: UInt8, address: UInt8) {
        self.simulated = simulated
        let descriptors = simulated.descriptors
        device = USBDevice(
            bus: bus, address: address, descriptor: descriptors.device, configuration: descriptors.configuration,
            manufacturer: descriptors.manufacturer, product: descriptors.product,
            serialNumber: descriptors.serialNumber)
    }

    var isConnected: Bool { state.withLock { $0.isConnected } }

    func disconnect() { state.withLock { $0.isConnected = false } }

    func claim(interface: UInt8, by owner: ObjectIdentifier) throws(USBError) {
        guard interfaces.contains(where: { $0.number == interface }) else { throw .notFound }
        let isFree = state.withLock { state in
            guard state.owners[interface] == nil || state.owners[interface] == owner else { return false }
            state.owners[interface] = owner
            return true
        }
        guard isFree else { throw .busy }
    }

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
        guard !state.withLock({ $0.halted.contains(endpoint) }) else { throw .stalled }
    }

    func halt(_ endpoint: UInt8) { state.withLock { _ = $0.halted.insert(endpoint) } }

    func clearHalt(_ endpoint: UInt8) throws(USBError) {
        guard interfaces.contains(where: { $0.endpoints.contains { $0.address == endpoint } }) else { throw .notFound }
        state.withLock { _ = $0.halted.remove(endpoint) }
    }

    func reset() {
        state.withLock { $0.halted = [] }
        simulated.reset()
    }

    /// Answers a control transfer; nil is a stall.
    func control(_ request: USBControlRequest) -> [UInt8]? {
        let answer = request.requestType & 0x60 == 0 ? standard(request) : simulated.control(request)
        return answer.map { request.isInput ? Array($0.prefix(Int(request.length))) : [] }
    }

    private var interfaces: [USBInterface] { device.configuration?.interfaces ?? [] }

    /// USB 2.0 §9.4. Nothing here can be reconfigured, so SET requests only take what is already so.
    private func standard(_ request: USBControlRequest) -> [UInt8]? {
        let descriptors = simulated.descriptors
        let endpoint = UInt8(truncatingIfNeeded: request.index)
        switch (request.requestType, request.request) {
        case (0x80, 0x06):
            switch request.value >> 8 {
            case 1: return descriptors.deviceBytes
            case 2: return request.value & 0xFF == 0 ? descriptors.configurationBytes : nil
            case 3: return descriptors.stringBytes(UInt8(request.value & 0xFF))
            default: return nil
            }
        case (0x80, 0x00), (0x81, 0x00): return [0, 0]
        case (0x82, 0x00): return [state.withLock { $0.halted.contains(endpoint) } ? 1 : 0, 0]
        case (0x80, 0x08): return [descriptors.configuration.value]
        case (0x00, 0x09): return request.value == UInt16(descriptors.configuration.value) ? [] : nil
        case (0x81, 0x0A): return [0]
        case (0x01, 0x0B): return request.value == 0 ? [] : nil
        case (0x02, 0x01) where request.value == 0:
            do throws(USBError) { try clearHalt(endpoint) } catch { return nil }
            return []
        default: return nil
        }
    }
}
