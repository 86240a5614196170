internal import CLibUSB
internal import Glibc

/// libusb, and the thread on which it works. Both end when the last user of the context is gone.
final class LibUSBContext: Sendable {
    private let loop: LibUSBEventLoop
    private let thread: pthread_t

    /// - Throws: ``USBError/other(_:)`` when libusb or the thread cannot be started.
    init() throws(USBError) {
        // Without this libusb would open every device list and keep a thread that listens to udevd.
        disable_device_discovery()
        var opened: OpaquePointer?
        let code = libusb_init(&opened)
        guard code == 0, let opened else { throw USBError(libusb: code) }
        loop = LibUSBEventLoop(opened)
        var started = pthread_t()
        let argument = Unmanaged.passRetained(loop)
        let failure = pthread_create(&started, nil, runEventLoop, argument.toOpaque())
        guard failure == 0 else {
            argument.release()
            libusb_exit(opened)
            throw USBError(errno: failure)
        }
        thread = started
    }

    deinit {
        loop.stop()
        // The last reference may be dropped inside a callback; a thread cannot wait for itself.
        if pthread_equal(thread, pthread_self()) != 0 {
            pthread_detach(thread)
        } else {
            pthread_join(thread, nil)
        }
    }

    /// The libusb context, for as long as this object is held.
    var pointer: OpaquePointer { loop.pointer }

    /// When the transfers of every device on this context must have ended.
    var deadlines: TransferDeadlines { loop.deadlines }
}

// A function of the file, not a closure: a closure would belong to the isolation that it was written in, and the
// runtime stops a program that runs it on another thread.
private func runEventLoop(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let argument else { return nil }
    Unmanaged<LibUSBEventLoop>.fromOpaque(argument).takeRetainedValue().run()
    return nil
}
