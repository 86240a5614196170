/// A device on a bus and what its descriptors say.
public struct USBDevice: Hashable, Sendable {
    /// Number of the bus, as the kernel counts.
    public var bus: UInt8
    /// Address on the bus; a device that is plugged in again gets another one.
    public var address: UInt8
    public var descriptor: USBDeviceDescriptor
    /// The active configuration; nil when it could not be read.
    public var configuration: USBConfiguration?
    /// The string descriptors, where the device has them and they could be read.
    public var manufacturer: String?
    public var product: String?
    public var serialNumber: String?

    public init(
        bus: UInt8, address: UInt8, descriptor: USBDeviceDescriptor, configuration: USBConfiguration?,
        manufacturer: String? = nil, product: String? = nil, serialNumber: String? = nil
    ) {
        (self.bus, self.address, self.descriptor, self.configuration) = (bus, address, descriptor, configuration)
        (self.manufacturer, self.product, self.serialNumber) = (manufacturer, product, serialNumber)
    }
}
