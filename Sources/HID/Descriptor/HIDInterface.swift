public import USB

/// A HID interface of a USB device (HID 1.11 §4.2, §6.2.1).
public struct HIDInterface: Hashable, Sendable {
    /// Human interface device class.
    public static let classCode: UInt8 = 0x03
    /// bDescriptorType of a HID descriptor, and of a report descriptor (§7.1).
    static let hidDescriptor: UInt8 = 0x21
    static let reportDescriptor: UInt8 = 0x22

    public let number: UInt8
    /// Where reports come from.
    public let input: USBEndpoint
    /// Whether it is a keyboard that can be used before an operating system runs, with reports of a fixed layout
    /// (§4.3, appendix B.1).
    public let isBootKeyboard: Bool
    /// Bytes of its report descriptor.
    public let reportDescriptorLength: UInt16
    /// What the kernel's own driver has found out, if that has the interface.
    public let kernel: KernelHID?

    /// Every HID interface of a device that can be read from.
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

    /// Looks through the list of descriptors that the HID descriptor ends with.
    private static func reportDescriptorLength(_ descriptors: [[UInt8]]) -> UInt16? {
        guard let bytes = descriptors.first(where: { $0.count >= 9 && $0[1] == hidDescriptor }) else { return nil }
        for place in stride(from: 6, to: bytes.count - 2, by: 3) where bytes[place] == reportDescriptor {
            return UInt16(bytes[place + 1]) | UInt16(bytes[place + 2]) << 8
        }
        return nil
    }
}
