internal import CLibUSB
internal import Glibc
internal import Synchronization

/// What the event thread does: it lets libusb handle events until it is told to stop, and then ends libusb.
final class LibUSBEventLoop: Sendable {
    // libusb's functions may be called from any thread, and the pointer is valid until `run` returns, which no caller
    // outlives: LibUSBContext stops the loop when nobody holds it.
    nonisolated(unsafe) let pointer: OpaquePointer
    let deadlines: TransferDeadlines
    private let isStopping = Atomic(false)

    /// libusb counts milliseconds in an `int`. In microseconds: a day.
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
            // A microsecond more, so that the time is over when it wakes up.
            let microseconds = deadlines.pause().map { min($0 / 1000 + 1, Self.longestSleep) } ?? Self.longestSleep
            var patience = timeval(tv_sec: Int(microseconds / 1_000_000), tv_usec: Int(microseconds % 1_000_000))
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
