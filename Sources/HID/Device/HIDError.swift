public import USB

/// What can go wrong with a HID device.
public enum HIDError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The device was unplugged, or another one has its node.
    case deviceGone
    /// ``HIDDevice/close()`` was called.
    case closed
    case cancelled
    /// No report came before the deadline.
    case timedOut
    /// The device has no HID interface that can be read from.
    case noInterface
    /// The report descriptor is not what it should be.
    case descriptor(HIDDescriptorError)
    /// A transfer failed.
    case usb(USBError)
    /// The user may not open the node.
    case accessDenied(node: String)
    /// The kernel has no node for the device: its HID driver does not have it.
    case noNode
    /// A call of the kernel failed; the text is its own.
    case system(String)

    public var description: String {
        switch self {
        case .deviceGone: "the HID device was unplugged"
        case .closed: "the HID device was closed"
        case .cancelled: "the read from the HID device was cancelled"
        case .timedOut: "the HID device sent nothing in time"
        case .noInterface: "the USB device has no HID interface that can be read from"
        case .descriptor(let error): error.description
        case .usb(let error): error.description
        case .accessDenied(let node):
            "no permission to open /dev/\(node): install udev/60-cardpresent.rules or run as root"
        case .noNode: "the kernel has no hidraw node for the device: load its driver usbhid, or read it through USB"
        case .system(let message): message
        }
    }

    /// What a failed transfer means for the device.
    init(_ error: USBError) {
        self =
            switch error {
            case .disconnected: .deviceGone
            case .cancelled: .cancelled
            case .timedOut: .timedOut
            default: .usb(error)
            }
    }
}
