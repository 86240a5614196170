/// A number that only grows, such as that of requests.
public struct CounterMetric: Hashable, Sendable {
    /// The name without `_total`.
    public let name: String
    /// A sentence about the counted things.
    public let help: String

    /// Names the metric after the rules of Prometheus, without `_total`, and says in a sentence what it counts.
    public init(_ name: String, _ help: String) { (self.name, self.help) = (name, help) }
}

/// A number that rises and falls, such as that of open sessions.
public struct GaugeMetric: Hashable, Sendable {
    /// The name with its unit: `queue_age_seconds`.
    public let name: String
    /// A sentence about the measured value.
    public let help: String

    /// Names the metric after the rules of Prometheus, with its unit, and says in a sentence what it measures.
    public init(_ name: String, _ help: String) { (self.name, self.help) = (name, help) }
}

/// A distribution of numbers, such as times, in buckets.
public struct HistogramMetric: Hashable, Sendable {
    /// The name with its unit: `response_seconds`.
    public let name: String
    /// A sentence about the measured value.
    public let help: String
    /// The upper bounds of the buckets, rising. The last bucket has no bound and is not in the list.
    public let bounds: [Double]

    /// From a millisecond to a minute.
    public static let secondsBounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

    /// - Parameters:
    ///   - name: the name with its unit.
    ///   - help: what is measured, in a sentence.
    ///   - bounds: the upper bounds in any order. Those that are not finite are left out.
    public init(_ name: String, _ help: String, bounds: [Double] = HistogramMetric.secondsBounds) {
        (self.name, self.help) = (name, help)
        self.bounds = Set(bounds.filter(\.isFinite)).sorted()
    }
}

/// A label of a series: what it counts of all that the metric counts.
public struct MetricLabel: Hashable, Comparable, Sendable {
    public let name: String
    public let value: String

    /// Takes a name after the rules of Prometheus, and any text as value.
    public init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }

    public static func < (first: MetricLabel, second: MetricLabel) -> Bool {
        (first.name, first.value) < (second.name, second.value)
    }
}

/// The values of one distribution.
struct HistogramValue: Hashable, Sendable {
    let bounds: [Double]
    /// The numbers in each bucket alone; the last one has no bound.
    private(set) var counts: [UInt64]
    private(set) var sum = 0.0

    init(bounds: [Double]) { (self.bounds, counts) = (bounds, Array(repeating: 0, count: bounds.count + 1)) }

    /// Adds a number that was observed so often. One that is not a number is left out.
    mutating func observe(_ number: Double, count: UInt64) {
        guard !number.isNaN, count > 0 else { return }
        counts[bounds.firstIndex { number <= $0 } ?? bounds.count] += count
        sum += number * Double(count)
    }

    /// The buckets as they are written: each with all numbers up to its bound.
    var buckets: [(bound: Double, count: UInt64)] {
        var total: UInt64 = 0
        return zip(bounds + [.infinity], counts).map { bound, count in
            total += count
            return (bound, total)
        }
    }
}
