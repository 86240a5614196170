public import CCID
public import MSR
public import USB

extension CardReader {
    /// The card readers in a USB device: for chip cards (CCID), for magnetic stripes, or for both; none when it is no
    /// reader. A device with several CCID interfaces has a reader behind each: the first has the device's own identifier,
    /// the others have `#1`, `#2` behind it.
    ///
    /// - Parameters:
    ///   - device: any USB device.
    ///   - stripeReaders: the magnetic stripe readers that do not say what they are.
    ///   - quirks: what is known of chip card readers besides their descriptors.
    /// - Returns: the readers, in the order of their interfaces.
    public static func all(
        in device: USBDevice, stripeReaders: [MSRModel] = MSRModel.known, quirks: ReaderQuirkTable = .embedded
    ) -> [CardReader] {
        let chips = (try? CCIDInterface.all(in: device, quirks: quirks)) ?? []
        let stripe = MSRInterface.find(in: device, models: stripeReaders)
        guard !chips.isEmpty else { return stripe.map { [CardReader(device, $0)] } ?? [] }
        return chips.enumerated().map { number, chip in
            CardReader(device, chip, number: number, hasStripe: number == 0 && stripe != nil)
        }
    }

    /// The card readers in a USB device as far as their cards are taken: where magnetic stripes are not, no reader takes
    /// them, and one that takes nothing else is none.
    ///
    /// - Parameters:
    ///   - device: any USB device.
    ///   - magneticStripe: whether stripes are read, and which readers do not say what they are.
    ///   - quirks: what is known of chip card readers besides their descriptors.
    /// - Returns: the readers, in the order of their interfaces.
    public static func all(
        in device: USBDevice, magneticStripe: MagneticStripePolicy, quirks: ReaderQuirkTable = .embedded
    ) -> [CardReader] {
        all(in: device, stripeReaders: magneticStripe.readers, quirks: quirks).compactMap { reader in
            var reader = reader
            if !magneticStripe.isEnabled { reader.inputs.remove(.swipe) }
            return reader.inputs.isEmpty ? nil : reader
        }
    }

    /// The first card reader in a USB device; nil when the device is none.
    public init?(
        _ device: USBDevice, stripeReaders: [MSRModel] = MSRModel.known, quirks: ReaderQuirkTable = .embedded
    ) {
        guard let first = Self.all(in: device, stripeReaders: stripeReaders, quirks: quirks).first else { return nil }
        self = first
    }

    /// Which of a device's CCID interfaces the reader with this identifier is, from 0.
    static func number(of id: CardReader.ID) -> Int {
        guard let mark = id.lastIndex(of: "#") else { return 0 }
        return Int(id[id.index(after: mark)...]) ?? 0
    }

    private init(_ device: USBDevice, _ chip: CCIDInterface, number: Int, hasStripe: Bool) {
        let usbID = Self.usbID(device)
        let suffix = number == 0 ? "" : "#\(number)"
        self.init(
            id: usbID + Self.place(device) + suffix,
            name: (device.product ?? "USB smart card reader \(usbID)") + (number == 0 ? "" : " " + suffix),
            manufacturer: device.manufacturer, serialNumber: device.serialNumber, usbID: usbID,
            softwareVersion: Self.version(device), batteryLevel: nil, readerType: .ccid,
            exchangeLevel: String(describing: chip.descriptor.level),
            slotCount: Int(chip.descriptor.maximumSlotIndex) + 1,
            hasPINPad: chip.descriptor.pinSupport.contains(.verification),
            inputs: hasStripe ? [.insert, .swipe] : .insert)
    }

    /// A reader that waits for firmware. Its identifier is that of the reader at its work, where it has a serial number.
    init(_ device: USBDevice, awaiting firmware: ReaderFirmware) {
        let usbID = Self.hexadecimal(firmware.vendorID) + ":" + Self.hexadecimal(firmware.productID)
        self.init(
            id: usbID + Self.place(device), name: device.product ?? "USB card reader \(usbID)",
            manufacturer: device.manufacturer, serialNumber: device.serialNumber, usbID: usbID, softwareVersion: nil,
            batteryLevel: nil, readerType: .ccid, exchangeLevel: "none", slotCount: 0, inputs: [],
            isAwaitingFirmware: true)
    }

    private init(_ device: USBDevice, _ stripe: MSRInterface) {
        let usbID = Self.usbID(device)
        self.init(
            id: usbID + Self.place(device), name: device.product ?? "USB magnetic stripe reader \(usbID)",
            manufacturer: device.manufacturer, serialNumber: device.serialNumber, usbID: usbID,
            softwareVersion: Self.version(device), batteryLevel: nil, readerType: .magneticStripe,
            exchangeLevel: stripe.format == .keyboard ? "keyboard" : "reports", slotCount: 0, inputs: .swipe)
    }

    private static func usbID(_ device: USBDevice) -> String {
        hexadecimal(device.descriptor.vendorID) + ":" + hexadecimal(device.descriptor.productID)
    }

    private static func place(_ device: USBDevice) -> String {
        device.serialNumber.map { "/" + $0 } ?? "@" + (device.port ?? "\(device.bus)-\(device.address)")
    }

    private static func version(_ device: USBDevice) -> String {
        String(describing: ReaderRelease(rawValue: device.descriptor.release))
    }

    private static func hexadecimal(_ number: UInt16) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 4 - digits.count) + digits
    }
}
