/// A card reader, as far as a program above the driver needs to know it.
///
/// Readers are equal when everything that is known of them is equal: a changed battery level is a
/// change. Compare ``id`` to ask whether two values mean the same device.
public struct CardReader: Hashable, Sendable, Codable, Identifiable {
    /// Names the device: the USB serial number where it has one, else the port that it is plugged into, always with
    /// vendor and product, for example `1209:c0de/CP0001` or `08e6:3437@1-4.2`. A reader that is plugged in again has the
    /// same name: anywhere when it has a serial number, else in the same port. A reader behind pcscd has pcscd's name
    /// for it: `pcsc:ACS ACR39U ICC Reader 00 00`.
    public let id: String
    /// The product string of the device, or a name made of vendor and product.
    public var name: String
    public var manufacturer: String?
    public var serialNumber: String?
    /// USB vendor and product, four hexadecimal digits each: `1209:c0de`; nil when pcscd's driver does not tell.
    public var usbID: String?
    /// bcdDevice as `major.minor`; nil when pcscd's driver does not tell.
    public var softwareVersion: String?
    /// 0...1; nil for a reader that lives on USB power.
    public var batteryLevel: Double?
    public var readerType: CardReaderType
    /// How cards can be presented to it.
    public var inputs: CardReaderInput
    /// What the reader exchanges with the host: `TPDU`, `short APDU`, `extended APDU` or `character`; `PC/SC` behind
    /// pcscd, whose driver hides it; of a reader for magnetic stripes alone `reports`, or `keyboard` when it types.
    public var exchangeLevel: String
    /// Card slots.
    public var slotCount: Int
    /// Whether the reader says that it takes PINs on keys of its own.
    public var hasPINPad: Bool
    /// Whether the reader has no firmware that runs, because an update was interrupted: connecting it finishes the update.
    public var isAwaitingFirmware: Bool

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
