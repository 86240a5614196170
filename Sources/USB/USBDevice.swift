/// A device on a bus and what its descriptors say.
public struct USBDevice: Hashable, Sendable {
    /// Number of the bus, as the kernel counts.
    public var bus: UInt8
    /// Address on the bus; a device that is plugged in again gets another one.
    public var address: UInt8
    /// The place where it is plugged in, as the kernel names it: the bus, then the port of each hub on the way, for
    /// example `1-4.2`. The same socket keeps its name. Nil when it is not known.
    public var port: String?
    public var descriptor: USBDeviceDescriptor
    /// The active configuration; nil when it could not be read.
    public var configuration: USBConfiguration?
    /// The string descriptors, where the device has them and they could be read.
    public var manufacturer: String?
    public var product: String?
    public var serialNumber: String?

    public init(
        bus: UInt8, address: UInt8, port: String? = nil, descriptor: USBDeviceDescriptor,
        configuration: USBConfiguration?, manufacturer: String? = nil, product: String? = nil,
        serialNumber: String? = nil
    ) {
        (self.bus, self.address, self.port) = (bus, address, port)
        (self.descriptor, self.configuration) = (descriptor, configuration)
        (self.manufacturer, self.product, self.serialNumber) = (manufacturer, product, serialNumber)
    }
}
