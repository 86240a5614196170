import ScenarioRunner

/// Results made by hand, for what reports make of them.
enum Results {
    static func result(
        _ name: String, _ status: ScenarioResult.Status = .passed, expectedFailure: String? = nil,
        milliseconds: Int64 = 1500, mismatches: [Mismatch] = [], events: [String] = []
    ) -> ScenarioResult {
        ScenarioResult(
            name: name, file: "shop/\(name).yaml", line: 3, description: "What \(name) shows", tags: ["shop"], seed: 7,
            status: status, expectedFailure: expectedFailure, virtualMilliseconds: milliseconds,
            mismatches: mismatches, lastEvents: events, events: nil,
            replay: "cardpresent simulate run shop/\(name).yaml --seed 7")
    }

    static let declined = Mismatch(
        step: 2, action: "pay 12.50 USD", key: "outcome", file: "shop/pay.yaml", line: 9, expected: ["approved"],
        seen: ["declined"])

    /// What nobody's XML, TAP or Markdown is to be broken by.
    static let nasty = "a<b>&\"'#\\\u{1}\u{1B}[31m|%,:\n]]>\u{FFFE}"

    static let report = RunReport(
        seed: 7,
        results: [
            result("approve/visa"),
            result(
                "approve/amex", .failed, mismatches: [declined], events: ["0.000 s  step connect", "1.000 s  waiting"]),
            result("decline/lost", .failedAsExpected, expectedFailure: "the reader is not there yet"),
            result("decline/stolen", .passedUnexpectedly, expectedFailure: "it was thought so"),
        ])

    static let nastyReport = RunReport(
        seed: 7,
        results: [
            result(
                "odd/\(nasty)", .failed,
                mismatches: [
                    Mismatch(key: "receipt", file: "odd,%.yaml", line: 1, expected: [nasty], seen: [nasty, "more"])
                ], events: [nasty])
        ])
}
