internal import CLibUSB
internal import Glibc
internal import Synchronization

/// What the event thread does: it lets libusb handle events until it is told to stop, and then ends libusb.
final class LibUSBEventLoop: Sendable {
    private struct Observers {
        var last = 0
        var notify: [Int: @Sendable () -> Void] = [:]
    }

    // libusb's functions may be called from any thread, and the pointer is valid until `run` returns, which no caller
    // outlives: LibUSBContext stops the loop when nobody holds it.
    nonisolated(unsafe) let pointer: OpaquePointer
    private let isStopping = Atomic(false)
    private let observers = Mutex(Observers())

    init(_ pointer: OpaquePointer) { self.pointer = pointer }

    /// Asks libusb for news of devices. Where it has none to give, whoever looks at the kernel's list finds them.
    func listen() {
        let events = LIBUSB_HOTPLUG_EVENT_DEVICE_ARRIVED.rawValue | LIBUSB_HOTPLUG_EVENT_DEVICE_LEFT.rawValue
        // The event thread, which calls back, holds the loop until libusb is ended: no reference needs to be counted.
        libusb_hotplug_register_callback(
            pointer, Int32(events), 0, LIBUSB_HOTPLUG_MATCH_ANY, LIBUSB_HOTPLUG_MATCH_ANY, LIBUSB_HOTPLUG_MATCH_ANY,
            devicesChanged, Unmanaged.passUnretained(self).toOpaque(), nil)
    }

    func run() {
        name_calling_thread("usb-events")
        // Signals are for the program's own threads.
        var signals = sigset_t()
        sigfillset(&signals)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        while !isStopping.load(ordering: .acquiring) {
            var patience = timeval(tv_sec: 60, tv_usec: 0)
            let code = libusb_handle_events_timeout_completed(pointer, &patience, nil)
            // A fault that stays would make this thread spin; libusb offers nothing to wait on then.
            if code != 0, code != LIBUSB_ERROR_INTERRUPTED.rawValue { poll(nil, 0, 10) }
        }
        libusb_exit(pointer)
    }

    func stop() {
        isStopping.store(true, ordering: .releasing)
        libusb_interrupt_event_handler(pointer)
    }

    func observe(_ notify: @escaping @Sendable () -> Void) -> Int {
        observers.withLock {
            $0.last += 1
            $0.notify[$0.last] = notify
            return $0.last
        }
    }

    func stopObserving(_ number: Int) { observers.withLock { $0.notify[number] = nil } }

    fileprivate func tellObservers() {
        for notify in observers.withLock({ Array($0.notify.values) }) { notify() }
    }
}

private func devicesChanged(
    _ context: OpaquePointer?, _ device: OpaquePointer?, _ event: libusb_hotplug_event, _ loop: UnsafeMutableRawPointer?
) -> Int32 {
    if let loop { Unmanaged<LibUSBEventLoop>.fromOpaque(loop).takeUnretainedValue().tellObservers() }
    return 0
}
