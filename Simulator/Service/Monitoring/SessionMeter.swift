internal import Monitoring
internal import Sessions
internal import Synchronization

/// Measures one session by its events. All times are those of the session's clock, which only runs while devices work.
final class SessionMeter: Sendable {
    /// What waits for something in a session.
    enum Queue: String, Hashable, Sendable, CaseIterable {
        /// Attempts without a result.
        case openAttempts = "open_attempts"
        /// Attempts whose outcome is unknown.
        case unknown
        /// Payments that the store has not been told of.
        case notifications
        /// Print jobs that have not ended.
        case prints
    }

    private struct State {
        /// The milliseconds of the session's last event.
        var last: Int64 = 0
        /// When each message that the host has not answered was sent.
        var sent: [String: Int64] = [:]
        /// What waits since when, by its number.
        var waiting: [Queue: [String: Int64]] = [:]
    }

    private let total: ServiceMeter
    private let state = Mutex(State())

    /// - Parameter total: takes the counts of all sessions.
    init(_ total: ServiceMeter) { self.total = total }

    /// Counts an event.
    func note(_ event: SessionEvent) {
        let words = event.detail.split(separator: " ", maxSplits: 2).map(String.init)
        let (first, second) = (words.first ?? "", words.dropFirst().first ?? "")
        let pause = state.withLock { state in
            defer { state.last = event.milliseconds }
            return event.milliseconds - state.last
        }
        switch event.kind {
        case .journal: noteAttempt(second, first, at: event.milliseconds)
        case .capture: wait(.notifications, second, ["due", "sent", "unknown"].contains(first), event.milliseconds)
        case .printJob: wait(.prints, second, !["completed", "failed", "unknown"].contains(first), event.milliseconds)
        case .host: noteMessage(first, second, at: event.milliseconds)
        case .apdu:
            total.observe(ServiceMetrics.reader, milliseconds: pause)
            if second == "failed" { total.count(ServiceMetrics.faults, "kind", "exchange_failed") }
        case .site: total.observe(ServiceMetrics.store, milliseconds: pause)
        case .act where first == "reader_fault": total.count(ServiceMetrics.faults, "kind", "injected")
        case .unplugged, .disconnected, .recovering: total.count(ServiceMetrics.faults, "kind", event.kind.rawValue)
        case .reconnection where first == "failed":
            total.count(ServiceMetrics.faults, "kind", "reconnection_failed")
        default: break
        }
    }

    private func noteAttempt(_ attempt: String, _ word: String, at moment: Int64) {
        let isFinal = ServiceMetrics.outcomes.contains(word)
        if isFinal { total.count(ServiceMetrics.attempts, "outcome", word) }
        wait(.openAttempts, attempt, !isFinal, moment)
        wait(.unknown, attempt, word == "unknown", moment)
    }

    private func noteMessage(_ message: String, _ word: String, at moment: Int64) {
        if word == "sent" {
            state.withLock { $0.sent[message] = moment }
            return
        }
        guard let sent = state.withLock({ $0.sent.removeValue(forKey: message) }), word != "not_sent" else { return }
        total.observe(
            ServiceMetrics.host, MetricLabel("message", message),
            MetricLabel("result", word == "answered" ? word : "unanswered"), milliseconds: moment - sent)
    }

    /// Puts something into a queue, where it keeps its place, or takes it out.
    private func wait(_ queue: Queue, _ name: String, _ isWaiting: Bool, _ moment: Int64) {
        state.withLock { state in
            if !isWaiting {
                _ = state.waiting[queue]?.removeValue(forKey: name)
            } else if state.waiting[queue]?[name] == nil {
                state.waiting[queue, default: [:]][name] = moment
            }
        }
    }

    /// Returns how much waits in each queue, and the time of the oldest.
    func queues(at now: Int64) -> [Queue: (count: Int, age: Int64)] {
        state.withLock { $0.waiting }.compactMapValues { entries in
            entries.values.min().map { (entries.count, max(0, now - $0)) }
        }
    }
}
