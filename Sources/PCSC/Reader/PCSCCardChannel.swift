public import SmartCard

/// A powered card in a reader behind pcscd, which no other program reaches meanwhile. Valid until the card leaves, is
/// powered again or off, or an exchange fails.
public struct PCSCCardChannel: PINPadCardChannel {
    let reader: PCSCReader
    let activation: UInt64
    /// The card's answer to reset.
    public let atr: ATR
    /// 0 or 1.
    public let transmissionProtocol: UInt8
    /// Whether the reader's driver names PIN verification among its features (PC/SC part 10).
    public let hasPINPad: Bool

    init(reader: PCSCReader, activation: UInt64, atr: ATR, transmissionProtocol: UInt8, hasPINPad: Bool) {
        (self.reader, self.activation, self.atr) = (reader, activation, atr)
        (self.transmissionProtocol, self.hasPINPad) = (transmissionProtocol, hasPINPad)
    }

    /// Sends a command.
    ///
    /// Nothing takes a command back that pcscd has: when the task is cancelled, the answer to what was sent is waited
    /// for, and nothing more is sent. After any error but ``CardChannelError/notSupported(_:)``, and a cancellation
    /// before anything was sent, the channel refuses every further command: power the card on again.
    ///
    /// - Throws: ``CardChannelError``
    public func transmit(_ command: CommandAPDU) async throws(CardChannelError) -> ResponseAPDU {
        try await reader.transmit(command, activation: activation)
    }

    /// Has the driver take a PIN (FEATURE_VERIFY_PIN_DIRECT, PC/SC part 10). An entry cannot be aborted through pcscd:
    /// when the task is cancelled, this returns when the cardholder or the reader has ended it.
    ///
    /// - Throws: ``CardChannelError``. As with ``transmit(_:)``, the channel then refuses every further command.
    public func verifyPIN(_ entry: PINPadEntry) async throws(CardChannelError) -> PINPadAnswer {
        try await reader.verifyPIN(entry, activation: activation)
    }
}
