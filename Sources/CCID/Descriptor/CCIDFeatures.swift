/// What a reader does by itself, dwFeatures without the exchange level (CCID 1.1 §5.1).
public struct CCIDFeatures: OptionSet, Hashable, Sendable {
    public let rawValue: UInt32

    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Sets its parameters from the ATR.
    public static let automaticParameters = CCIDFeatures(rawValue: 0x2)
    /// Activates a card when it is inserted.
    public static let automaticActivation = CCIDFeatures(rawValue: 0x4)
    /// Chooses the voltage.
    public static let automaticVoltage = CCIDFeatures(rawValue: 0x8)
    /// Changes the clock frequency to suit the card.
    public static let automaticClock = CCIDFeatures(rawValue: 0x10)
    /// Changes the data rate to suit the card.
    public static let automaticDataRate = CCIDFeatures(rawValue: 0x20)
    /// Negotiates every parameter in its own way; the host sends neither PPS nor parameters.
    public static let automaticNegotiation = CCIDFeatures(rawValue: 0x40)
    /// Sends the PPS that fits the parameters which the host sets.
    public static let automaticPPS = CCIDFeatures(rawValue: 0x80)
    /// Can stop the card's clock.
    public static let clockStop = CCIDFeatures(rawValue: 0x100)
    /// Takes a NAD other than 00 in T=1.
    public static let nodeAddress = CCIDFeatures(rawValue: 0x200)
    /// Announces the size of its information field as its first exchange in T=1.
    public static let automaticIFSD = CCIDFeatures(rawValue: 0x400)
    /// Wakes a sleeping host when a card comes.
    public static let wakeUp = CCIDFeatures(rawValue: 0x10_0000)
}
