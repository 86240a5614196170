public import Determinism

/// What will happen in a simulated world: events in the order of their time, and at the same time in
/// the order in which they were added. A value without a clock of its own.
public struct SimulationSchedule: Sendable {
    /// Whether a host may be waiting for an event with nothing else to do.
    public enum Expectation: Hashable, Sendable {
        /// A card or a device comes, or a card leaves that the host is done with.
        case awaited
        /// It breaks into whatever the host does: a reader is pulled out, power fails.
        case disruptive
    }

    /// One event.
    public struct Event: Sendable {
        public let moment: Timestamp
        public let expectation: Expectation
        public let action: @Sendable () -> Void
    }

    // Sorted; the earliest event is last, where it is cheap to take.
    private var events: [Event] = []

    public init() {}

    /// The earliest event.
    public var next: Event? { events.last }

    /// Adds an event behind all others of the same moment.
    public mutating func add(
        at moment: Timestamp, _ expectation: Expectation, _ action: @escaping @Sendable () -> Void
    ) {
        let place = events.lastIndex { $0.moment > moment }.map { $0 + 1 } ?? 0
        events.insert(Event(moment: moment, expectation: expectation, action: action), at: place)
    }

    /// Takes the earliest event, if it is not later than `moment`.
    public mutating func popFirst(notAfter moment: Timestamp) -> Event? {
        guard let next, next.moment <= moment else { return nil }
        return events.popLast()
    }
}
