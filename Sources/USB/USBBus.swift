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
}
