/// A configuration with its interfaces (USB 2.0 §9.6.3).
public struct USBConfiguration: Hashable, Sendable {
    /// bConfigurationValue
    public var value: UInt8
    /// One entry for each interface descriptor, alternate settings included.
    public var interfaces: [USBInterface]

    public init(value: UInt8, interfaces: [USBInterface]) { (self.value, self.interfaces) = (value, interfaces) }
}

/// An interface with its endpoints and the class-specific descriptors between them (USB 2.0 §9.6.5).
public struct USBInterface: Hashable, Sendable {
    public var number: UInt8
    public var alternateSetting: UInt8
    public var classCode: UInt8
    public var subclassCode: UInt8
    public var protocolCode: UInt8
    public var endpoints: [USBEndpoint]
    /// Every descriptor in this interface that is neither interface nor endpoint, length byte first.
    public var classDescriptors: [[UInt8]]

    public init(
        number: UInt8, alternateSetting: UInt8 = 0, classCode: UInt8, subclassCode: UInt8 = 0, protocolCode: UInt8 = 0,
        endpoints: [USBEndpoint], classDescriptors: [[UInt8]] = []
    ) {
        (self.number, self.alternateSetting) = (number, alternateSetting)
        (self.classCode, self.subclassCode, self.protocolCode) = (classCode, subclassCode, protocolCode)
        (self.endpoints, self.classDescriptors) = (endpoints, classDescriptors)
    }
}

/// An endpoint (USB 2.0 §9.6.6).
public struct USBEndpoint: Hashable, Sendable {
    /// How data flows, the low two bits of bmAttributes.
    public enum Kind: UInt8, Hashable, Sendable { case control, isochronous, bulk, interrupt }

    /// bEndpointAddress; b8 set means IN.
    public var address: UInt8
    public var kind: Kind
    public var maximumPacketSize: UInt16
    /// bInterval
    public var interval: UInt8

    public init(address: UInt8, kind: Kind, maximumPacketSize: UInt16, interval: UInt8 = 0) {
        (self.address, self.kind) = (address, kind)
        (self.maximumPacketSize, self.interval) = (maximumPacketSize, interval)
    }

    public var isInput: Bool { address & 0x80 != 0 }
}
