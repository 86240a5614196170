import Testing

@testable import Monitoring

@Suite struct MetricsTests {
    private static let requests = CounterMetric("requests", "Requests.")
    private static let sessions = GaugeMetric("sessions", "Open sessions.")
    private static let times = HistogramMetric("time_seconds", "Times.", bounds: [1, 0.5, .infinity, .nan])

    @Test func `an empty registry is a complete text`() {
        #expect(MetricsRegistry().text(.prometheus) == "")
        #expect(MetricsRegistry().text(.openMetrics) == "# EOF\n")
    }

    @Test func `a counter is named as each format wants it`() {
        var registry = MetricsRegistry()
        registry.count(Self.requests, [MetricLabel("status", "200"), MetricLabel("route", "/a")], by: 2)
        registry.count(Self.requests, [MetricLabel("route", "/a"), MetricLabel("status", "200")])
        #expect(
            registry.text(.prometheus) == """
                # HELP requests_total Requests.
                # TYPE requests_total counter
                requests_total{route="/a",status="200"} 3

                """)
        #expect(
            registry.text(.openMetrics) == """
                # HELP requests Requests.
                # TYPE requests counter
                requests_total{route="/a",status="200"} 3
                # EOF

                """)
    }

    @Test func `a distribution has all numbers up to each bound`() {
        var registry = MetricsRegistry()
        for number in [0.25, 0.5, 0.75, 7, .nan] { registry.observe(Self.times, [], number) }
        #expect(
            registry.text(.prometheus) == """
                # HELP time_seconds Times.
                # TYPE time_seconds histogram
                time_seconds_bucket{le="0.5"} 2
                time_seconds_bucket{le="1.0"} 3
                time_seconds_bucket{le="+Inf"} 4
                time_seconds_sum 8.5
                time_seconds_count 4

                """)
    }

    @Test func `a number may be observed more than once, or never`() {
        var (one, other) = (MetricsRegistry(), MetricsRegistry())
        one.observe(Self.times, [], 0.75, count: 3)
        for _ in 0..<3 { other.observe(Self.times, [], 0.75) }
        #expect(one.text(.prometheus) == other.text(.prometheus))
        one.observe(Self.times, [MetricLabel("kind", "refund")], 7, count: 0)
        #expect(one.text(.prometheus).contains("time_seconds_count{kind=\"refund\"} 0\n"))
        #expect(one.text(.prometheus).contains("time_seconds_sum{kind=\"refund\"} 0\n"))
    }

    @Test func `a label's value can have any character`() {
        var registry = MetricsRegistry()
        registry.set(Self.sessions, [MetricLabel("9 bad\"name", "a\\b\"c\nd é")], to: 1)
        #expect(registry.text(.prometheus).hasSuffix(#"sessions{_9_bad_name="a\\b\"c\nd é"} 1"# + "\n"))
    }

    @Test func `a name has only the characters of a name`() {
        var registry = MetricsRegistry()
        registry.set(GaugeMetric("1 a-b:c", "Two\nlines \\ \"x\"."), to: 0)
        #expect(
            registry.text(.openMetrics) == #"""
                # HELP _1_a_b:c Two\nlines \\ \"x\".
                # TYPE _1_a_b:c gauge
                _1_a_b:c 0
                # EOF

                """#)
        #expect(MetricsText.name("") == "_")
    }

    @Test(
        arguments: [
            (0, "0"), (-0.0, "0"), (3, "3"), (0.5, "0.5"), (-2, "-2"), (.infinity, "+Inf"), (-.infinity, "-Inf"),
            (.nan, "NaN"), (1e15, "1000000000000000.0"), (1e17, "1e+17"), (123_456_789_012_345, "123456789012345"),
        ] as [(Double, String)])
    func `a number is written as both formats read it`(_ number: Double, _ text: String) {
        #expect(MetricsText.number(number) == text)
    }

    @Test func `a name keeps its first kind`() {
        var registry = MetricsRegistry()
        registry.count(Self.requests)
        let before = registry
        registry.set(GaugeMetric("requests", "Another."), to: 7)
        registry.observe(HistogramMetric("requests", "Another."), [], 7)
        #expect(registry == before)
    }

    @Test func `the series of a metric are limited`() {
        var registry = MetricsRegistry()
        for number in 0..<MetricsRegistry.seriesLimit + 5 {
            registry.count(Self.requests, [MetricLabel("n", "\(number)")])
        }
        registry.count(Self.requests, [MetricLabel("n", "0")])
        let lines = registry.text(.prometheus).split(separator: "\n")
        #expect(lines.count == MetricsRegistry.seriesLimit + 2)
        #expect(lines.contains("requests_total{n=\"0\"} 2"))
    }

    @Test func `another registry adds what is missing`() {
        var registry = MetricsRegistry()
        registry.count(Self.requests)
        var other = MetricsRegistry()
        other.count(Self.requests, by: 9)
        other.set(Self.sessions, to: 4)
        registry.add(other)
        #expect(registry.text(.prometheus).contains("requests_total 1\n"))
        #expect(registry.text(.prometheus).contains("sessions 4\n"))
    }

    @Test(
        arguments: [
            (nil, .prometheus), ("*/*", .prometheus), ("text/plain", .prometheus),
            ("Application/OpenMetrics-Text;version=1.0.0,text/plain;q=0.5", .openMetrics),
        ] as [(String?, MetricsFormat)])
    func `a client chooses the format`(_ accept: String?, _ format: MetricsFormat) {
        #expect(MetricsFormat(accept: accept) == format)
    }
}
