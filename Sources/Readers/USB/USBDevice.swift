import Text

/// A device on a bus, with its descriptors.
public struct USBDevice: Hashable, Sendable {
    /// The kernel's number of the bus.
    public var bus: UInt8
    /// Address on the bus; a device that is plugged in again gets another one.
    public var address: UInt8
    /// The kernel's name of the port: the bus, then the port of each hub on the way, for example `1-4.2`. The same
    /// socket keeps its name. Nil when it is not known.
    public var port: String?
    public var descriptor: USBDeviceDescriptor
    /// The active configuration; nil when it could not be read.
    public var configuration: USBConfiguration?
    /// The string descriptors, where the device has them and they could be read.
    public var manufacturer: String?
    public var product: String?
    public var serialNumber: String?

    /// Describes a device at its address. Nil means that the device does not have it, or that it could not be read.
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

/// The fields of the device descriptor (USB 2.0 §9.6.1) that a driver needs.
public struct USBDeviceDescriptor: Hashable, Sendable {
    public var vendorID: UInt16
    public var productID: UInt16
    /// bcdDevice: the firmware's release number.
    public var release: UInt16
    public var deviceClass: UInt8

    /// Takes idVendor, idProduct, bcdDevice, and bDeviceClass.
    public init(vendorID: UInt16, productID: UInt16, release: UInt16, deviceClass: UInt8 = 0) {
        (self.vendorID, self.productID) = (vendorID, productID)
        (self.release, self.deviceClass) = (release, deviceClass)
    }

    public var identifiers: USBIdentifiers { USBIdentifiers(vendor: vendorID, product: productID) }
}

/// The vendor and the product of a device, in the format of `lsusb`: `04e6:e001`.
public struct USBIdentifiers: Hashable, Sendable, CustomStringConvertible {
    /// idVendor
    public var vendor: UInt16
    /// idProduct
    public var product: UInt16

    /// Takes idVendor and idProduct.
    public init(vendor: UInt16, product: UInt16) { (self.vendor, self.product) = (vendor, product) }

    /// Reads four hexadecimal digits for each, uppercase or lowercase. Nil for any other text.
    public init?(_ text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false).map { [UInt8](hexadecimal: $0) }
        guard parts.count == 2, let vendor = parts[0], let product = parts[1], vendor.count == 2, product.count == 2
        else { return nil }
        self.init(
            vendor: UInt16(vendor[0]) << 8 | UInt16(vendor[1]), product: UInt16(product[0]) << 8 | UInt16(product[1]))
    }

    public var description: String { vendor.lowercaseHexadecimal + ":" + product.lowercaseHexadecimal }
}

/// A configuration with its interfaces (USB 2.0 §9.6.3).
public struct USBConfiguration: Hashable, Sendable {
    /// bConfigurationValue
    public var value: UInt8
    /// One entry for each interface descriptor, alternate settings included.
    public var interfaces: [USBInterface]

    /// Takes bConfigurationValue, and an entry for each interface descriptor, alternate settings included.
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
    /// The kernel HID driver's information; nil when that driver does not have the interface.
    public var kernelHID: KernelHID?

    /// Takes the fields of the descriptor; `classDescriptors` are whole descriptors, in order.
    public init(
        number: UInt8, alternateSetting: UInt8 = 0, classCode: UInt8, subclassCode: UInt8 = 0, protocolCode: UInt8 = 0,
        endpoints: [USBEndpoint], classDescriptors: [[UInt8]] = [], kernelHID: KernelHID? = nil
    ) {
        (self.number, self.alternateSetting) = (number, alternateSetting)
        (self.classCode, self.subclassCode, self.protocolCode) = (classCode, subclassCode, protocolCode)
        (self.endpoints, self.classDescriptors, self.kernelHID) = (endpoints, classDescriptors, kernelHID)
    }
}

/// An endpoint (USB 2.0 §9.6.6).
public struct USBEndpoint: Hashable, Sendable {
    /// The transfer type: the low two bits of bmAttributes.
    public enum Kind: UInt8, Hashable, Sendable { case control, isochronous, bulk, interrupt }

    /// bEndpointAddress; b8 set means IN.
    public var address: UInt8
    public var kind: Kind
    /// Bytes in the largest packet, b11-b1 of wMaxPacketSize.
    public var maximumPacketSize: UInt16
    /// bInterval
    public var interval: UInt8

    /// Takes bEndpointAddress, with the direction in its highest bit, wMaxPacketSize in bytes, and bInterval.
    public init(address: UInt8, kind: Kind, maximumPacketSize: UInt16, interval: UInt8 = 0) {
        (self.address, self.kind) = (address, kind)
        (self.maximumPacketSize, self.interval) = (maximumPacketSize, interval)
    }

    public var isInput: Bool { address & 0x80 != 0 }
}
