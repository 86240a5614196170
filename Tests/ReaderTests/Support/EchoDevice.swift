import Simulator
import Synchronization
import USB

/// A device that gives back what it was given: what is written to endpoint 03 can be read from 82. It notifies on 81 when
/// told to.
final class EchoDevice: SimulatedUSBDevice {
    private struct State {
        var bulk: [[UInt8]] = []
        var notices: [[UInt8]] = []
        var stalling: Set<UInt8> = []
        var overflows = false
    }

    static let bulkOut: UInt8 = 0x03
    static let bulkIn: UInt8 = 0x82
    static let interruptIn: UInt8 = 0x81

    private let clock: SimulationClock
    private let state = Mutex(State())

    init(clock: SimulationClock) { self.clock = clock }

    let descriptors = SimulatedUSBDescriptors(
        // For tests: pid.codes sets it aside.
        device: USBDeviceDescriptor(vendorID: 0x1209, productID: 0x0001, release: 0x0100),
        configuration: USBConfiguration(
            value: 1,
            interfaces: [
                USBInterface(
                    number: 0, classCode: 0x0B,
                    endpoints: [
                        USBEndpoint(address: interruptIn, kind: .interrupt, maximumPacketSize: 8, interval: 16),
                        USBEndpoint(address: bulkIn, kind: .bulk, maximumPacketSize: 64),
                        USBEndpoint(address: bulkOut, kind: .bulk, maximumPacketSize: 64),
                    ], classDescriptors: [[0x36, 0x21] + [UInt8](repeating: 0, count: 52)])
            ]), manufacturer: "CardPresent", product: "Echo", serialNumber: "0001")

    func notify(_ bytes: [UInt8]) {
        // An event of the clock's, which wakes whoever waits.
        clock.schedule(after: .zero) { [weak self] in self?.state.withLock { $0.notices.append(bytes) } }
    }

    /// The next transfer on an endpoint stalls, which halts it.
    func stall(_ endpoint: UInt8) { state.withLock { _ = $0.stalling.insert(endpoint) } }

    /// The next bulk IN transfer brings more than was asked for.
    func overflow() { state.withLock { $0.overflows = true } }

    func plugged(unplug: @escaping @Sendable () -> Void) {}
    func unplugged() { reset() }
    func reset() { state.withLock { $0 = State() } }
    func control(_ request: USBControlRequest) -> [UInt8]? { nil }

    func write(_ bytes: [UInt8], endpoint: UInt8) -> Bool {
        state.withLock { state in
            guard state.stalling.remove(endpoint) == nil else { return false }
            state.bulk.append(bytes)
            return true
        }
    }

    func read(endpoint: UInt8, maximumLength: Int) -> SimulatedUSBInput {
        state.withLock { state in
            guard state.stalling.remove(endpoint) == nil else { return .stall }
            guard endpoint == Self.bulkIn else {
                return state.notices.isEmpty ? .notYet(nil) : .data(state.notices.removeFirst())
            }
            defer { state.overflows = false }
            if state.overflows { return .overflow }
            return state.bulk.isEmpty ? .notYet(nil) : .data(state.bulk.removeFirst())
        }
    }

    func hasInput(endpoint: UInt8) -> Bool {
        state.withLock { state in
            if state.stalling.contains(endpoint) { return true }
            return endpoint == Self.bulkIn ? state.overflows || !state.bulk.isEmpty : !state.notices.isEmpty
        }
    }
}
