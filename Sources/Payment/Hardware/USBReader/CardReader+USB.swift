public import CCID
public import MagneticStripe
public import USB

extension CardReader {
    /// Returns the card readers in a USB device: for chip cards (CCID), for magnetic stripes, or for both. A device
    /// with several CCID interfaces has one reader per interface: the first has the device's own identifier, the others
    /// have the suffix `#1`, `#2`, and so on.
    ///
    /// - Parameters:
    ///   - device: Any USB device.
    ///   - stripeReaders: The magnetic stripe readers that cannot be recognized from their descriptors.
    ///   - quirks: The known deviations of chip card readers from their descriptors.
    /// - Returns: The readers, in the order of their interfaces.
    public static func all(
        in device: USBDevice, stripeReaders: [MagneticStripeReaderModel] = MagneticStripeReaderModel.known,
        quirks: ReaderQuirkTable = .embedded
    ) -> [CardReader] {
        let chips = (try? CCIDInterface.all(in: device, quirks: quirks)) ?? []
        let stripe = MagneticStripeInterface.find(in: device, models: stripeReaders)
        guard !chips.isEmpty else { return stripe.map { [CardReader(device, $0)] } ?? [] }
        // The first reader takes cards in every way that the device has, unless its interfaces exclude each other.
        let isExclusive = quirks.quirks(of: device.descriptor).contains(.oneInterfaceAtATime)
        let all = chips.reduce(into: CardReaderInput()) { $0.formUnion(inputs(of: $1)) }
        return chips.enumerated().map { number, chip in
            var inputs = number == 0 && !isExclusive ? all : inputs(of: chip)
            if number == 0, stripe != nil { inputs.formUnion(.swipe) }
            return CardReader(device, chip, number: number, inputs: inputs)
        }
    }

    /// Returns the card readers in a USB device under a policy for magnetic stripes. When stripes are not accepted, no
    /// reader has that input, and pure stripe readers are left out.
    ///
    /// - Parameters:
    ///   - device: Any USB device.
    ///   - magneticStripe: Whether stripes are read, and the readers that cannot be recognized from their descriptors.
    ///   - quirks: The known deviations of chip card readers from their descriptors.
    /// - Returns: The readers, in the order of their interfaces.
    public static func all(
        in device: USBDevice, magneticStripe: MagneticStripePolicy, quirks: ReaderQuirkTable = .embedded
    ) -> [CardReader] {
        all(in: device, stripeReaders: magneticStripe.readers, quirks: quirks).compactMap { reader in
            var reader = reader
            if !magneticStripe.isEnabled { reader.inputs.remove(.swipe) }
            return reader.inputs.isEmpty ? nil : reader
        }
    }

    /// Creates the first card reader in a USB device; nil when the device has none.
    public init?(
        _ device: USBDevice, stripeReaders: [MagneticStripeReaderModel] = MagneticStripeReaderModel.known,
        quirks: ReaderQuirkTable = .embedded
    ) {
        guard let first = Self.all(in: device, stripeReaders: stripeReaders, quirks: quirks).first else { return nil }
        self = first
    }

    /// Returns the index of the CCID interface of the reader with this identifier, from 0.
    static func number(of id: CardReader.ID) -> Int {
        guard let mark = id.lastIndex(of: "#") else { return 0 }
        return Int(id[id.index(after: mark)...]) ?? 0
    }

    private static func inputs(of chip: CCIDInterface) -> CardReaderInput {
        guard chip.hasContactlessSlot else { return .insert }
        return chip.isContactless ? .tap : [.insert, .tap]
    }

    private init(_ device: USBDevice, _ chip: CCIDInterface, number: Int, inputs: CardReaderInput) {
        let usbID = device.descriptor.identifiers.description
        let suffix = number == 0 ? "" : "#\(number)"
        self.init(
            id: usbID + Self.place(device) + suffix,
            name: (device.product ?? "USB smart card reader \(usbID)") + (number == 0 ? "" : " " + suffix),
            manufacturer: device.manufacturer, serialNumber: device.serialNumber, usbID: usbID,
            softwareVersion: Self.version(device), batteryLevel: nil, readerType: .ccid,
            exchangeLevel: String(describing: chip.descriptor.level),
            slotCount: Int(chip.descriptor.maximumSlotIndex) + 1,
            hasPINPad: chip.descriptor.pinSupport.contains(.verification),
            inputs: inputs)
    }

    /// Creates a reader in update mode. It has the identifier of the reader in normal operation, if it has a serial
    /// number.
    init(_ device: USBDevice, awaiting firmware: ReaderFirmware) {
        let usbID = firmware.usbID
        self.init(
            id: usbID + Self.place(device), name: device.product ?? "USB card reader \(usbID)",
            manufacturer: device.manufacturer, serialNumber: device.serialNumber, usbID: usbID, softwareVersion: nil,
            batteryLevel: nil, readerType: .ccid, exchangeLevel: "none", slotCount: 0, inputs: [],
            isAwaitingFirmware: true)
    }

    private init(_ device: USBDevice, _ stripe: MagneticStripeInterface) {
        let usbID = device.descriptor.identifiers.description
        self.init(
            id: usbID + Self.place(device), name: device.product ?? "USB magnetic stripe reader \(usbID)",
            manufacturer: device.manufacturer, serialNumber: device.serialNumber, usbID: usbID,
            softwareVersion: Self.version(device), batteryLevel: nil, readerType: .magneticStripe,
            exchangeLevel: stripe.format == .keyboard ? "keyboard" : "reports", slotCount: 0, inputs: .swipe)
    }

    private static func place(_ device: USBDevice) -> String {
        device.serialNumber.map { "/" + $0 } ?? "@" + (device.port ?? "\(device.bus)-\(device.address)")
    }

    private static func version(_ device: USBDevice) -> String {
        String(describing: ReaderRelease(rawValue: device.descriptor.release))
    }
}
