public import USB

/// Where a device is, however it shows itself: a device that goes into update mode and back comes as another one each time.
public struct DFUPlace: Hashable, Sendable {
    private let bus: UInt8
    private let port: String?
    private let vendorID: UInt16
    private let serialNumber: String?

    public init(of device: USBDevice) {
        (bus, port) = (device.bus, device.port)
        (vendorID, serialNumber) = (device.descriptor.vendorID, device.serialNumber)
    }

    /// Whether a device is at this place. Where ports are not known, one of the same vendor on the same bus is taken for
    /// it when it has the same serial number, or neither has one.
    public func isPlace(of device: USBDevice) -> Bool {
        guard device.bus == bus else { return false }
        if let port, let other = device.port { return port == other }
        return device.descriptor.vendorID == vendorID && device.serialNumber == serialNumber
    }
}
