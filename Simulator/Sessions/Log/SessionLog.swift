internal import Determinism
internal import Synchronization

/// The events of one session, in the order in which they happened, and what is to happen when some are seen.
final class SessionLog: Sendable {
    private struct Watch {
        let words: String
        var remaining: Int
        let act: @Sendable () -> Void
    }

    private struct State {
        var events: [SessionEvent] = []
        var watches: [Watch] = []
    }

    private let time: any TimeSource
    private let start: Timestamp
    private let observer: (@Sendable (SessionEvent) -> Void)?
    private let state = Mutex(State())

    /// `observer` gets every event at once.
    init(_ time: any TimeSource, observer: (@Sendable (SessionEvent) -> Void)?) {
        (self.time, self.observer) = (time, observer)
        start = time.now()
    }

    var events: [SessionEvent] { state.withLock { $0.events } }

    /// Since the session began.
    var elapsed: Duration { .milliseconds(time.now().milliseconds - start.milliseconds) }

    /// Writes an event down, and does what waits for it before anything else goes on.
    func note(_ kind: SessionEventKind, _ detail: String = "") {
        let milliseconds = time.now().milliseconds - start.milliseconds
        let (event, acts) = state.withLock { state in
            let event = SessionEvent(
                number: state.events.count + 1, milliseconds: milliseconds, kind: kind, detail: detail)
            state.events.append(event)
            guard !state.watches.isEmpty else { return (event, [@Sendable () -> Void]()) }
            var acts: [@Sendable () -> Void] = []
            for index in state.watches.indices where event.matches(state.watches[index].words) {
                state.watches[index].remaining -= 1
                if state.watches[index].remaining == 0 { acts.append(state.watches[index].act) }
            }
            state.watches.removeAll { $0.remaining <= 0 }
            return (event, acts)
        }
        observer?(event)
        for act in acts { act() }
    }

    /// Nothing waits for an event any more.
    func forgetWatches() { state.withLock { $0.watches = [] } }

    /// Does something when the `count`-th event from now is seen that begins with these words.
    func watch(_ words: String, count: Int, _ act: @escaping @Sendable () -> Void) {
        state.withLock { $0.watches.append(Watch(words: words, remaining: max(1, count), act: act)) }
    }
}
