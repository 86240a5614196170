internal import Hardware
internal import Synchronization

/// What a payment has told of the reader, which the reader service tells once more to everybody.
final class ToldEvents: Sendable {
    private let events = Mutex<[CardReaderEvent]>([])

    func add(_ event: CardReaderEvent) { events.withLock { $0.append(event) } }

    /// Whether this event was told; each is told once.
    func take(_ event: CardReaderEvent) -> Bool {
        events.withLock { events in
            // Not every event is told to everybody: those before it were not.
            guard let place = events.firstIndex(of: event) else { return false }
            events.removeSubrange(...place)
            return true
        }
    }
}
