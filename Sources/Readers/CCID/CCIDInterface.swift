public import USB

/// The reader in a USB device: an interface, its endpoints and its class descriptor.
public struct CCIDInterface: Hashable, Sendable {
    /// Smart card device class (CCID 1.1 §5).
    public static let classCode: UInt8 = 0x0B

    /// bInterfaceNumber
    public let number: UInt8
    /// The effective class descriptor: ``claimed``, corrected by quirks.
    public let descriptor: CCIDClassDescriptor
    /// The class descriptor that the reader sent.
    public let claimed: CCIDClassDescriptor
    public let bulkOut: USBEndpoint
    public let bulkIn: USBEndpoint
    /// The endpoint of slot change notifications; not every reader has one.
    public let interrupt: USBEndpoint?
    /// The slots that take cards without contacts, as far as that is known before a card is there.
    public private(set) var contactless = ContactlessSlots.none

    /// The class code that vendors used before CCID had one.
    private static let vendorSpecificClassCode: UInt8 = 0xFF

    /// Every reader interface of a device. Some devices have one for each slot.
    ///
    /// - Parameters:
    ///   - device: the device with its descriptors.
    ///   - quirks: corrections for known readers.
    /// - Returns: the interfaces, in the order of the configuration.
    /// - Throws: ``CCIDDescriptorError`` when no interface is usable: the reason for the first.
    public static func all(
        in device: USBDevice, quirks: ReaderQuirkTable = .embedded
    ) throws(CCIDDescriptorError) -> [CCIDInterface] {
        try all(in: device, quirks.quirks(of: device.descriptor))
    }

    static func all(in device: USBDevice, _ quirks: ReaderQuirks) throws(CCIDDescriptorError) -> [CCIDInterface] {
        var usable: [CCIDInterface] = []
        var firstError: CCIDDescriptorError?
        for interface in device.configuration?.interfaces ?? []
        where interface.alternateSetting == 0 && isReader(interface, quirks) {
            do throws(CCIDDescriptorError) {
                usable.append(try CCIDInterface(interface, quirks))
            } catch {
                firstError = firstError ?? error
            }
        }
        guard !usable.isEmpty else { throw firstError ?? .noInterface }
        var firstSlot = 0
        for index in usable.indices {
            let descriptor = usable[index].descriptor
            usable[index].contactless = ContactlessSlots(
                device, descriptor, firstSlot: firstSlot, isAlone: usable.count == 1)
            firstSlot += Int(descriptor.maximumSlotIndex) + 1
        }
        return usable
    }

    private static func isReader(_ interface: USBInterface, _ quirks: ReaderQuirks) -> Bool {
        switch interface.classCode {
        // Subclass and protocol other than 00 are cards with a USB plug (ICCD): no bulk protocol.
        case classCode: interface.subclassCode == 0 && interface.protocolCode == 0
        // Other interfaces of the device may be of this class too, and have no such descriptor.
        case vendorSpecificClassCode:
            quirks.contains(.vendorSpecificClass)
                && interface.classDescriptors.contains { $0.count == CCIDClassDescriptor.length }
        default: false
        }
    }

    private init(_ interface: USBInterface, _ quirks: ReaderQuirks) throws(CCIDDescriptorError) {
        number = interface.number
        guard
            let bytes = interface.classDescriptors.first(where: {
                $0.dropFirst().first == CCIDClassDescriptor.type
            })
        else { throw .noClassDescriptor(interface: interface.number) }
        claimed = try CCIDClassDescriptor(bytes: bytes)
        descriptor = quirks.effective(claimed)
        guard let bulkOut = interface.endpoints.first(where: { $0.kind == .bulk && !$0.isInput }) else {
            throw .noBulkOut(interface: interface.number)
        }
        guard let bulkIn = interface.endpoints.first(where: { $0.kind == .bulk && $0.isInput }) else {
            throw .noBulkIn(interface: interface.number)
        }
        (self.bulkOut, self.bulkIn) = (bulkOut, bulkIn)
        interrupt = interface.endpoints.first { $0.kind == .interrupt && $0.isInput }
    }
}

/// The reason why a device is not a CCID reader, or its descriptors are not usable.
public enum CCIDDescriptorError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The device has no interface of class 0B, subclass 00, protocol 00.
    case noInterface
    /// The interface has no class descriptor (type 21).
    case noClassDescriptor(interface: UInt8)
    /// The class descriptor is not 54 bytes long.
    case wrongLength(Int)
    /// bLength differs from the length received.
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
