/// What somebody wants to know of the card reader.
public enum ReaderSessionQuery: Hashable, Sendable, CaseIterable {
    /// Which reader is connected.
    case connection
    /// What is done to get a lost one back.
    case reconnection
    /// The state of a firmware update.
    case update
    /// What happens at the reader: cards, prompts, battery.
    case events
}
