internal import CLibUSB
internal import Glibc
internal import Synchronization

/// An open device and the interfaces claimed on it. Its functions block; it is closed exactly once, at the latest when
/// nobody holds it any more.
final class LibUSBHandle: Sendable {
    // libusb's functions may be called from any thread; the pointer is valid until `close`, which LibUSBTransport
    // calls after the last transfer.
    nonisolated(unsafe) let pointer: OpaquePointer
    private let file: Int32
    private let context: LibUSBContext
    /// Each claimed interface, and whether a kernel driver waits for it. Nil when the device is closed.
    private let claims = Mutex<[UInt8: Bool]?>([:])

    /// - Throws: ``USBError/accessDenied``, ``USBError/notFound``, ``USBError/disconnected``, ``USBError/other(_:)``
    init(opening device: USBDevice, in context: LibUSBContext) throws(USBError) {
        // libusb is given an open file: it knows of devices only through udevd, and one may be opened without it.
        let file = Glibc.open(KernelDeviceList.node(of: device), O_RDWR | O_CLOEXEC)
        guard file >= 0 else { throw USBError(errno: errno) }
        var opened: OpaquePointer?
        let code = libusb_wrap_sys_device(context.pointer, Int(file), &opened)
        guard code == 0, let opened else {
            Glibc.close(file)
            throw USBError(libusb: code)
        }
        (pointer, self.file, self.context) = (opened, file, context)
    }

    deinit { close() }

    var deadlines: TransferDeadlines { context.deadlines }

    /// Claims an interface. A kernel driver that holds it has to leave; another program that does has not.
    func claim(_ interface: UInt8) throws(USBError) {
        try whileOpen { claims throws(USBError) in
            guard claims[interface] == nil else { return }
            let number = Int32(interface)
            // libusb does not count usbfs, through which other programs work, as a driver.
            let hadDriver = libusb_kernel_driver_active(pointer, number) == 1
            if hadDriver {
                let code = libusb_detach_kernel_driver(pointer, number)
                guard code == 0 || code == LIBUSB_ERROR_NOT_FOUND.rawValue else { throw USBError(libusb: code) }
            }
            let code = libusb_claim_interface(pointer, number)
            guard code == 0 else {
                if hadDriver { libusb_attach_kernel_driver(pointer, number) }
                throw USBError(libusb: code)
            }
            claims[interface] = hadDriver
        }
    }

    /// Releases an interface and gives it back to the kernel driver that had it.
    func release(_ interface: UInt8) throws(USBError) {
        try whileOpen { claims throws(USBError) in
            guard let hadDriver = claims.removeValue(forKey: interface) else { throw .notFound }
            let code = giveBack(interface, hadDriver: hadDriver)
            guard code == 0 else { throw USBError(libusb: code) }
        }
    }

    func clearHalt(_ endpoint: UInt8) throws(USBError) {
        try whileOpen { _ throws(USBError) in
            let code = libusb_clear_halt(pointer, endpoint)
            // Some devices stall this very request, and libusb has no word for it.
            if code == LIBUSB_ERROR_OTHER.rawValue {
                throw .other("the USB device refused to clear the halt of endpoint \(String(endpoint, radix: 16))")
            }
            guard code == 0 else { throw USBError(libusb: code) }
        }
    }

    func reset() throws(USBError) {
        try whileOpen { _ throws(USBError) in
            let code = libusb_reset_device(pointer)
            // libusb's word for a device that came back as another one: this handle is of no more use.
            if code == LIBUSB_ERROR_NOT_FOUND.rawValue { throw .disconnected }
            guard code == 0 else { throw USBError(libusb: code) }
        }
    }

    /// Releases every interface and closes the device. Does nothing when it is closed.
    func close() {
        claims.withLock { claims in
            guard let held = claims else { return }
            claims = nil
            for (interface, hadDriver) in held { _ = giveBack(interface, hadDriver: hadDriver) }
            libusb_close(pointer)
            Glibc.close(file)
        }
    }

    private func giveBack(_ interface: UInt8, hadDriver: Bool) -> Int32 {
        let code = libusb_release_interface(pointer, Int32(interface))
        // Nothing depends on the driver: the device may be gone, or another program may have taken it.
        if hadDriver { libusb_attach_kernel_driver(pointer, Int32(interface)) }
        return code
    }

    private func whileOpen(_ body: (inout [UInt8: Bool]) throws(USBError) -> Void) throws(USBError) {
        try claims.withLock { claims throws(USBError) in
            guard var held = claims else { throw .cancelled }
            defer { claims = held }
            try body(&held)
        }
    }
}
