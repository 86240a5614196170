/// A configuration with its interfaces (USB 2.0 §9.6.3).
public struct USBConfiguration: Hashable, Sendable {
    /// bConfigurationValue
    public var value: UInt8
    /// One entry for each interface descriptor, alternate settings included.
    public var interfaces: [USBInterface]

    public init(value: UInt8, interfaces: [USBInterface]) { (self.value, self.interfaces) = (value, interfaces) }
}
