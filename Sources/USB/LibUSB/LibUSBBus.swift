internal import CLibUSB
public import Determinism
internal import Glibc

/// The USB devices of this machine, through libusb.
///
/// Devices are listed from what the kernel keeps of them, so a device need not be opened to be seen, and the kernel's
/// own messages tell of those that come and go: libusb is for transfers alone. One libusb context and one event thread
/// serve the bus and every device opened on it; they end with the last of them.
public final class LibUSBBus: USBBus {
    private let context: LibUSBContext
    private let kernel: KernelDeviceList
    private let time: any TimeSource
    private let signals: [any DeviceChangeSignal]
    private let calls = BlockingCalls(label: "usb-bus")

    /// - Parameter time: what is waited on between the looks at a device that comes.
    /// - Throws: ``USBError/other(_:)`` when libusb cannot be started.
    public convenience init(time: any TimeSource = SystemTimeSource()) throws(USBError) {
        try self.init(time: time, kernel: KernelDeviceList(), signals: [KernelEventSocket(), DeviceNodeWatch()])
    }

    init(
        time: any TimeSource, kernel: KernelDeviceList, signals: [any DeviceChangeSignal]
    ) throws(USBError) {
        context = try LibUSBContext()
        (self.time, self.kernel, self.signals) = (time, kernel, signals)
    }

    /// The version of the libusb that is in use, for example `1.0.26`.
    public static var libraryVersion: String {
        guard let version = libusb_get_version()?.pointee else { return "unknown" }
        return "\(version.major).\(version.minor).\(version.micro)"
    }

    public func devices() async throws(USBError) -> [USBDevice] {
        try await calls.run { [kernel] () throws(USBError) -> [USBDevice] in try kernel.devices().map(\.device) }
    }

    /// Arrivals and departures from now on: a device that a later call of ``devices()`` does not show is reported
    /// when it comes.
    public func hotplugEvents() -> AsyncStream<USBHotplugEvent> {
        AsyncStream { [kernel, calls, time, signals] events in
            let watcher = HotplugWatcher(kernel, on: calls, time: time, events: events)
            watcher.start(signals)
            events.onTermination = { _ in watcher.stop() }
        }
    }

    public func status(of device: USBDevice) async throws(USBError) -> USBDeviceStatus {
        try await calls.run { [kernel] in kernel.status(of: device) }
    }

    public func owners(of device: USBDevice, interface: UInt8?) async -> [USBDeviceOwner] {
        let owners = try? await calls.run { USBDeviceOwnerFinder().owners(of: device, interface: interface) }
        return owners ?? []
    }

    public func mayOpen(vendorID: UInt16, productID: UInt16) async -> Bool {
        geteuid() == 0 || DeviceRules().giveAway(vendorID: vendorID, productID: productID)
    }

    /// Opens a device.
    ///
    /// - Throws: ``USBError/accessDenied``; ``USBError/disconnected`` when the device is gone or another one has its
    ///   address; ``USBError/notFound`` when the kernel has the device but there is no node for it in /dev/bus/usb;
    ///   ``USBError/malformedDescriptor(_:)``
    public func open(_ device: USBDevice) async throws(USBError) -> any USBTransport {
        try await calls.run { [kernel, context] () throws(USBError) -> LibUSBTransport in
            let present = try kernel.devices().first {
                $0.device.bus == device.bus && $0.device.address == device.address
            }
            guard let present, present.device.descriptor == device.descriptor else { throw .disconnected }
            if let fault = present.fault { throw fault }
            return LibUSBTransport(present.device, try LibUSBHandle(opening: present.device, in: context))
        }
    }
}
