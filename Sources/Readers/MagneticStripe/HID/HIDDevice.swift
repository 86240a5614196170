public import USB

/// An open HID device with its report descriptor and its reports.
public protocol HIDDevice: Sendable {
    /// The layout of its reports.
    var reportDescriptor: HIDReportDescriptor { get }

    /// Waits for the next input report. One call at a time.
    ///
    /// - Parameter timeout: the longest wait.
    /// - Returns: the report, starting with its ID when the device has report IDs.
    /// - Throws: ``HIDError``
    func nextReport(timeout: Duration) async throws(HIDError) -> [UInt8]

    /// Ends a wait and releases the device. Can be called more than once and from any task.
    func close() async
}

/// An error of a HID device.
public enum HIDError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The device was unplugged, or its node belongs to another device.
    case deviceGone
    /// ``HIDDevice/close()`` was called.
    case closed
    case canceled
    /// No report came before the deadline.
    case timedOut
    /// The device has no HID interface with an input endpoint.
    case noInterface
    /// The report descriptor is malformed.
    case descriptor(HIDDescriptorError)
    /// A transfer failed.
    case usb(USBError)
    /// The user may not open the node.
    case accessDenied(node: String)
    /// The kernel has no node for the device, because its HID driver does not have the interface.
    case noNode
    /// A system call failed; the text is the system's.
    case system(String)

    public var description: String {
        switch self {
        case .deviceGone: "the HID device was unplugged"
        case .closed: "the HID device was closed"
        case .canceled: "the read from the HID device was canceled"
        case .timedOut: "the HID device sent nothing in time"
        case .noInterface: "the USB device has no HID interface with an input endpoint"
        case .descriptor(let error): error.description
        case .usb(let error): error.description
        case .accessDenied(let node):
            "no permission to open /dev/\(node): install udev/60-cardpresent.rules or run as root"
        case .noNode: "the kernel has no hidraw node for the device: load its driver usbhid, or read it through USB"
        case .system(let message): message
        }
    }

    /// The error of the device for a failed transfer.
    init(_ error: USBError) {
        self =
            switch error {
            case .disconnected: .deviceGone
            case .canceled: .canceled
            case .timedOut: .timedOut
            default: .usb(error)
            }
    }
}

/// A HID interface of a USB device (HID 1.11 §4.2, §6.2.1).
public struct HIDInterface: Hashable, Sendable {
    /// Human interface device class.
    public static let classCode: UInt8 = 0x03
    /// bDescriptorType of a HID descriptor, and of a report descriptor (§7.1).
    static let hidDescriptor: UInt8 = 0x21
    static let reportDescriptor: UInt8 = 0x22

    public let number: UInt8
    /// The endpoint of the reports.
    public let input: USBEndpoint
    /// Whether it is a boot keyboard, with reports of a fixed layout (§4.3, appendix B.1).
    public let isBootKeyboard: Bool
    /// The length of its report descriptor, in bytes.
    public let reportDescriptorLength: UInt16
    /// The kernel HID driver's information; nil when that driver does not have the interface.
    public let kernel: KernelHID?

    /// Returns every HID interface of a device with an input endpoint.
    public static func all(in device: USBDevice) -> [HIDInterface] {
        (device.configuration?.interfaces ?? []).compactMap { HIDInterface($0) }
    }

    private init?(_ interface: USBInterface) {
        guard interface.classCode == Self.classCode, interface.alternateSetting == 0,
            let input = interface.endpoints.first(where: { $0.kind == .interrupt && $0.isInput }),
            let length = Self.reportDescriptorLength(interface.classDescriptors)
        else { return nil }
        (number, self.input, kernel) = (interface.number, input, interface.kernelHID)
        isBootKeyboard = interface.subclassCode == 1 && interface.protocolCode == 1
        reportDescriptorLength = length
    }

    /// Searches the descriptor list at the end of the HID descriptor.
    private static func reportDescriptorLength(_ descriptors: [[UInt8]]) -> UInt16? {
        guard let bytes = descriptors.first(where: { $0.count >= 9 && $0[1] == hidDescriptor }) else { return nil }
        for place in stride(from: 6, to: bytes.count - 2, by: 3) where bytes[place] == reportDescriptor {
            return UInt16(bytes[place + 1]) | UInt16(bytes[place + 2]) << 8
        }
        return nil
    }
}
