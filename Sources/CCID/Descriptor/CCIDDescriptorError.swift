/// Why a device is not a CCID reader, or its descriptors are not to be used.
public enum CCIDDescriptorError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The device has no interface of class 0B, subclass 00, protocol 00.
    case noInterface
    /// The interface has no class descriptor (type 21).
    case noClassDescriptor(interface: UInt8)
    /// The class descriptor is not 54 bytes long.
    case wrongLength(Int)
    /// bLength says another length than came.
    case inconsistentLength(claimed: UInt8, actual: Int)
    /// bDescriptorType is not 21.
    case wrongType(UInt8)
    /// The interface has no bulk OUT endpoint.
    case noBulkOut(interface: UInt8)
    /// The interface has no bulk IN endpoint.
    case noBulkIn(interface: UInt8)

    public var description: String {
        switch self {
        case .noInterface: "the USB device has no smart card reader (CCID) interface"
        case .noClassDescriptor(let interface): "interface \(interface) has no CCID class descriptor"
        case .wrongLength(let length): "a CCID class descriptor of \(length) bytes: it must have 54"
        case .inconsistentLength(let claimed, let actual):
            "a CCID class descriptor of \(actual) bytes claims \(claimed) (byte 0)"
        case .wrongType(let type): "descriptor type \(type) (byte 1) is not 33, the CCID class descriptor"
        case .noBulkOut(let interface): "interface \(interface) has no bulk OUT endpoint"
        case .noBulkIn(let interface): "interface \(interface) has no bulk IN endpoint"
        }
    }
}
