import Determinism
import HTTPInterface
import Monitoring
import Sessions
import Synchronization

/// The metrics of a service. Their names begin with `cardpresent_simulator`, so that no alert about real payments takes
/// them for its own.
enum ServiceMetrics {
    private static let prefix = "cardpresent_simulator_"

    static let requests = CounterMetric(prefix + "http_requests", "HTTP requests, by route and status.")
    static let requestTimes = HistogramMetric(
        prefix + "http_request_seconds", "Time until the response to an HTTP request, on the server's clock.")
    static let sessions = GaugeMetric(prefix + "sessions", "Open sessions.")
    static let sessionsLimit = GaugeMetric(prefix + "sessions_limit", "The most sessions at the same time.")
    static let created = CounterMetric(prefix + "sessions_created", "Sessions that were created.")
    static let ended = CounterMetric(prefix + "sessions_ended", "Sessions that have ended, by reason.")
    static let attempts = CounterMetric(
        prefix + "attempts", "Attempts of sales and refunds by outcome; unknown counts beside the later result.")
    static let unknown = GaugeMetric(
        prefix + "unknown_attempts", "Attempts in open sessions whose outcome is unknown.")
    static let queueLength = GaugeMetric(prefix + "queue_length", "What waits in open sessions, by queue.")
    static let queueAge = GaugeMetric(
        prefix + "queue_age_seconds", "Age of the oldest entry of a queue in any open session, in virtual time.")
    static let reader = HistogramMetric(
        prefix + "reader_seconds",
        "Time of a card exchange, since the event before it: its simulated waits and the server's work.")
    static let host = HistogramMetric(
        prefix + "host_seconds",
        "Time from sending a message to the host to the result: its simulated waits and the server's work.")
    static let store = HistogramMetric(
        prefix + "store_seconds",
        "Time of a request to the store, since the event before it: its simulated waits and the server's work.")
    static let faults = CounterMetric(
        prefix + "usb_faults", "Faults between till and reader in all sessions, by kind.")

    /// The states in which an attempt ends.
    static let outcomes = ["captured", "declined", "cancelled", "failed", "reversed"]
    /// The state of an attempt whose outcome is not known yet.
    static let unknownOutcome = "unknown"
    /// The kinds of ``faults``.
    static let faultKinds = [
        "disconnected", "exchange_failed", "injected", "reconnection_failed", "recovering", "unplugged",
    ]
}

/// Collects the metrics of a service.
final class ServiceMeter: Sendable {
    private let registry: Mutex<MetricsRegistry>

    init() {
        var registry = MetricsRegistry()
        // Known before the first event, so that a rate over them sees it.
        for outcome in ServiceMetrics.outcomes + [ServiceMetrics.unknownOutcome] {
            registry.count(ServiceMetrics.attempts, [MetricLabel("outcome", outcome)], by: 0)
        }
        for kind in ServiceMetrics.faultKinds {
            registry.count(ServiceMetrics.faults, [MetricLabel("kind", kind)], by: 0)
        }
        registry.count(ServiceMetrics.created, by: 0)
        for reason in SessionEnding.allCases {
            registry.count(ServiceMetrics.ended, [MetricLabel("reason", reason.rawValue)], by: 0)
        }
        self.registry = Mutex(registry)
    }

    func count(_ metric: CounterMetric) { registry.withLock { $0.count(metric) } }

    func count(_ metric: CounterMetric, _ name: String, _ value: String) {
        registry.withLock { $0.count(metric, [MetricLabel(name, value)]) }
    }

    func observe(_ metric: HistogramMetric, _ labels: MetricLabel..., time: Duration) {
        registry.withLock { $0.observe(metric, labels, max(.zero, time) / .seconds(1)) }
    }

    func note(_ request: ServedRequest) {
        let route = MetricLabel("route", request.route)
        registry.withLock { registry in
            registry.count(
                ServiceMetrics.requests,
                [MetricLabel("method", request.method), route, MetricLabel("status", "\(request.status)")])
            registry.observe(ServiceMetrics.requestTimes, [route], request.time / .seconds(1))
        }
    }

    /// Returns all metrics, with what the open sessions have at this moment.
    func metrics(of sessions: [ServedSession], limit: Int) -> MetricsRegistry {
        var registry = registry.withLock { $0 }
        registry.set(ServiceMetrics.sessions, to: Double(sessions.count))
        registry.set(ServiceMetrics.sessionsLimit, to: Double(limit))
        var totals: [SessionMeter.Queue: (count: Int, age: Int64)] = [:]
        for session in sessions {
            for (queue, found) in session.meter.queues(at: session.session.elapsed.milliseconds) {
                let known = totals[queue] ?? (0, 0)
                totals[queue] = (known.count + found.count, max(known.age, found.age))
            }
        }
        for queue in SessionMeter.Queue.allCases {
            let (count, age) = totals[queue] ?? (0, 0)
            let label = MetricLabel("queue", queue.rawValue)
            registry.set(ServiceMetrics.queueLength, [label], to: Double(count))
            registry.set(ServiceMetrics.queueAge, [label], to: Double(age) / 1000)
        }
        registry.set(ServiceMetrics.unknown, to: Double(totals[.unknown]?.count ?? 0))
        return registry
    }
}

/// Why a session has ended.
enum SessionEnding: String, Hashable, Sendable, CaseIterable {
    case deleted, idle, reset
    /// The server ended.
    case closed
}

/// A request that was answered, without anything that it contained.
struct ServedRequest: Sendable {
    /// `r1` and up: the header field `X-Request-Id` of the response.
    var id: String
    /// A method of the interface; `other` for any other.
    var method: String
    /// The path of the route, with names in braces; `none` when there is no such route.
    var route: String
    /// The ID of the session; nil for a route without one.
    var session: String?
    var status: Int
    /// The time until the response, on the server's clock.
    var time: Duration

    init(
        _ request: APIRequest, id: String, route: ServiceRoute?, session: String?, status: Int, time: Duration
    ) {
        let known = ["GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH"]
        (self.id, method) = (id, known.contains(request.method) ? request.method : "other")
        (self.route, self.session) = (route?.path ?? "none", session)
        (self.status, self.time) = (status, time)
    }

    /// The request as a line of a log.
    func line(at moment: Timestamp) -> LogLine {
        let level: LogLevel = status >= 500 ? .error : status >= 400 ? .warning : .info
        var fields: [(name: String, value: LogLine.Value)] = [
            ("id", .word(id)), ("method", .word(method)), ("route", .word(route)), ("status", .number(Int64(status))),
            ("milliseconds", .time(time)),
        ]
        if let session { fields.append(("session", .word(session))) }
        return LogLine("request", level, at: moment, fields)
    }
}
