import Simulator
import Synchronization
import USB

/// A simulated bus whose device states are set by a test.
final class TalkativeBus: USBBus {
    struct Words: Sendable {
        var openError: USBError?
        /// Products that may not be opened.
        var closed: Set<UInt16> = []
        /// The kernel's HID driver has no interface.
        var hidesReports = false
        var overcurrents: Int?
        var isAuthorized: Bool?
        var group: String?
        var owners: [USBDeviceOwner] = []
    }

    let bus: SimulatedUSBBus
    private let words = Mutex(Words())

    init(_ bus: SimulatedUSBBus) { self.bus = bus }

    func say(_ change: (inout Words) -> Void) { words.withLock { change(&$0) } }

    func devices() async throws(USBError) -> [USBDevice] {
        var devices = try await bus.devices()
        guard words.withLock({ $0.hidesReports }) else { return devices }
        for index in devices.indices {
            for interface in devices[index].configuration?.interfaces.indices ?? 0..<0 {
                devices[index].configuration?.interfaces[interface].kernelHID = nil
            }
        }
        return devices
    }
    func hotplugEvents() -> AsyncStream<USBHotplugEvent> { bus.hotplugEvents() }

    func open(_ device: USBDevice) async throws(USBError) -> any USBTransport {
        if let error = words.withLock({ $0.openError }) { throw error }
        if words.withLock({ $0.closed.contains(device.descriptor.productID) }) { throw .accessDenied }
        return try await bus.open(device)
    }

    func status(of device: USBDevice) async throws(USBError) -> USBDeviceStatus {
        var status = try await bus.status(of: device)
        let words = words.withLock { $0 }
        (status.overcurrents, status.isAuthorized, status.group) = (words.overcurrents, words.isAuthorized, words.group)
        return status
    }

    func owners(of device: USBDevice, interface: UInt8?) async -> [USBDeviceOwner] { words.withLock { $0.owners } }
}
