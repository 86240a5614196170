internal import CCID
public import MSR
public import USB

extension CardReader {
    /// The card reader in a USB device: for chip cards (CCID), for magnetic stripes, or for both. Nil when the device is
    /// none.
    ///
    /// - Parameters:
    ///   - device: any USB device.
    ///   - stripeReaders: the magnetic stripe readers that do not say what they are.
    public init?(_ device: USBDevice, stripeReaders: [MSRModel] = MSRModel.known) {
        let chip = (try? CCIDInterface.all(in: device))?.first
        let stripe = MSRInterface.find(in: device, models: stripeReaders)
        let descriptor = device.descriptor
        let usbID = Self.hexadecimal(descriptor.vendorID) + ":" + Self.hexadecimal(descriptor.productID)
        let place = device.serialNumber.map { "/" + $0 } ?? "@\(device.bus)-\(device.address)"
        let release = Self.hexadecimal(descriptor.release)
        let version =
            release.prefix(2).drop { $0 == "0" && release.prefix(2) != "00" } + "." + release.suffix(2)
        if let chip {
            self.init(
                id: usbID + place, name: device.product ?? "USB smart card reader \(usbID)",
                manufacturer: device.manufacturer, serialNumber: device.serialNumber, usbID: usbID,
                softwareVersion: String(version), batteryLevel: nil, readerType: .ccid,
                exchangeLevel: String(describing: chip.descriptor.level),
                slotCount: Int(chip.descriptor.maximumSlotIndex) + 1,
                hasPINPad: chip.descriptor.pinSupport.contains(.verification),
                inputs: stripe == nil ? .insert : [.insert, .swipe])
        } else if let stripe {
            self.init(
                id: usbID + place, name: device.product ?? "USB magnetic stripe reader \(usbID)",
                manufacturer: device.manufacturer, serialNumber: device.serialNumber, usbID: usbID,
                softwareVersion: String(version), batteryLevel: nil, readerType: .magneticStripe,
                exchangeLevel: stripe.format == .keyboard ? "keyboard" : "reports", slotCount: 0, inputs: .swipe)
        } else {
            return nil
        }
    }

    private static func hexadecimal(_ number: UInt16) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 4 - digits.count) + digits
    }
}
