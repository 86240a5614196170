internal import CLibUSB
internal import Glibc
internal import Synchronization

/// What the event thread does: it lets libusb handle events until it is told to stop, and then ends libusb.
final class LibUSBEventLoop: Sendable {
    // libusb's functions may be called from any thread, and the pointer is valid until `run` returns, which no caller
    // outlives: LibUSBContext stops the loop when nobody holds it.
    nonisolated(unsafe) let pointer: OpaquePointer
    private let isStopping = Atomic(false)

    init(_ pointer: OpaquePointer) { self.pointer = pointer }

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
}
