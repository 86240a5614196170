public import HID

/// What can go wrong with a magnetic stripe reader. A card that cannot be read is none of it: see
/// ``MagneticStripe/MagneticStripe/faults``.
public enum MSRError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The device is no magnetic stripe reader that is known.
    case noReader
    /// The reader cannot be used; the text says why.
    case notSupported(String)
    /// What a keyboard sends through the kernel is typed into whatever has the focus.
    case keyboardThroughKernel
    case readerGone
    case closed
    case cancelled
    /// Somebody else waits for a swipe.
    case busy
    case hid(HIDError)

    public var description: String {
        switch self {
        case .noReader: "the USB device is no magnetic stripe reader"
        case .notSupported(let reason): "this magnetic stripe reader is not supported: \(reason)"
        case .keyboardThroughKernel:
            "this magnetic stripe reader types what it reads: it cannot be read through hidraw, take it from the kernel "
                + "with 'path: usb'"
        case .readerGone: "the magnetic stripe reader was unplugged"
        case .closed: "the magnetic stripe reader was closed"
        case .cancelled: "waiting for a swipe was cancelled"
        case .busy: "a swipe is being waited for already"
        case .hid(let error): error.description
        }
    }

    init(_ error: HIDError) {
        self =
            switch error {
            case .deviceGone: .readerGone
            case .cancelled: .cancelled
            case .closed: .closed
            default: .hid(error)
            }
    }
}
