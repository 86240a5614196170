/// What kind of magnetic stripe reader a simulated one is, as data.
public struct SimulatedMSRModel: Hashable, Sendable {
    /// How it delivers a swipe.
    public enum Kind: Hashable, Sendable {
        /// Usage page 8E of the HID point of sale usage tables; reports have a number.
        case pointOfSale
        /// The report of 337 bytes of MagTek's readers in HID mode.
        case fixedReport
        /// As the former, with a report of a reader that enciphers. What stands in its fields is noise.
        case encrypted
        /// It types.
        case keyboard
    }

    /// Short name, for example `msr`.
    public var name: String
    public var vendorID: UInt16
    public var productID: UInt16
    public var manufacturer = "CardPresent"
    public var product: String
    public var serialNumber: String?
    public var kind: Kind

    public init(name: String, vendorID: UInt16, productID: UInt16, product: String, kind: Kind) {
        (self.name, self.vendorID, self.productID, self.product) = (name, vendorID, productID, product)
        self.kind = kind
    }

    /// A reader with standard usages.
    public static let pointOfSale = SimulatedMSRModel(
        name: "msr", vendorID: 0x1209, productID: 0x000B, product: "Simulated magnetic stripe reader",
        kind: .pointOfSale)

    // A host knows the others by vendor and product alone, so they carry those of real ones.

    /// A reader with a vendor's own report.
    public static let fixedReport = SimulatedMSRModel(
        name: "msr-fixed", vendorID: 0x0801, productID: 0x0002,
        product: "Simulated magnetic stripe reader (fixed report)", kind: .fixedReport)

    /// A reader that is a keyboard.
    public static let keyboard = SimulatedMSRModel(
        name: "msr-keyboard", vendorID: 0x0801, productID: 0x0001,
        product: "Simulated magnetic stripe reader (keyboard)", kind: .keyboard)

    /// A reader that enciphers what it reads.
    public static let encrypted = SimulatedMSRModel(
        name: "msr-encrypted", vendorID: 0x0801, productID: 0x0002,
        product: "Simulated magnetic stripe reader (encrypting)", kind: .encrypted)

    /// Every model that comes with the simulator.
    public static let all = [pointOfSale, fixedReport, keyboard, encrypted]
}
