public import ArgumentParser
import Determinism
import Glibc
import Monitoring
import Payments
import Storage

/// `metrics`
struct MetricsCommand: SynchronousReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "metrics", abstract: "Print metrics of the records for Prometheus.",
        discussion: """
            EXAMPLES:
              cardpresent metrics
              cardpresent metrics --output /var/lib/prometheus/node-exporter/cardpresent.prom

            Counts the payments by state, what waits (payments with an unknown outcome, notifications of stores, and \
            print jobs), and the attempts by outcome, with the time that each and its authorization took. It recovers nothing and asks no host. Run it every minute for the textfile collector of \
            node_exporter, which finds either the old or the new file.
            """)

    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: ArgumentHelp("File to write instead of standard output.", valueName: "file"), completion: .file())
    var file: String?
    @Option(help: ArgumentHelp("Format: prometheus or openmetrics.", valueName: "format"))
    var format = MetricsFormat.prometheus
    @OptionGroup var data: DatabaseOptions
    @OptionGroup var output: OutputOptions

    func execute() throws {
        let path = try data.path()
        let storage = try Self.databaseUse.open(path)
        let figures: RecordFigures
        do throws(StorageError) { figures = try RecordFigures(of: storage) } catch { throw CommandFailure(error) }
        let text = RecordMetrics.registry(figures, at: SystemTimeSource().now()).text(format)
        guard let file else { return try output.write(figures.json, text: text) }
        try OutputFile(path: file).write(Array(text.utf8))
        if output.json { try StandardOutput.write(json: figures.json) }
    }
}

extension MetricsFormat: ExpressibleByArgument {}

/// The metrics of a till's records.
///
/// Moments are seconds since 1970 and not ages: the age in a file that is no longer written would stay the same.
enum RecordMetrics {
    private static let payments = GaugeMetric("cardpresent_payments", "Payments in the records, by state.")
    private static let waiting = GaugeMetric("cardpresent_waiting", "Records that wait for something, by queue.")
    private static let oldest = GaugeMetric(
        "cardpresent_waiting_since_timestamp_seconds",
        "Since when the oldest record of a queue waits. Missing for an empty queue.")
    private static let restores = GaugeMetric(
        "cardpresent_restores", "How often the database was restored from a backup.")
    private static let written = GaugeMetric(
        "cardpresent_metrics_timestamp_seconds", "When these metrics were read from the records.")
    private static let attempts = CounterMetric(
        "cardpresent_attempts", "Attempts of sales and refunds by outcome; unknown counts beside the later result.")
    private static let attemptTimes = HistogramMetric(
        "cardpresent_attempt_seconds", "Time from the beginning of an attempt to its result.", bounds: bounds)
    private static let hostTimes = HistogramMetric(
        "cardpresent_host_seconds", "Time from sending an authorization until the next state is recorded.",
        bounds: bounds)
    // People take minutes, and recovery after a killed command takes longer.
    private static let bounds = HistogramMetric.secondsBounds + [120, 300, 900, 3600]

    /// Returns the metrics of figures that were read at a moment.
    static func registry(_ figures: RecordFigures, at moment: Timestamp) -> MetricsRegistry {
        var registry = MetricsRegistry()
        for (state, count) in figures.payments {
            registry.set(payments, [MetricLabel("state", state.rawValue)], to: Double(count))
        }
        for (name, queue) in figures.queues {
            let label = MetricLabel("queue", name)
            registry.set(waiting, [label], to: Double(queue.count))
            if let since = queue.oldest { registry.set(oldest, [label], to: Double(since.milliseconds) / 1000) }
        }
        registry.set(restores, to: Double(figures.restores))
        add(figures.attempts, to: &registry)
        registry.set(written, to: Double(moment.milliseconds) / 1000)
        return registry
    }

    private static func add(_ figures: AttemptFigures, to registry: inout MetricsRegistry) {
        for kind in PaymentAttempt.Kind.allCases {
            let label = MetricLabel("kind", kind.rawValue)
            // Known before the first attempt, so that a rate over them sees it.
            for outcome in AttemptFigures.outcomes {
                let labels = [label, MetricLabel("outcome", outcome.rawValue)]
                registry.count(attempts, labels, by: 0)
                registry.observe(attemptTimes, labels, 0, count: 0)
            }
            registry.count(
                attempts, [label, MetricLabel("outcome", AttemptState.unknown.rawValue)],
                by: UInt64(max(0, figures.unknown[kind] ?? 0)))
            registry.observe(hostTimes, [label, MetricLabel("state", AttemptState.captured.rawValue)], 0, count: 0)
        }
        for times in figures.finished {
            let labels = [MetricLabel("kind", times.kind.rawValue), MetricLabel("outcome", times.state.rawValue)]
            registry.count(attempts, labels, by: UInt64(max(0, times.count)))
            registry.observe(attemptTimes, labels, times.seconds, count: UInt64(max(0, times.count)))
        }
        for times in figures.authorizations {
            let labels = [MetricLabel("kind", times.kind.rawValue), MetricLabel("state", times.state.rawValue)]
            registry.observe(hostTimes, labels, times.seconds, count: UInt64(max(0, times.count)))
        }
    }
}

extension AttemptFigures.Times {
    fileprivate var seconds: Double { Double(milliseconds) / 1000 }
}

extension AttemptFigures {
    /// The number of attempts by kind and outcome.
    fileprivate var json: JSONObject {
        JSONObject(
            members: PaymentAttempt.Kind.allCases.map { kind in
                var counts = Dictionary(uniqueKeysWithValues: Self.outcomes.map { ($0.rawValue, 0) })
                for times in finished where times.kind == kind {
                    counts[times.state.rawValue, default: 0] += times.count
                }
                counts[AttemptState.unknown.rawValue] = unknown[kind] ?? 0
                return (kind.rawValue, counts)
            })
    }
}

extension RecordFigures {
    /// The queues by the names that metrics and JSON have.
    fileprivate var queues: [(name: String, queue: Queue)] {
        [
            ("unknown_payments", unknownPayments), ("open_attempts", openAttempts), ("advices", advices),
            ("order_notifications", orderNotifications), ("refund_notifications", refundNotifications),
            ("rejected_notifications", rejectedNotifications), ("prints", prints),
        ]
    }

    fileprivate var json: JSONObject {
        [
            "payments": Dictionary(uniqueKeysWithValues: payments.map { ($0.key.rawValue, $0.value) }),
            "waiting": JSONObject(
                members: queues.map { name, queue in
                    (name, JSONObject(["count": queue.count], known: ["since": queue.oldest?.description]))
                }),
            "restores": restores, "attempts": attempts.json,
        ]
    }
}
