/// The device descriptor (USB 2.0 §9.6.1), as far as a driver needs it.
public struct USBDeviceDescriptor: Hashable, Sendable {
    public var vendorID: UInt16
    public var productID: UInt16
    /// bcdDevice: the firmware's release number.
    public var release: UInt16
    public var deviceClass: UInt8

    public init(vendorID: UInt16, productID: UInt16, release: UInt16, deviceClass: UInt8 = 0) {
        (self.vendorID, self.productID) = (vendorID, productID)
        (self.release, self.deviceClass) = (release, deviceClass)
    }
}
