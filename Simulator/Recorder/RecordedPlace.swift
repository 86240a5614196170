public import Determinism
public import Hardware
public import Simulator

/// Where a payment was recorded: what can be had again as it was, and what has to be taken from the recording.
public struct RecordedPlace: Sendable {
    /// A simulated reader with a simulated card in it: both can be had again, and chance too.
    public struct Simulation: Sendable {
        public var model: SimulatedReader
        /// What a scenario calls the card: its name or its path.
        public var cardName: String
        public var card: CardProfile
        /// What all chance was made of.
        public var seed: UInt64
        /// The PIN that the cardholder was told to type; nil for what the profile says. Only whether it was the right one is
        /// written down.
        public var pin: SealedBytes?

        public init(model: SimulatedReader, cardName: String, card: CardProfile, seed: UInt64, pin: SealedBytes?) {
            (self.model, self.cardName, self.card) = (model, cardName, card)
            (self.seed, self.pin) = (seed, pin)
        }
    }

    /// Nil for a real reader.
    public var simulation: Simulation?
    /// When it began.
    public var start: Timestamp
    /// Of the clock on the wall, in seconds east of UTC.
    public var utcOffsetSeconds: Int
    public var till: TillConfiguration
    public var issuerRules: IssuerRules

    public init(
        simulation: Simulation? = nil, start: Timestamp, utcOffsetSeconds: Int, till: TillConfiguration,
        issuerRules: IssuerRules = IssuerRules()
    ) {
        (self.simulation, self.start, self.utcOffsetSeconds) = (simulation, start, utcOffsetSeconds)
        (self.till, self.issuerRules) = (till, issuerRules)
    }
}
