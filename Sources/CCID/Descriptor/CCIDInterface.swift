public import USB

/// The reader in a USB device: an interface, its endpoints and its class descriptor.
public struct CCIDInterface: Hashable, Sendable {
    /// Smart card device class (CCID 1.1 §5).
    public static let classCode: UInt8 = 0x0B

    /// bInterfaceNumber
    public let number: UInt8
    /// What the reader is, as far as is known: its own word where nothing better is known.
    public let descriptor: CCIDClassDescriptor
    /// What the reader says of itself.
    public let claimed: CCIDClassDescriptor
    public let bulkOut: USBEndpoint
    public let bulkIn: USBEndpoint
    /// Where the reader tells of cards that come and go; not every reader has one.
    public let interrupt: USBEndpoint?

    /// What makers used before CCID had a class of its own.
    private static let vendorSpecificClassCode: UInt8 = 0xFF

    /// Every reader interface of a device. Some devices have one for each slot.
    ///
    /// - Parameters:
    ///   - device: what the descriptors say.
    ///   - quirks: what is known better.
    /// - Returns: the interfaces, in the order of the configuration.
    /// - Throws: ``CCIDDescriptorError`` when there is none that can be used: the reason for the first.
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
