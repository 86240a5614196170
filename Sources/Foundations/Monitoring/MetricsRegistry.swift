/// The values of metrics, by name and labels.
///
/// A metric of a name has one kind: values of another kind under the same name are left out. A metric has at most
/// ``seriesLimit`` series; more labels than that come from outside by mistake, and are left out, too.
public struct MetricsRegistry: Hashable, Sendable {
    enum Kind: String, Hashable, Sendable { case counter, gauge, histogram }

    enum Value: Hashable, Sendable {
        case number(Double)
        case histogram(HistogramValue)
    }

    struct Family: Hashable, Sendable {
        let kind: Kind
        let help: String
        var series: [[MetricLabel]: Value] = [:]
    }

    /// The most series of a metric.
    public static let seriesLimit = 2000

    /// By name.
    private(set) var families: [String: Family] = [:]

    /// Creates a registry without values.
    public init() {}

    /// Adds to a counter.
    ///
    /// - Parameters:
    ///   - metric: the counter.
    ///   - labels: the labels of the series, in any order.
    ///   - amount: what to add. Zero makes the series known before its first event.
    public mutating func count(_ metric: CounterMetric, _ labels: [MetricLabel] = [], by amount: UInt64 = 1) {
        change(metric.name, metric.help, .counter, labels) { old in
            guard case .number(let number)? = old else { return .number(Double(amount)) }
            return .number(number + Double(amount))
        }
    }

    /// Sets a gauge.
    public mutating func set(_ metric: GaugeMetric, _ labels: [MetricLabel] = [], to number: Double) {
        change(metric.name, metric.help, .gauge, labels) { _ in .number(number) }
    }

    /// Adds a number to a distribution.
    ///
    /// - Parameters:
    ///   - metric: the distribution.
    ///   - labels: the labels of the series, in any order.
    ///   - number: the number.
    ///   - count: how often it was observed. Zero makes the series known before its first number.
    public mutating func observe(
        _ metric: HistogramMetric, _ labels: [MetricLabel] = [], _ number: Double, count: UInt64 = 1
    ) {
        change(metric.name, metric.help, .histogram, labels) { old in
            var value = HistogramValue(bounds: metric.bounds)
            if case .histogram(let known)? = old { value = known }
            value.observe(number, count: count)
            return .histogram(value)
        }
    }

    /// Adds the metrics of another registry that this one does not have.
    public mutating func add(_ other: MetricsRegistry) { families.merge(other.families) { own, _ in own } }

    private mutating func change(
        _ name: String, _ help: String, _ kind: Kind, _ labels: [MetricLabel], _ value: (Value?) -> Value
    ) {
        var family = families[name] ?? Family(kind: kind, help: help)
        guard family.kind == kind else { return }
        let key = labels.sorted()
        guard family.series[key] != nil || family.series.count < Self.seriesLimit else { return }
        family.series[key] = value(family.series[key])
        families[name] = family
    }
}
