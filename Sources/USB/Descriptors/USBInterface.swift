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
    /// What the kernel's HID driver knows of it; nil when that does not have the interface.
    public var kernelHID: KernelHID?

    public init(
        number: UInt8, alternateSetting: UInt8 = 0, classCode: UInt8, subclassCode: UInt8 = 0, protocolCode: UInt8 = 0,
        endpoints: [USBEndpoint], classDescriptors: [[UInt8]] = [], kernelHID: KernelHID? = nil
    ) {
        (self.number, self.alternateSetting) = (number, alternateSetting)
        (self.classCode, self.subclassCode, self.protocolCode) = (classCode, subclassCode, protocolCode)
        (self.endpoints, self.classDescriptors, self.kernelHID) = (endpoints, classDescriptors, kernelHID)
    }
}
