/// What the issuer tells the card to do with itself, in ARPC method 2 (EMV Book 2 §8.2.2; common core
/// definitions, Book 3 annex C10).
public struct CardStatusUpdate: Hashable, Sendable {
    /// The new number of PIN tries, 0...15; taken when ``updatesPINTryCounter``.
    public var pinTryCounter: UInt8
    public var approves: Bool
    public var blocksCard: Bool
    public var blocksApplication: Bool
    public var updatesPINTryCounter: Bool
    /// The card is to ask for an online authorisation next time.
    public var goesOnlineNextTime: Bool
    /// What becomes of the counters of offline payments.
    public var counters: CounterUpdate

    /// What the issuer does to the counters of offline payments.
    public enum CounterUpdate: UInt8, Hashable, Sendable {
        case leave = 0b00
        case setToUpperLimits = 0b01
        case reset = 0b10
        /// This transaction counts as one that was made offline.
        case addTransaction = 0b11
    }

    /// The counters are reset on approval and left alone otherwise, unless `counters` says what becomes of them.
    public init(
        approves: Bool, blocksCard: Bool = false, blocksApplication: Bool = false, pinTryCounter: UInt8? = nil,
        goesOnlineNextTime: Bool = false, counters: CounterUpdate? = nil
    ) {
        (self.approves, self.blocksCard, self.blocksApplication) = (approves, blocksCard, blocksApplication)
        (self.pinTryCounter, updatesPINTryCounter) = (pinTryCounter ?? 0, pinTryCounter != nil)
        self.goesOnlineNextTime = goesOnlineNextTime
        self.counters = counters ?? (approves ? .reset : .leave)
    }

    /// Reads the four bytes; nil when there are not four.
    public init?(_ bytes: some Collection<UInt8>) {
        let bytes = Array(bytes)
        guard bytes.count == 4 else { return nil }
        pinTryCounter = bytes[0] & 0x0F
        approves = bytes[1] & 0x80 != 0
        blocksCard = bytes[1] & 0x40 != 0
        blocksApplication = bytes[1] & 0x20 != 0
        updatesPINTryCounter = bytes[1] & 0x10 != 0
        goesOnlineNextTime = bytes[1] & 0x08 != 0
        counters = CounterUpdate(rawValue: bytes[1] & 0x03) ?? .leave
    }

    /// The four bytes.
    public var encoded: [UInt8] {
        var actions: UInt8 = (approves ? 0x80 : 0) | counters.rawValue
        if blocksCard { actions |= 0x40 }
        if blocksApplication { actions |= 0x20 }
        if updatesPINTryCounter { actions |= 0x10 }
        if goesOnlineNextTime { actions |= 0x08 }
        return [min(pinTryCounter, 15), actions, 0, 0]
    }
}
