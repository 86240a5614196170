public import SmartCard

/// A powered card in a slot of a CCID reader. Valid until the card leaves, is powered again or off, or an
/// exchange fails.
public struct CCIDCardChannel: PINPadCardChannel {
    let reader: CCIDReader
    /// The slot that the card is in.
    public let slot: UInt8
    let activation: UInt64
    /// The card's answer to reset, or the one that the reader made for a card without contacts.
    public let atr: ATR
    /// What the reader tells about a card without contacts; nil for a card with contacts.
    public var contactless: ContactlessATR? { ContactlessATR(atr.bytes) }
    /// 0 or 1.
    public let transmissionProtocol: UInt8

    init(reader: CCIDReader, slot: UInt8, activation: UInt64, atr: ATR, transmissionProtocol: UInt8) {
        (self.reader, self.slot, self.activation) = (reader, slot, activation)
        (self.atr, self.transmissionProtocol) = (atr, transmissionProtocol)
    }

    /// Sends a command at the reader's exchange level.
    ///
    /// When the task is canceled, this returns once the reader is idle again. After any error but
    /// ``CardChannelError/notSupported(_:)``, and a cancellation before anything was sent, the channel
    /// refuses every further command: power the card on again.
    ///
    /// - Throws: ``CardChannelError``
    public func transmit(_ command: CommandAPDU) async throws(CardChannelError) -> ResponseAPDU {
        try await reader.transmit(command, slot: slot, activation: activation)
    }

    /// Whether the reader's bPINSupport names PIN verification (CCID 1.1 §5.1).
    public var hasPINPad: Bool { reader.interface.descriptor.pinSupport.contains(.verification) }

    /// Sends PC_to_RDR_Secure with a PIN verification structure (CCID 1.1 §6.1.11) at the reader's exchange level.
    /// The wait ends when the time of the entry and that of a whole command are over, however often the reader asks
    /// for more; what is still under way then is aborted.
    ///
    /// - Throws: ``CardChannelError``. As with ``transmit(_:)``, the channel then refuses every further command.
    public func verifyPIN(_ entry: PINPadEntry) async throws(CardChannelError) -> PINPadAnswer {
        try await reader.verifyPIN(entry, slot: slot, activation: activation)
    }
}
