/// What can go wrong with a USB device.
public enum USBError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The device was unplugged.
    case disconnected
    /// Nothing happened before the deadline.
    case timedOut
    /// The endpoint answered with a stall: clear the halt before it is used again.
    case stalled
    /// Another process or driver holds the interface.
    case busy
    /// The user may not open the device.
    case accessDenied
    /// No such device or interface.
    case notFound
    /// More bytes came than were asked for.
    case overflow
    /// The task was cancelled, or the device was closed while the transfer ran.
    case cancelled
    /// A descriptor is not what it claims to be; the text says where.
    case malformedDescriptor(String)
    /// Anything else, in the words of the library below.
    case other(String)

    public var description: String {
        switch self {
        case .disconnected: "the USB device was unplugged"
        case .timedOut: "the USB device did not answer in time"
        case .stalled: "the USB endpoint stalled"
        case .busy: "another program or driver holds the USB interface"
        case .accessDenied: "no permission to open the USB device: install udev/60-cardpresent.rules or run as root"
        case .notFound: "no such USB device or interface"
        case .overflow: "the USB device sent more than was asked for"
        case .cancelled: "the USB transfer was cancelled"
        case .malformedDescriptor(let place): "malformed USB descriptor: \(place)"
        case .other(let message): message
        }
    }
}
