public import SmartCard

/// A card as its contacts see it: it answers to reset and to commands. The transmission protocol
/// (T=0 or T=1) is the reader's and `SimulatedCardContacts`' business.
public protocol SimulatedCard: AnyObject, Sendable {
    /// Power and reset. Volatile state (the selected application, the session) is lost.
    ///
    /// - Parameter warm: whether the card had been powered already.
    /// - Returns: the answer to reset as raw bytes, right or wrong; empty when the card is mute.
    func reset(warm: Bool) -> [UInt8]

    /// Power goes away.
    func powerOff()

    /// Processes one command.
    func process(_ command: CommandAPDU) -> SimulatedCardReply

    /// Whether the command with this header (CLA INS P1 P2 P3) carries data to the card: T=0 alone
    /// cannot tell.
    func sendsData(header: [UInt8]) -> Bool
}

/// What a card does with a command.
public struct SimulatedCardReply: Hashable, Sendable {
    /// The answer; nil when the card stays mute.
    public var response: ResponseAPDU?
    /// How long the card works before it answers.
    public var processingTime: Duration
    /// How often the card asks for more time before it answers, whether it needs it or not.
    public var waitingTimeExtensions: Int
    /// The card comes out of the reader with this command; nil when it stays.
    public var removal: Removal?

    /// When a card comes out of the reader.
    public enum Removal: Hashable, Sendable {
        /// The answer never leaves the card.
        case beforeAnswer
        /// As soon as the whole answer is out.
        case afterAnswer
    }

    public init(
        _ response: ResponseAPDU?, processingTime: Duration = .zero, waitingTimeExtensions: Int = 0,
        removal: Removal? = nil
    ) {
        (self.response, self.processingTime) = (response, processingTime)
        (self.waitingTimeExtensions, self.removal) = (waitingTimeExtensions, removal)
    }
}
