internal import CLibUSB
internal import Glibc

extension USBError {
    /// What a libusb function returned.
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

    /// The device took less than was written. It has half a message: only the driver knows how to start again.
    init(carried: Int, of length: Int) { self = .other("the USB device took \(carried) of \(length) bytes") }

    /// How a transfer ended; nil when it was completed.
    init?(_ status: libusb_transfer_status) {
        switch status {
        case LIBUSB_TRANSFER_COMPLETED: return nil
        case LIBUSB_TRANSFER_TIMED_OUT: self = .timedOut
        case LIBUSB_TRANSFER_CANCELLED: self = .cancelled
        case LIBUSB_TRANSFER_STALL: self = .stalled
        case LIBUSB_TRANSFER_NO_DEVICE: self = .disconnected
        case LIBUSB_TRANSFER_OVERFLOW: self = .overflow
        default: self = .other("the USB transfer failed")
        }
    }

    /// What the kernel said when a file could not be opened.
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
