public import CCID
public import USB

extension CardReader {
    /// The CCID readers in a USB device, one for each of its reader interfaces; none when it is no reader.
    ///
    /// The first has the device's own identifier, the others have `#1`, `#2` behind it.
    public static func all(in device: USBDevice, quirks: ReaderQuirkTable = .embedded) -> [CardReader] {
        interfaces(of: device, quirks).map(\.reader)
    }

    /// The first CCID reader in a USB device; nil when the device is none.
    public init?(_ device: USBDevice, quirks: ReaderQuirkTable = .embedded) {
        guard let first = Self.all(in: device, quirks: quirks).first else { return nil }
        self = first
    }

    /// The readers in a device with the interfaces that they are reached by.
    static func interfaces(
        of device: USBDevice, _ quirks: ReaderQuirkTable
    ) -> [(reader: CardReader, interface: CCIDInterface)] {
        let interfaces: [CCIDInterface]
        do throws(CCIDDescriptorError) {
            interfaces = try CCIDInterface.all(in: device, quirks: quirks)
        } catch { return [] }
        return interfaces.enumerated().map { (CardReader(device, $1, number: $0), $1) }
    }

    /// - Parameters:
    ///   - device: where the reader is.
    ///   - interface: its interface.
    ///   - number: which of the device's reader interfaces that is, from 0.
    private init(_ device: USBDevice, _ interface: CCIDInterface, number: Int) {
        let descriptor = device.descriptor
        let usbID = Self.hexadecimal(descriptor.vendorID) + ":" + Self.hexadecimal(descriptor.productID)
        let place = device.serialNumber.map { "/" + $0 } ?? "@\(device.bus)-\(device.address)"
        let suffix = number == 0 ? "" : "#\(number)"
        self.init(
            id: usbID + place + suffix,
            name: (device.product ?? "USB smart card reader \(usbID)") + (number == 0 ? "" : " " + suffix),
            manufacturer: device.manufacturer, serialNumber: device.serialNumber, usbID: usbID,
            softwareVersion: String(describing: ReaderRelease(rawValue: descriptor.release)),
            batteryLevel: nil, readerType: .ccid, exchangeLevel: String(describing: interface.descriptor.level),
            slotCount: Int(interface.descriptor.maximumSlotIndex) + 1,
            hasPINPad: interface.descriptor.pinSupport.contains(.verification))
    }

    private static func hexadecimal(_ number: UInt16) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 4 - digits.count) + digits
    }
}
