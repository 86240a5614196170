import Text

/// A text format of metrics.
public enum MetricsFormat: String, Hashable, Sendable, CaseIterable {
    /// OpenMetrics 1.0.
    case openMetrics = "openmetrics"
    /// The text format of Prometheus, version 0.0.4, which the textfile collector of node_exporter reads.
    case prometheus

    /// Chooses the format that a client asks for.
    ///
    /// - Parameter accept: the header field `Accept`; nil without one.
    public init(accept: String?) {
        self = accept?.lowercased().contains("application/openmetrics-text") == true ? .openMetrics : .prometheus
    }

    /// The media type of the text.
    public var mediaType: String {
        switch self {
        case .openMetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8"
        case .prometheus: "text/plain; version=0.0.4; charset=utf-8"
        }
    }
}

extension MetricsRegistry {
    /// Returns all values as text, sorted by name and labels, so that equal registries have equal texts.
    public func text(_ format: MetricsFormat) -> String {
        var text = ""
        for (name, family) in families.sorted(by: { $0.key < $1.key }) {
            let base = MetricsText.name(name, allowing: ":")
            let total = family.kind == .counter ? base + "_total" : base
            // OpenMetrics names a counter without the suffix of its values.
            let shown = format == .openMetrics ? base : total
            text +=
                "# HELP \(shown) \(MetricsText.help(family.help, format))\n# TYPE \(shown) \(family.kind.rawValue)\n"
            for (labels, value) in family.series.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
                switch value {
                case .number(let number):
                    text += total + MetricsText.labels(labels) + " " + MetricsText.number(number) + "\n"
                case .histogram(let histogram): text += MetricsText.lines(base, labels, histogram)
                }
            }
        }
        return format == .openMetrics ? text + "# EOF\n" : text
    }
}

/// The parts of the text formats.
enum MetricsText {
    /// Returns a name with a replacement for each character that a name can't have.
    static func name(_ text: String, allowing extra: Unicode.Scalar? = nil) -> String {
        let name = text.escaped { scalar in
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9", "_": nil
            default: scalar == extra ? nil : "_"
            }
        }
        return name.unicodeScalars.first.map { ("0"..."9").contains($0) } ?? true ? "_" + name : name
    }

    static func help(_ text: String, _ format: MetricsFormat) -> String {
        text.escaped { scalar in
            switch scalar {
            case "\\": "\\\\"
            case "\n": "\\n"
            case "\"" where format == .openMetrics: "\\\""
            default: nil
            }
        }
    }

    static func labels(_ labels: [MetricLabel]) -> String {
        guard !labels.isEmpty else { return "" }
        let texts = labels.map { label in
            let value = label.value.escaped { scalar in
                switch scalar {
                case "\\": "\\\\"
                case "\n": "\\n"
                case "\"": "\\\""
                default: nil
                }
            }
            return "\(name(label.name))=\"\(value)\""
        }
        return "{\(texts.joined(separator: ","))}"
    }

    static func number(_ number: Double) -> String {
        if number.isNaN { return "NaN" }
        if number.isInfinite { return number < 0 ? "-Inf" : "+Inf" }
        // Whole numbers of 15 digits are exact.
        guard number == number.rounded(), number.magnitude < 1e15 else { return "\(number)" }
        return String(Int64(number))
    }

    static func lines(_ name: String, _ labels: [MetricLabel], _ histogram: HistogramValue) -> String {
        var text = ""
        var total: UInt64 = 0
        for (bound, count) in histogram.buckets {
            // OpenMetrics writes a bound always as a decimal: 1.0.
            let bound = bound.isInfinite ? "+Inf" : "\(bound)"
            text += "\(name)_bucket\(self.labels(labels + [MetricLabel("le", bound)])) \(count)\n"
            total = count
        }
        return text + "\(name)_sum\(self.labels(labels)) \(number(histogram.sum))\n"
            + "\(name)_count\(self.labels(labels)) \(total)\n"
    }
}
