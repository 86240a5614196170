/// Where USB devices are found: the machine's own bus, or a simulated one.
public protocol USBBus: Sendable {
    /// The devices that are plugged in now, with their descriptors.
    func devices() async throws(USBError) -> [USBDevice]

    /// Arrivals and departures from now on. The stream ends when its consumer stops.
    func hotplugEvents() -> AsyncStream<USBHotplugEvent>

    /// Opens a device.
    ///
    /// - Throws: ``USBError/accessDenied``, ``USBError/notFound``, ``USBError/disconnected``
    func open(_ device: USBDevice) async throws(USBError) -> any USBTransport

    /// What is known of a device that is or was plugged in, without waking it.
    func status(of device: USBDevice) async throws(USBError) -> USBDeviceStatus

    /// Who else works with a device, or with one of its interfaces; nil stands for all of them.
    func owners(of device: USBDevice, interface: UInt8?) async -> [USBDeviceOwner]

    /// Whether this process may open a device with these numbers when it comes, as far as that can be known beforehand.
    func mayOpen(vendorID: UInt16, productID: UInt16) async -> Bool
}

extension USBBus {
    /// Whether the device is there; a bus that knows more says more.
    public func status(of device: USBDevice) async throws(USBError) -> USBDeviceStatus {
        USBDeviceStatus(
            isPresent: try await devices().contains { $0.bus == device.bus && $0.address == device.address })
    }

    /// Nobody, on a bus that does not know.
    public func owners(of device: USBDevice, interface: UInt8?) async -> [USBDeviceOwner] { [] }

    /// Yes, on a bus without rights.
    public func mayOpen(vendorID: UInt16, productID: UInt16) async -> Bool { true }
}
