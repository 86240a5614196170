internal import Hardware
internal import Synchronization

/// What a payment has told of the reader, which the reader service tells once more to everybody.
final class ToldEvents: Sendable {
    private let events = Mutex<[CardReaderEvent]>([])

    func add(_ event: CardReaderEvent) { events.withLock { $0.append(event) } }

    /// Whether this event was told; each is told once.
    func take(_ event: CardReaderEvent) -> Bool {
        events.withLock { events in
            guard events.first == event else { return false }
            events.removeFirst()
            return true
        }
    }
}
