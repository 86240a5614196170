public import USB

/// A device's descriptors, as values and as the bytes that GET_DESCRIPTOR gives (USB 2.0 §9.6).
public struct SimulatedUSBDescriptors: Hashable, Sendable {
    public var device: USBDeviceDescriptor
    public var configuration: USBConfiguration
    public var speed: USBSpeed
    public var manufacturer: String?
    public var product: String?
    public var serialNumber: String?

    public init(
        device: USBDeviceDescriptor, configuration: USBConfiguration, speed: USBSpeed = .full,
        manufacturer: String? = nil, product: String? = nil, serialNumber: String? = nil
    ) {
        (self.device, self.configuration, self.speed) = (device, configuration, speed)
        (self.manufacturer, self.product, self.serialNumber) = (manufacturer, product, serialNumber)
    }

    /// The device descriptor, 18 bytes.
    public var deviceBytes: [UInt8] {
        [0x12, 0x01] + Self.word(version) + [device.deviceClass, 0, 0, 0x40]
            + Self.word(device.vendorID) + Self.word(device.productID) + Self.word(device.release)
            + [manufacturer == nil ? 0 : 1, product == nil ? 0 : 2, serialNumber == nil ? 0 : 3, 1]
    }

    /// The device_qualifier descriptor, 10 bytes: what the device would be at its other speed, which is the same. Only
    /// a high speed device has one.
    public var deviceQualifierBytes: [UInt8]? {
        guard speed == .high else { return nil }
        return [0x0A, 0x06] + Self.word(version) + [device.deviceClass, 0, 0, 0x40, 1, 0]
    }

    /// bcdUSB
    private var version: UInt16 { speed == .high ? 0x0200 : 0x0110 }

    /// The configuration descriptor with everything below it.
    public var configurationBytes: [UInt8] {
        var below: [UInt8] = []
        for interface in configuration.interfaces {
            below += [
                0x09, 0x04, interface.number, interface.alternateSetting, UInt8(clamping: interface.endpoints.count),
                interface.classCode, interface.subclassCode, interface.protocolCode, 0,
            ]
            for descriptor in interface.classDescriptors { below += descriptor }
            for endpoint in interface.endpoints {
                below += [0x07, 0x05, endpoint.address, endpoint.kind.rawValue]
                below += Self.word(endpoint.maximumPacketSize) + [endpoint.interval]
            }
        }
        let numbers = Set(configuration.interfaces.map(\.number))
        // Bus powered, 100 mA.
        return [0x09, 0x02] + Self.word(UInt16(clamping: below.count + 9))
            + [UInt8(clamping: numbers.count), configuration.value, 0, 0x80, 50] + below
    }

    /// A string descriptor; index 0 lists the languages (US English alone).
    public func stringBytes(_ index: UInt8) -> [UInt8]? {
        let text: String? =
            switch index {
            case 1: manufacturer
            case 2: product
            case 3: serialNumber
            default: nil
            }
        if index == 0 { return [0x04, 0x03, 0x09, 0x04] }
        guard let text else { return nil }
        let units = text.utf16.prefix(126).flatMap(Self.word)
        return [UInt8(units.count + 2), 0x03] + units
    }

    private static func word(_ value: UInt16) -> [UInt8] { [UInt8(value & 0xFF), UInt8(value >> 8)] }
}
