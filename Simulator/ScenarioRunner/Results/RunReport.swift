/// What came of a whole run, in the order of its scenarios. The same scenarios and seed make the same report, however many
/// ran at the same time.
public struct RunReport: Hashable, Sendable, Encodable {
    /// How many came to what.
    public struct Counts: Hashable, Sendable, Encodable {
        /// Those that were left out, too.
        public var all = 0
        /// All was as expected.
        public var passed = 0
        /// Something was not.
        public var failed = 0
        /// Something was not, and that was expected.
        public var failedAsExpected = 0
        /// They were expected to fail.
        public var passedUnexpectedly = 0
        /// Left out because an earlier one failed.
        public var notRun = 0
    }

    /// Of the run; a scenario's own may be another one.
    public var seed: UInt64
    /// How many came to what.
    public private(set) var counts = Counts()
    /// The results, in the order in which the scenarios were given.
    public private(set) var scenarios: [ScenarioResult] = []

    /// A report of these results.
    public init(seed: UInt64, results: [ScenarioResult] = [], notRun: Int = 0) {
        self.seed = seed
        for result in results { add(result) }
        counts.notRun = notRun
        counts.all += notRun
    }

    /// Another scenario has come to its end.
    public mutating func add(_ result: ScenarioResult) {
        counts.all += 1
        switch result.status {
        case .passed: counts.passed += 1
        case .failed: counts.failed += 1
        case .failedAsExpected: counts.failedAsExpected += 1
        case .passedUnexpectedly: counts.passedUnexpectedly += 1
        }
        scenarios.append(result)
    }

    /// So many were not begun.
    public mutating func leftOut(_ count: Int) {
        counts.notRun += count
        counts.all += count
    }

    /// Whether the run as a whole fails.
    public var hasFailed: Bool { counts.failed + counts.passedUnexpectedly > 0 }

    /// The results that make it fail.
    public var failures: [ScenarioResult] { scenarios.filter(\.isFailure) }

    /// The names of the groups with their results, in the order in which they come.
    public var groups: [(name: String, results: [ScenarioResult])] {
        var groups: [(name: String, results: [ScenarioResult])] = []
        var places: [String: Int] = [:]
        for result in scenarios {
            if let place = places[result.group] {
                groups[place].results.append(result)
            } else {
                places[result.group] = groups.count
                groups.append((result.group, [result]))
            }
        }
        return groups
    }

    /// For example `214 scenarios: 212 passed, 1 failed, 1 failed as expected`.
    public var sentence: String {
        var parts = ["\(counts.passed) passed"]
        if counts.failed > 0 { parts.append("\(counts.failed) failed") }
        if counts.passedUnexpectedly > 0 { parts.append("\(counts.passedUnexpectedly) passed unexpectedly") }
        if counts.failedAsExpected > 0 { parts.append("\(counts.failedAsExpected) failed as expected") }
        if counts.notRun > 0 { parts.append("\(counts.notRun) not run") }
        return "\(counts.all) scenario\(counts.all == 1 ? "" : "s"): " + parts.joined(separator: ", ")
    }
}
