internal import Sessions
internal import Synchronization

/// What a session has told so far, for when it does not come to its end.
final class HeardEvents: Sendable {
    private let events = Mutex<[SessionEvent]>([])

    func add(_ event: SessionEvent) { events.withLock { $0.append(event) } }

    /// With the virtual time of each.
    var lines: [String] { events.withLock { $0.map(Words.line) } }

    /// From the session's beginning to the last event, on the virtual clock.
    var elapsed: Duration { events.withLock { $0.last?.time ?? .zero } }
}
