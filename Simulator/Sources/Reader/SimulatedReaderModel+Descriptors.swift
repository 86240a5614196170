internal import USB

extension SimulatedReaderModel {
    /// Bulk OUT endpoint: commands.
    public static let bulkOutEndpoint: UInt8 = 0x02
    /// Bulk IN endpoint: answers.
    public static let bulkInEndpoint: UInt8 = 0x82
    /// Interrupt IN endpoint: notices.
    public static let interruptEndpoint: UInt8 = 0x83
    /// Bytes in a bulk packet.
    public var packetSize: Int { speed == .high ? 512 : 64 }
    /// 16 ms between two looks at the interrupt endpoint, in milliseconds at full speed and as a power of two of
    /// microframes at high speed (USB 2.0 §9.6.6).
    private var interruptInterval: UInt8 { speed == .high ? 8 : 16 }
    /// kHz: the clock that cards get.
    static let clock: UInt32 = 4_000
    /// bit/s: the clock divided by 372.
    static let dataRate: UInt32 = 10_752

    /// The descriptors of a reader of this model.
    public var descriptors: SimulatedUSBDescriptors {
        var endpoints = [
            USBEndpoint(address: Self.bulkOutEndpoint, kind: .bulk, maximumPacketSize: UInt16(packetSize)),
            USBEndpoint(address: Self.bulkInEndpoint, kind: .bulk, maximumPacketSize: UInt16(packetSize)),
        ]
        if hasInterruptEndpoint {
            endpoints.append(
                USBEndpoint(
                    address: Self.interruptEndpoint, kind: .interrupt, maximumPacketSize: 8, interval: interruptInterval
                ))
        }
        if misbehaviour.reversesEndpoints { endpoints.reverse() }
        let interface = USBInterface(
            number: 0, classCode: misbehaviour.interfaceClass, endpoints: endpoints,
            classDescriptors: [classDescriptor])
        return SimulatedUSBDescriptors(
            device: USBDeviceDescriptor(vendorID: vendorID, productID: productID, release: release),
            configuration: USBConfiguration(value: 1, interfaces: [interface]), speed: speed,
            manufacturer: manufacturer, product: product, serialNumber: serialNumber)
    }

    /// The smart card class descriptor, 54 bytes (CCID 1.1 §5.1).
    var classDescriptor: [UInt8] {
        var bytes: [UInt8] = [
            0x36, 0x21, UInt8(misbehaviour.classRelease & 0xFF), UInt8(misbehaviour.classRelease >> 8),
            UInt8(clamping: (misbehaviour.claimedSlotCount ?? slotCount) - 1), voltages.rawValue,
        ]
        bytes.append(word: protocols)
        bytes.append(word: Self.clock)
        bytes.append(word: Self.clock)
        bytes.append(0)
        bytes.append(word: Self.dataRate)
        bytes.append(word: Self.dataRate * 32)
        bytes.append(0)
        for value in [UInt32(maximumIFSD), 0, 0, features.rawValue | level.rawValue] { bytes.append(word: value) }
        bytes.append(word: UInt32(clamping: maximumMessageLength))
        // Class of GET RESPONSE and ENVELOPE as in the command; display; keys; all slots at a time.
        return bytes + [
            0xFF, 0xFF, UInt8(displayLayout & 0xFF), UInt8(displayLayout >> 8), pinSupport, UInt8(clamping: slotCount),
        ]
    }
}
