import USB

/// A model of a simulated magnetic stripe reader, as data.
public struct SimulatedMSRModel: Hashable, Sendable {
    /// How the reader delivers a swipe.
    public enum Kind: Hashable, Sendable {
        /// HID point of sale usages (usage page 8E); reports are numbered.
        case pointOfSale
        /// The 337-byte report of MagTek readers in HID mode.
        case fixedReport
        /// Like ``fixedReport``, from a reader that encrypts. The fields hold noise.
        case encrypted
        /// A keyboard that types the tracks.
        case keyboard
    }

    /// The short name, for example `msr`.
    public var name: String
    public var vendorID: UInt16
    public var productID: UInt16
    public var manufacturer = "CardPresent"
    public var product: String
    public var serialNumber: String?
    public var kind: Kind

    /// Describes a model by what its descriptors tell, and by the form of its swipes.
    public init(name: String, vendorID: UInt16, productID: UInt16, product: String, kind: Kind) {
        (self.name, self.vendorID, self.productID, self.product) = (name, vendorID, productID, product)
        self.kind = kind
    }

    /// A reader with standard HID usages.
    public static let pointOfSale = SimulatedMSRModel(
        name: "msr", vendorID: 0x1209, productID: 0x000B, product: "Simulated magnetic stripe reader",
        kind: .pointOfSale)

    // Hosts recognize the other kinds by vendor and product ID alone, so these use the IDs of real products.

    /// A reader with a vendor-specific report.
    public static let fixedReport = SimulatedMSRModel(
        name: "msr-fixed", vendorID: 0x0801, productID: 0x0002,
        product: "Simulated magnetic stripe reader (fixed report)", kind: .fixedReport)

    /// A reader that acts as a keyboard.
    public static let keyboard = SimulatedMSRModel(
        name: "msr-keyboard", vendorID: 0x0801, productID: 0x0001,
        product: "Simulated magnetic stripe reader (keyboard)", kind: .keyboard)

    /// A reader that encrypts what it reads.
    public static let encrypted = SimulatedMSRModel(
        name: "msr-encrypted", vendorID: 0x0801, productID: 0x0002,
        product: "Simulated magnetic stripe reader (encrypting)", kind: .encrypted)

    /// All models that come with the simulator.
    public static let all = [pointOfSale, fixedReport, keyboard, encrypted]
}

extension SimulatedMSRModel {
    /// The descriptors of a reader of this model, as seen by a host whose kernel has parsed the report descriptor.
    public var descriptors: SimulatedUSBDescriptors {
        let isKeyboard = kind == .keyboard
        let interface = USBInterface(
            number: 0, classCode: 0x03, subclassCode: isKeyboard ? 1 : 0, protocolCode: isKeyboard ? 1 : 0,
            endpoints: [
                USBEndpoint(
                    address: 0x81, kind: .interrupt, maximumPacketSize: kind == .pointOfSale ? 64 : 8, interval: 8)
            ],
            classDescriptors: [hidDescriptor], kernelHID: KernelHID(reportDescriptor: reportDescriptor))
        return SimulatedUSBDescriptors(
            device: USBDeviceDescriptor(vendorID: vendorID, productID: productID, release: 0x0100),
            configuration: USBConfiguration(value: 1, interfaces: [interface]), manufacturer: manufacturer,
            product: product, serialNumber: serialNumber)
    }

    /// The HID descriptor, 9 bytes (HID 1.11 §6.2.1).
    var hidDescriptor: [UInt8] {
        let length = reportDescriptor.count
        return [0x09, 0x21, 0x11, 0x01, 0x00, 0x01, 0x22, UInt8(length & 0xFF), UInt8(length >> 8 & 0xFF)]
    }

    /// The report descriptor.
    var reportDescriptor: [UInt8] {
        switch kind {
        case .pointOfSale: Self.pointOfSaleReport
        case .fixedReport: Self.fixedReport(tracks: 110, [])
        // The encryption status and the key serial number.
        case .encrypted:
            Self.fixedReport(
                tracks: 112, [0x09, 0x42, 0x95, 0x02, 0x82, 0x02, 0x01, 0x09, 0x46, 0x95, 0x0A, 0x82, 0x02, 0x01])
        case .keyboard: Self.keyboardReport
        }
    }

    /// Report 1: three lengths, then the three tracks.
    private static let pointOfSaleReport: [UInt8] =
        [0x05, 0x8E, 0x09, 0x01, 0xA1, 0x01, 0x85, 0x01, 0x15, 0x00, 0x26, 0xFF, 0x00, 0x75, 0x08]
        + [0x19, 0x11, 0x29, 0x13, 0x95, 0x03, 0x81, 0x02]
        + [0x09, 0x21, 0x95, 79, 0x82, 0x02, 0x01, 0x09, 0x22, 0x95, 40, 0x82, 0x02, 0x01]
        + [0x09, 0x23, 0x95, 107, 0x82, 0x02, 0x01, 0xC0]

    /// Three statuses, three lengths, and the card type; the tracks; a feature report for commands.
    private static func fixedReport(tracks: UInt8, _ more: [UInt8]) -> [UInt8] {
        let head: [UInt8] = [0x06, 0x00, 0xFF, 0x09, 0x01, 0xA1, 0x01, 0x15, 0x00, 0x26, 0xFF, 0x00, 0x75, 0x08]
        let status: [UInt8] =
            [0x20, 0x21, 0x22, 0x28, 0x29, 0x2A, 0x38].flatMap { [0x09, $0] } + [0x95, 0x07, 0x81, 0x02]
        let data: [UInt8] = [0x30, 0x31, 0x32].flatMap { [0x09, $0, 0x95, tracks, 0x82, 0x02, 0x01] }
        return head + status + data + more + [0x09, 0x20, 0x95, 0x18, 0xB2, 0x02, 0x01, 0xC0]
    }

    /// A keyboard report descriptor (HID 1.11 appendix B.1).
    private static let keyboardReport: [UInt8] =
        [0x05, 0x01, 0x09, 0x06, 0xA1, 0x01, 0x05, 0x07, 0x19, 0xE0, 0x29, 0xE7, 0x15, 0x00, 0x25, 0x01]
        + [0x75, 0x01, 0x95, 0x08, 0x81, 0x02, 0x95, 0x01, 0x75, 0x08, 0x81, 0x01]
        + [0x95, 0x05, 0x75, 0x01, 0x05, 0x08, 0x19, 0x01, 0x29, 0x05, 0x91, 0x02, 0x95, 0x01, 0x75, 0x03, 0x91, 0x01]
        + [0x95, 0x06, 0x75, 0x08, 0x15, 0x00, 0x25, 0x65, 0x05, 0x07, 0x19, 0x00, 0x29, 0x65, 0x81, 0x00, 0xC0]
}
