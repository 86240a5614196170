internal import Sessions
internal import Synchronization
internal import Testing

/// What is told of a shop beside an issue: its seed, and what happened last.
final class ShopStory: Sendable {
    private let seed: UInt64
    private let events = Mutex<[SessionEvent]>([])

    /// How many events are told.
    private static let mostEvents = 12

    init(_ plan: SessionPlan) { seed = plan.seed }

    func add(_ event: SessionEvent) {
        // Exchanges with the card would leave room for nothing else.
        guard event.kind != .apdu else { return }
        events.withLock { events in
            if events.count == Self.mostEvents { events.removeFirst() }
            events.append(event)
        }
    }

    /// The issue with what is to be told beside it.
    func told(with issue: Issue) -> Issue {
        var issue = issue
        let lines = events.withLock { $0 }.map { "\n    \($0.milliseconds) ms  \($0.text)" }
        let story = "seed \(seed)" + (lines.isEmpty ? "" : "; the last events:" + lines.joined())
        issue.comments.append(Comment(rawValue: story))
        return issue
    }
}
