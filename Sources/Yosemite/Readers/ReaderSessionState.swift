public import Hardware

/// What is known of the card reader, as far as somebody asks for it; see ``ReaderSession``.
public struct ReaderSessionState: Hashable, Sendable {
    /// Whether a card is in the slot.
    public enum Slot: Hashable, Sendable { case unknown, empty, occupied }

    /// One event, told apart from an equal one before it.
    public struct Event: Hashable, Sendable {
        public let number: UInt64
        public let event: CardReaderEvent
    }

    /// What is being followed: what is not, stays as it was seen last.
    public internal(set) var followed: Set<ReaderSessionQuery> = []
    /// The connected reader with the level of its battery; nil when none is connected.
    public internal(set) var reader: CardReader?
    public internal(set) var reconnection = CardReaderReconnectionState.idle
    public internal(set) var update = CardReaderSoftwareUpdateState.none
    public internal(set) var slot = Slot.unknown
    /// What the people at the reader are to do, or to wait for; nil when there is nothing.
    public internal(set) var prompt: CardReaderEvent?
    /// The last thing that happened at the reader.
    public internal(set) var lastEvent: Event?

    /// Takes in what happened at the reader.
    mutating func note(_ event: CardReaderEvent) {
        lastEvent = Event(number: (lastEvent?.number ?? 0) + 1, event: event)
        switch event {
        case .waitingForInput, .displayMessage, .removeCardRequested, .authorizing: prompt = event
        case .cardInserted: (slot, prompt) = (.occupied, nil)
        case .cardSwiped: prompt = nil
        case .cardRemoved, .cardRemovedAfterClientSidePaymentCapture: (slot, prompt) = (.empty, nil)
        case .lowBattery(let level), .lowBatteryResolved(let level): reader?.batteryLevel = level
        case .disconnected: (slot, prompt) = (.unknown, nil)
        case .kernel, .cardDetailsCollected, .recovering: break
        }
    }
}
