import Determinism
import Monitoring
import Sessions
import Synchronization

/// Measures one session by its events.
///
/// The session's clock moves only while something waits: a simulated delay takes no real time, and work takes no
/// simulated time. The time of an exchange is therefore the sum of both: its waits on the session's clock, and the work
/// for it on the server's clock. While the session stands still, for a client or in a pause, neither counts.
final class SessionMeter: Sendable {
    /// A queue of a session, by the kind of records that wait.
    enum Queue: String, Hashable, Sendable, CaseIterable {
        /// Attempts without a result.
        case openAttempts = "open_attempts"
        /// Attempts whose outcome is unknown.
        case unknown
        /// Payments that the store has not been notified of.
        case notifications
        /// Print jobs that have not ended.
        case prints
    }

    private struct State {
        /// Whether events are counted in the totals.
        var counts = true
        /// The work so far.
        var work = Duration.zero
        /// The reading of the server's clock up to which ``work`` has been counted; nil while the session stands still.
        var mark: Duration?
        /// The time of the session's last event: its waits and its work.
        var last = Duration.zero
        /// When each message that the host has not answered was sent, in the same time.
        var sent: [String: Duration] = [:]
        /// The attempts that were counted as unknown.
        var unknown: Set<String> = []
        /// The moment from which each record waits, in milliseconds, by queue and number.
        var waiting: [Queue: [String: Int64]] = [:]
    }

    private let total: ServiceMeter
    private let time: any TimeSource
    private let state = Mutex(State())

    /// - Parameters:
    ///   - total: takes the counts of all sessions.
    ///   - time: the server's clock.
    init(_ total: ServiceMeter, time: any TimeSource) { (self.total, self.time) = (total, time) }

    /// Leaves the totals as they are while `body` repeats what another session has counted.
    func repeating<Value, Failure: Error>(
        _ body: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        state.withLock { $0.counts = false }
        defer { state.withLock { $0.counts = true } }
        return try await body()
    }

    /// The totals; nil while the session repeats what was counted.
    private var totals: ServiceMeter? { state.withLock { $0.counts } ? total : nil }

    /// Counts the work until now. The session stands still from now until its next event.
    func rest() {
        let now = time.reading()
        state.withLock { state in
            if let mark = state.mark { state.work += max(.zero, now - mark) }
            state.mark = nil
        }
    }

    /// Counts an event.
    func note(_ event: SessionEvent) {
        let words = event.detail.split(separator: " ", maxSplits: 2).map(String.init)
        let (first, second) = (words.first ?? "", words.dropFirst().first ?? "")
        let reading = time.reading()
        let (pause, now) = state.withLock { state in
            if let mark = state.mark { state.work += max(.zero, reading - mark) }
            state.mark = reading
            let now = event.time + state.work
            defer { state.last = now }
            return (now - state.last, now)
        }
        switch event.kind {
        case .journal: noteAttempt(second, first, at: event.milliseconds)
        case .capture: wait(.notifications, second, ["due", "sent", "unknown"].contains(first), event.milliseconds)
        case .printJob: wait(.prints, second, !["completed", "failed", "unknown"].contains(first), event.milliseconds)
        case .host: noteMessage(first, second, at: now)
        case .apdu:
            totals?.observe(ServiceMetrics.reader, time: pause)
            if second == "failed" { totals?.count(ServiceMetrics.faults, "kind", "exchange_failed") }
        case .site: totals?.observe(ServiceMetrics.store, time: pause)
        case .act where first == "reader_fault": totals?.count(ServiceMetrics.faults, "kind", "injected")
        case .unplugged, .disconnected, .recovering: totals?.count(ServiceMetrics.faults, "kind", event.kind.rawValue)
        case .reconnection where first == "failed":
            totals?.count(ServiceMetrics.faults, "kind", "reconnection_failed")
        default: break
        }
    }

    private func noteAttempt(_ attempt: String, _ word: String, at moment: Int64) {
        let isFinal = ServiceMetrics.outcomes.contains(word)
        let isUnknown = word == ServiceMetrics.unknownOutcome
        let isNewlyUnknown = isUnknown && state.withLock { $0.unknown.insert(attempt).inserted }
        if isFinal || isNewlyUnknown { totals?.count(ServiceMetrics.attempts, "outcome", word) }
        wait(.openAttempts, attempt, !isFinal && word != "authorizedOnly", moment)
        wait(.unknown, attempt, isUnknown, moment)
    }

    private func noteMessage(_ message: String, _ word: String, at moment: Duration) {
        if word == "sent" {
            state.withLock { $0.sent[message] = moment }
            return
        }
        guard let sent = state.withLock({ $0.sent.removeValue(forKey: message) }), word != "not_sent" else { return }
        totals?.observe(
            ServiceMetrics.host, MetricLabel("message", message),
            MetricLabel("result", word == "answered" ? word : "unanswered"), time: moment - sent)
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
