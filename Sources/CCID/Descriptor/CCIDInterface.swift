public import USB

/// The reader in a USB device: an interface, its endpoints and its class descriptor.
public struct CCIDInterface: Hashable, Sendable {
    /// Smart card device class (CCID 1.1 §5).
    public static let classCode: UInt8 = 0x0B

    public let number: UInt8
    public let descriptor: CCIDClassDescriptor
    public let bulkOut: USBEndpoint
    public let bulkIn: USBEndpoint
    /// Where the reader tells of cards that come and go; not every reader has one.
    public let interrupt: USBEndpoint?

    /// Every reader interface of a device. Some devices have one for each slot.
    ///
    /// - Throws: ``CCIDDescriptorError`` when there is none that can be used: the reason for the first.
    public static func all(in device: USBDevice) throws(CCIDDescriptorError) -> [CCIDInterface] {
        var usable: [CCIDInterface] = []
        var firstError: CCIDDescriptorError?
        for interface in device.configuration?.interfaces ?? []
        where interface.classCode == classCode && interface.alternateSetting == 0 {
            // Subclass and protocol other than 00 are cards with a USB plug (ICCD): no bulk protocol.
            guard interface.subclassCode == 0, interface.protocolCode == 0 else { continue }
            do throws(CCIDDescriptorError) {
                usable.append(try CCIDInterface(interface))
            } catch {
                firstError = firstError ?? error
            }
        }
        guard !usable.isEmpty else { throw firstError ?? .noInterface }
        return usable
    }

    private init(_ interface: USBInterface) throws(CCIDDescriptorError) {
        number = interface.number
        guard
            let bytes = interface.classDescriptors.first(where: {
                $0.dropFirst().first == CCIDClassDescriptor.type
            })
        else { throw .noClassDescriptor(interface: interface.number) }
        descriptor = try CCIDClassDescriptor(bytes: bytes)
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
