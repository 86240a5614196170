/// A reader of a simulated session, as it is now.
public struct SessionReaderState: Hashable, Sendable {
    /// What the session calls it.
    public var name: String
    /// The name of its model.
    public var model: String
    /// Whether it is on the bus.
    public var isPluggedIn: Bool
    /// Whether it is the one that the till has connected.
    public var isConnected: Bool
    /// Whether a card is in its slot.
    public var hasCard: Bool
    /// How it takes cards: `insert`, `swipe`.
    public var ways: [String]
}
