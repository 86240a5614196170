public import ArgumentParser
internal import Determinism
internal import Glibc
internal import Monitoring
internal import Payments
internal import Storage

/// `metrics`
struct MetricsCommand: SynchronousReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "metrics", abstract: "Print metrics of the records for Prometheus.",
        discussion: """
            EXAMPLES:
              cardpresent metrics
              cardpresent metrics --output /var/lib/prometheus/node-exporter/cardpresent.prom

            Counts the payments by state, and what waits: payments with an unknown outcome, notifications of stores, \
            and print jobs. It recovers nothing and asks no host. Run it every minute for the textfile collector of \
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
/// Moments are seconds since 1970 and not ages: a file that nobody writes any more would keep an age forever.
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
        registry.set(written, to: Double(moment.milliseconds) / 1000)
        return registry
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
            "restores": restores,
        ]
    }
}
