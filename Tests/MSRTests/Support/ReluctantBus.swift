import Simulator
import Synchronization
import USB

/// A simulated bus on which the kernel has let go of readers, or whose devices may not be opened.
final class ReluctantBus: USBBus {
    struct Habits: Sendable {
        var openError: USBError?
        /// The kernel's HID driver has none of the interfaces.
        var hidesReports = false
        var owners: [USBDeviceOwner] = []
    }

    private let bus: SimulatedUSBBus
    private let habits: Habits
    private let opened = Mutex(0)

    init(_ bus: SimulatedUSBBus, _ habits: Habits) { (self.bus, self.habits) = (bus, habits) }

    /// How often a device was opened.
    var openCount: Int { opened.withLock { $0 } }

    func devices() async throws(USBError) -> [USBDevice] {
        var devices = try await bus.devices()
        guard habits.hidesReports else { return devices }
        for index in devices.indices {
            for interface in devices[index].configuration?.interfaces.indices ?? 0..<0 {
                devices[index].configuration?.interfaces[interface].kernelHID = nil
            }
        }
        return devices
    }

    func hotplugEvents() -> AsyncStream<USBHotplugEvent> { bus.hotplugEvents() }

    func open(_ device: USBDevice) async throws(USBError) -> any USBTransport {
        opened.withLock { $0 += 1 }
        if let error = habits.openError { throw error }
        return try await bus.open(device)
    }

    func owners(of device: USBDevice, interface: UInt8?) async -> [USBDeviceOwner] { habits.owners }
}
