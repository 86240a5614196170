/// A card reader, as a program above the driver sees it.
///
/// Readers are equal when all their properties are equal: a changed battery level makes a difference. Compare ``id`` to
/// find out whether two values are the same device.
public struct CardReader: Hashable, Sendable, Codable, Identifiable {
    /// Identifies the device: vendor and product with the USB serial number, or, without one, with the port, for
    /// example `1209:c0de/CP0001` or `08e6:3437@1-4.2`. A reader that is plugged in again keeps its identifier: in any
    /// port when it has a serial number, otherwise in the same port. A reader behind pcscd has pcscd's name: `pcsc:ACS
    /// ACR39U ICC Reader 00 00`.
    public let id: String
    /// The product string of the device, or a name made from vendor and product.
    public var name: String
    public var manufacturer: String?
    public var serialNumber: String?
    /// USB vendor and product, four hexadecimal digits each: `1209:c0de`; nil when pcscd's driver does not report it.
    public var usbID: String?
    /// bcdDevice as `major.minor`; nil when pcscd's driver does not report it.
    public var softwareVersion: String?
    /// 0...1; nil for a reader that is powered by USB.
    public var batteryLevel: Double?
    public var readerType: CardReaderType
    /// The inputs for cards.
    public var inputs: CardReaderInput
    /// The level at which the reader exchanges data with cards: `TPDU`, `short APDU`, `extended APDU`, or `character`;
    /// `PC/SC` behind pcscd, whose driver hides it; for a pure magnetic stripe reader `reports`, or `keyboard` when it
    /// types.
    public var exchangeLevel: String
    /// The number of card slots.
    public var slotCount: Int
    /// Whether the reader reports a PIN pad of its own.
    public var hasPINPad: Bool
    /// Whether an interrupted update left the reader without working firmware: connecting it finishes the update.
    public var isAwaitingFirmware: Bool

    /// Describes a reader. Nil means that it does not tell: `usbID` is `vvvv:pppp`, and `batteryLevel` 0...1.
    public init(
        id: String, name: String, manufacturer: String?, serialNumber: String?, usbID: String?,
        softwareVersion: String?, batteryLevel: Double?, readerType: CardReaderType, exchangeLevel: String,
        slotCount: Int,
        hasPINPad: Bool = false, inputs: CardReaderInput = .insert, isAwaitingFirmware: Bool = false
    ) {
        (self.id, self.name, self.manufacturer, self.serialNumber) = (id, name, manufacturer, serialNumber)
        (self.usbID, self.softwareVersion, self.batteryLevel) = (usbID, softwareVersion, batteryLevel)
        (self.readerType, self.exchangeLevel, self.slotCount) = (readerType, exchangeLevel, slotCount)
        (self.hasPINPad, self.inputs, self.isAwaitingFirmware) = (hasPINPad, inputs, isAwaitingFirmware)
    }
}

/// The type of a reader.
public enum CardReaderType: String, Hashable, Sendable, Codable, CaseIterable {
    /// A USB chip card interface device (USB CCID 1.10).
    case ccid
    /// A chip card reader behind pcscd, which shares it with other programs.
    case pcsc
    /// A USB magnetic stripe reader (HID point of sale usage tables, and vendor formats).
    case magneticStripe
}

/// The places to search for readers.
public enum CardReaderDiscoveryMethod: String, Hashable, Sendable, Codable, CaseIterable {
    /// The USB bus of the service.
    case usb
    /// The pcscd of this machine.
    case pcsc
}

/// A source of card readers, for example a USB bus: finds readers, reports arrivals and departures, and opens a reader.
public protocol CardReaderSource: Sendable {
    /// The method that finds this source's readers.
    var discoveryMethod: CardReaderDiscoveryMethod { get }

    /// The types of readers that the source can open.
    var readerTypes: Set<CardReaderType> { get }

    /// Returns the readers that are present now.
    func readers() async throws(UnderlyingError) -> [CardReader]

    /// Returns the arrivals and departures from now on. Ends when its consumer stops.
    func changes() -> any AsyncSequence<CardReaderChange, Never> & Sendable

    /// Opens a reader from ``readers()`` or ``changes()``.
    func open(_ reader: CardReader) async throws(UnderlyingError) -> any CardReaderSession
}

/// The arrival or departure of a reader.
public enum CardReaderChange: Hashable, Sendable {
    case arrived(CardReader)
    case left(CardReader)

    /// The reader concerned.
    public var reader: CardReader {
        switch self {
        case .arrived(let reader), .left(let reader): reader
        }
    }
}
