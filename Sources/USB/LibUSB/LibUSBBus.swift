internal import CLibUSB
public import Determinism

/// The USB devices of this machine, through libusb.
///
/// Devices are listed from what the kernel keeps of them, so a device need not be opened to be seen. One libusb
/// context and one event thread serve the bus and every device opened on it; they end with the last of them.
public final class LibUSBBus: USBBus {
    private let context: LibUSBContext
    private let kernel: KernelDeviceList
    private let time: any TimeSource
    private let pollInterval: Duration
    private let calls = BlockingCalls(label: "usb-bus")

    /// - Parameters:
    ///   - time: what the polling for new devices waits on.
    ///   - pollInterval: how often to look for devices that came or went. libusb tells of them at once where udevd
    ///     runs; in a container or a small system it does not, and looking finds them.
    /// - Throws: ``USBError/other(_:)`` when libusb cannot be started.
    public convenience init(
        time: any TimeSource = SystemTimeSource(), pollInterval: Duration = .seconds(1)
    ) throws(USBError) {
        try self.init(time: time, pollInterval: pollInterval, kernel: KernelDeviceList())
    }

    init(time: any TimeSource, pollInterval: Duration, kernel: KernelDeviceList) throws(USBError) {
        context = try LibUSBContext()
        (self.time, self.pollInterval, self.kernel) = (time, pollInterval, kernel)
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
        AsyncStream { [context, kernel, calls, time, pollInterval] events in
            let watcher = HotplugWatcher(kernel, events: events)
            // Queued before anything that the caller asks for next, so no device falls between the two.
            calls.start { watcher.look() }
            let observer = context.observeHotplug { calls.start { watcher.look() } }
            let ticker = Task {
                while (try? await time.sleep(for: pollInterval)) != nil {
                    try? await calls.run { watcher.look() }
                }
            }
            events.onTermination = { _ in
                ticker.cancel()
                context.stopObserving(observer)
            }
        }
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
