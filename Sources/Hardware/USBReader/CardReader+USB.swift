internal import CCID
public import USB

extension CardReader {
    /// The CCID reader in a USB device; nil when the device is none.
    public init?(_ device: USBDevice) {
        let interfaces: [CCIDInterface]
        do throws(CCIDDescriptorError) { interfaces = try CCIDInterface.all(in: device) } catch { return nil }
        guard let interface = interfaces.first else { return nil }
        let descriptor = device.descriptor
        let usbID = Self.hexadecimal(descriptor.vendorID) + ":" + Self.hexadecimal(descriptor.productID)
        let place = device.serialNumber.map { "/" + $0 } ?? "@" + (device.port ?? "\(device.bus)-\(device.address)")
        let release = Self.hexadecimal(descriptor.release)
        self.init(
            id: usbID + place, name: device.product ?? "USB smart card reader \(usbID)",
            manufacturer: device.manufacturer, serialNumber: device.serialNumber, usbID: usbID,
            softwareVersion: release.prefix(2).drop { $0 == "0" && release.prefix(2) != "00" } + "."
                + release.suffix(2),
            batteryLevel: nil, readerType: .ccid, exchangeLevel: String(describing: interface.descriptor.level),
            slotCount: Int(interface.descriptor.maximumSlotIndex) + 1,
            hasPINPad: interface.descriptor.pinSupport.contains(.verification))
    }

    private static func hexadecimal(_ number: UInt16) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 4 - digits.count) + digits
    }
}
