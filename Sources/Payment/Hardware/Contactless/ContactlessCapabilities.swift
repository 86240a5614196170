public import CCID
public import USB

/// The abilities of a reader's contactless slot besides reading cards.
public struct ContactlessCapabilities: Hashable, Sendable {
    /// How the field is switched off at the end of a payment.
    public enum FieldSwitch: String, Hashable, Sendable {
        /// By vendor commands.
        case command
        /// Not at all: the card's power is taken, and the reader goes on looking for cards.
        case cardPower
    }

    /// The number of the slot, counted over all reader interfaces of the device; nil for a reader behind pcscd.
    public let slot: Int?
    public let field: FieldSwitch
    /// Whether the reader can tell that several cards are in its field.
    public let tellsCollisions: Bool
    /// The name of the vendor commands for lights and buzzer; nil where the reader shows its own, and where no public
    /// document has them.
    public let indicators: String?

    /// The slot of a reader behind pcscd, which passes no vendor commands on.
    public static let behindPCSCD = ContactlessCapabilities(
        slot: nil, field: .cardPower, tellsCollisions: false, indicators: nil)
}

extension CardReader {
    /// Returns what the contactless slot can do that payments at this reader use.
    ///
    /// - Parameters:
    ///   - device: The device of the reader.
    ///   - quirks: The known deviations of chip card readers from their descriptors.
    /// - Returns: Nil for a reader that takes no taps.
    public func contactless(in device: USBDevice, quirks: ReaderQuirkTable = .embedded) -> ContactlessCapabilities? {
        guard inputs.contains(.tap), let interfaces = try? CCIDInterface.all(in: device, quirks: quirks) else {
            return nil
        }
        let number = Self.number(of: id)
        var firstSlot = 0
        for (index, interface) in interfaces.enumerated() {
            // The first reader of a device has the slots of the other interfaces, too.
            if index == number || number == 0, let slot = interface.contactless.numbers.min() {
                return ContactlessCapabilities(
                    slot: firstSlot + Int(slot), field: interface.contactless.field == nil ? .cardPower : .command,
                    tellsCollisions: interface.contactless.field?.askForCollision != nil,
                    indicators: interface.contactless.indicators?.name)
            }
            firstSlot += Int(interface.descriptor.maximumSlotIndex) + 1
        }
        return nil
    }
}
