public import Determinism
public import USB

/// A device as seen on the wire: it takes and returns bytes on its endpoints at once and never waits. The port
/// answers standard requests on the control endpoint.
public protocol SimulatedUSBDevice: AnyObject, Sendable {
    /// The device's descriptors.
    var descriptors: SimulatedUSBDescriptors { get }

    /// Whether a stalled endpoint stays halted until the host clears the halt, as USB 2.0 §9.4.5 requires. If not,
    /// the device stalls one transfer, continues, and refuses to clear the halt.
    var keepsHalts: Bool { get }

    /// The delay after which a device that left the bus returns to the same port by itself, for example after a mode
    /// change. Nil for a device that was unplugged.
    var returnsAfter: Duration? { get }

    /// Called when the device is plugged in and powered. `unplug` unplugs it.
    func plugged(unplug: @escaping @Sendable () -> Void)

    /// Called when the device is unplugged and loses power.
    func unplugged()

    /// Called when a host opens the device.
    func opened()

    /// Called when a host closes the device.
    func closed()

    /// Called when the host resets the port.
    func reset()

    /// Called when the host selects a configuration (USB 2.0 §9.4.7). Most devices treat it like a reset.
    func configured()

    /// Takes an OUT transfer.
    ///
    /// - Returns: false to stall.
    func write(_ bytes: [UInt8], endpoint: UInt8) -> Bool

    /// Returns an IN transfer of up to `maximumLength` bytes.
    func read(endpoint: UInt8, maximumLength: Int) -> SimulatedUSBInput

    /// Whether ``read(endpoint:maximumLength:)`` would return anything but NAK.
    func hasInput(endpoint: UInt8) -> Bool

    /// Answers a class or vendor request.
    ///
    /// - Returns: the bytes for the host, empty for an OUT request; nil to stall.
    func control(_ request: USBControlRequest) -> [UInt8]?
}

extension SimulatedUSBDevice {
    public func opened() {}
    public func closed() {}
    public func configured() { reset() }
    public var keepsHalts: Bool { true }
    public var returnsAfter: Duration? { nil }
}

/// A device's descriptors, as values and as the bytes that GET_DESCRIPTOR returns (USB 2.0 §9.6).
public struct SimulatedUSBDescriptors: Hashable, Sendable {
    public var device: USBDeviceDescriptor
    public var configuration: USBConfiguration
    public var speed: USBSpeed
    public var manufacturer: String?
    public var product: String?
    public var serialNumber: String?

    /// Takes the descriptors, and the strings they name; a string that is nil has no index.
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

    /// The device_qualifier descriptor, 10 bytes, for the other speed, at which the device is the same. Only a
    /// high-speed device has one.
    public var deviceQualifierBytes: [UInt8]? {
        guard speed == .high else { return nil }
        return [0x0A, 0x06] + Self.word(version) + [device.deviceClass, 0, 0, 0x40, 1, 0]
    }

    /// bcdUSB.
    private var version: UInt16 { speed == .high ? 0x0200 : 0x0110 }

    /// The configuration descriptor with all descriptors below it.
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

    /// Returns a string descriptor; index 0 lists the languages (US English only).
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

/// The speed of a device. The numbers are those of Linux's `enum usb_device_speed`.
public enum USBSpeed: UInt32, Hashable, Sendable {
    /// 12 Mbit/s, bulk packets of up to 64 bytes.
    case full = 2
    /// 480 Mbit/s, bulk packets of 512 bytes.
    case high = 3
}

/// The result of a read from a device.
public enum SimulatedUSBInput: Hashable, Sendable {
    /// A transfer, possibly of zero bytes.
    case data([UInt8])
    /// No data yet; the time is when data will be ready, if the device knows it.
    case notYet(Timestamp?)
    case stall
    /// The packet is longer than the host's buffer.
    case overflow
}
