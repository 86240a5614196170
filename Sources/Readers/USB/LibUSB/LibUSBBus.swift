import CLibUSB
import Concurrency
public import Determinism
import Glibc
import Synchronization

/// The USB devices of this machine, through libusb.
///
/// The device list comes from sysfs, without opening devices, and arrivals and departures from the kernel's messages:
/// libusb only runs transfers. One libusb context and one event thread serve the bus and every device opened on it;
/// they end with the last of them.
public final class LibUSBBus: USBBus {
    private let context: LibUSBContext
    private let kernel: KernelDeviceList
    private let time: any TimeSource
    private let signals: [any DeviceChangeSignal]
    private let calls = BlockingCalls(label: "usb-bus")

    /// - Parameter time: the clock of the pauses while a device arrives.
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

    /// Returns arrivals and departures from now on, including a device that is plugged in right after this call.
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

/// A libusb context and its event thread. Both end when the last user of the context is gone.
final class LibUSBContext: Sendable {
    private let loop: LibUSBEventLoop
    private let thread: LoopThread

    /// - Throws: ``USBError/other(_:)`` when libusb or the thread cannot be started.
    init() throws(USBError) {
        // Without this option, libusb would enumerate the devices and keep a thread that listens to udevd.
        disable_device_discovery()
        var opened: OpaquePointer?
        let code = libusb_init(&opened)
        guard code == 0, let opened else { throw USBError(libusb: code) }
        loop = LibUSBEventLoop(opened)
        do throws(LoopThread.StartError) { thread = try LoopThread(loop.run) } catch {
            libusb_exit(opened)
            throw USBError(errno: error.code)
        }
    }

    deinit {
        loop.stop()
        // A callback may release the last reference, on the loop's own thread.
        thread.join()
    }

    /// The libusb context, for as long as this object is held.
    var pointer: OpaquePointer { loop.pointer }

    /// The deadlines of all transfers on this context.
    var deadlines: TransferDeadlines { loop.deadlines }
}

/// The event thread: it lets libusb handle events until ``stop()``, and then ends libusb.
final class LibUSBEventLoop: Sendable {
    // libusb's functions may be called from any thread, and the pointer is valid until `run` returns, which no caller
    // outlives: LibUSBContext stops the loop when its last reference is released.
    nonisolated(unsafe) let pointer: OpaquePointer
    let deadlines: TransferDeadlines
    private let isStopping = Atomic(false)

    /// The longest sleep, in microseconds: a day. libusb counts milliseconds in an `int`.
    private static let longestSleep: UInt64 = 86_400_000_000

    init(_ pointer: OpaquePointer) {
        self.pointer = pointer
        // For the closure below: libusb lets any thread interrupt the wait for events.
        nonisolated(unsafe) let context = pointer
        deadlines = TransferDeadlines { libusb_interrupt_event_handler(context) }
    }

    func run() {
        name_calling_thread("usb-events")
        // Signals are for the program's own threads.
        var signals = sigset_t()
        sigfillset(&signals)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        while !isStopping.load(ordering: .acquiring) {
            // One more microsecond, so that the deadline has passed at the wake-up.
            let microseconds = deadlines.pause().map { min($0 / 1000 + 1, Self.longestSleep) } ?? Self.longestSleep
            var timeout = timeval(tv_sec: Int(microseconds / 1_000_000), tv_usec: Int(microseconds % 1_000_000))
            let code = libusb_handle_events_timeout_completed(pointer, &timeout, nil)
            // After a permanent error libusb does not wait, and this thread would spin.
            if code != 0, code != LIBUSB_ERROR_INTERRUPTED.rawValue { poll(nil, 0, 10) }
        }
        libusb_exit(pointer)
    }

    func stop() {
        isStopping.store(true, ordering: .releasing)
        libusb_interrupt_event_handler(pointer)
    }
}

extension USBError {
    /// The error for the result of a libusb function.
    init(libusb code: Int32) {
        self =
            switch libusb_error(rawValue: code) {
            case LIBUSB_ERROR_NO_DEVICE: .disconnected
            case LIBUSB_ERROR_TIMEOUT: .timedOut
            case LIBUSB_ERROR_PIPE: .stalled
            case LIBUSB_ERROR_BUSY: .busy
            case LIBUSB_ERROR_ACCESS: .accessDenied
            case LIBUSB_ERROR_NOT_FOUND: .notFound
            case LIBUSB_ERROR_OVERFLOW: .overflow
            default: .other("libusb: " + (libusb_strerror(code).map { String(cString: $0) } ?? "error \(code)"))
            }
    }

    /// The device accepted only part of the bytes. Only the driver knows how to recover from an incomplete message.
    init(carried: Int, of length: Int) { self = .other("the USB device took \(carried) of \(length) bytes") }

    /// The error of an ended transfer; nil when it was completed.
    init?(_ status: libusb_transfer_status) {
        switch status {
        case LIBUSB_TRANSFER_COMPLETED: return nil
        case LIBUSB_TRANSFER_TIMED_OUT: self = .timedOut
        case LIBUSB_TRANSFER_CANCELLED: self = .canceled
        case LIBUSB_TRANSFER_STALL: self = .stalled
        case LIBUSB_TRANSFER_NO_DEVICE: self = .disconnected
        case LIBUSB_TRANSFER_OVERFLOW: self = .overflow
        default: self = .other("the USB transfer failed")
        }
    }

    /// The error for a file that could not be opened.
    init(errno code: Int32) {
        self =
            switch code {
            case EACCES, EPERM: .accessDenied
            case ENOENT, ENXIO: .notFound
            case ENODEV: .disconnected
            case EBUSY: .busy
            default: .other(strerror(code).map { String(cString: $0) } ?? "error \(code)")
            }
    }
}
