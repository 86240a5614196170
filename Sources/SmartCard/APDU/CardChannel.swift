/// A powered card that takes commands, one at a time, whatever lies between it and the program.
public protocol CardChannel: Sendable {
    /// Sends a command and waits for the card's whole answer; 61xx and 6Cxx are dealt with below.
    ///
    /// - Throws: ``CardChannelError``. After an error the card must be reset before it is used again.
    func transmit(_ command: CommandAPDU) async throws(CardChannelError) -> ResponseAPDU
}
