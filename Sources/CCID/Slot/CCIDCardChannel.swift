public import SmartCard

/// A powered card in a slot of a CCID reader. Valid until the card leaves, is powered again or off, or an
/// exchange fails.
public struct CCIDCardChannel: CardChannel {
    let reader: CCIDReader
    /// The slot that the card is in.
    public let slot: UInt8
    let activation: UInt64
    /// The card's answer to reset.
    public let atr: ATR
    /// 0 or 1.
    public let transmissionProtocol: UInt8

    init(reader: CCIDReader, slot: UInt8, activation: UInt64, atr: ATR, transmissionProtocol: UInt8) {
        (self.reader, self.slot, self.activation) = (reader, slot, activation)
        (self.atr, self.transmissionProtocol) = (atr, transmissionProtocol)
    }

    /// Sends a command at the reader's exchange level.
    ///
    /// When the task is cancelled, this returns once the reader is idle again. After any error but
    /// ``CardChannelError/notSupported(_:)``, and a cancellation before anything was sent, the channel
    /// refuses every further command: power the card on again.
    ///
    /// - Throws: ``CardChannelError``
    public func transmit(_ command: CommandAPDU) async throws(CardChannelError) -> ResponseAPDU {
        try await reader.transmit(command, slot: slot, activation: activation)
    }
}
