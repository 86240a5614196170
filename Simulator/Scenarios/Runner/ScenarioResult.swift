public import Sessions

/// The result of one run of a scenario. It contains no wall-clock time: the same scenario and seed have the same
/// result.
public struct ScenarioResult: Hashable, Sendable, Codable {
    /// The status of a run.
    public enum Status: String, Hashable, Sendable, Codable, CaseIterable {
        case passed, failed
        /// It failed, as its file expects.
        case failedAsExpected
        /// It passed although its file expects a failure: remove `expectedFailure` from the file.
        case passedUnexpectedly
    }

    /// The file's folder and name, with the case and the repetition if there are several:
    /// `decline/by-cents[lost-card]`.
    public var name: String
    /// The file of the scenario.
    public var file: String
    /// The line of ``file``.
    public var line: Int
    /// The scenario's description.
    public var description: String
    /// The scenario's tags.
    public var tags: [String]
    /// The random seed.
    public var seed: UInt64
    /// The status of a run.
    public var status: Status
    /// The file's reason for an expected failure.
    public var expectedFailure: String?
    /// The duration of the session on the virtual clock, in milliseconds.
    public var virtualMilliseconds: Int64
    /// The mismatches, in the order in which they were found.
    public var mismatches: [Mismatch]
    /// The last events before the first mismatch; empty without one.
    public var lastEvents: [String]
    /// All events; nil unless the run keeps them.
    public var events: [String]?
    /// ``events`` as they were, for views of the session. They are not encoded.
    public var sessionEvents: [SessionEvent]?
    /// The command that repeats the run.
    public var replay: String

    private enum CodingKeys: CodingKey {
        case name, file, line, description, tags, seed, status, expectedFailure, virtualMilliseconds, mismatches
        case lastEvents, events, replay
    }

    /// Creates a result.
    public init(
        name: String, file: String, line: Int, description: String, tags: [String], seed: UInt64, status: Status,
        expectedFailure: String? = nil, virtualMilliseconds: Int64, mismatches: [Mismatch] = [],
        lastEvents: [String] = [], events: [String]? = nil, replay: String
    ) {
        (self.name, self.file, self.line) = (name, file, line)
        (self.description, self.tags, self.seed) = (description, tags, seed)
        (self.status, self.expectedFailure) = (status, expectedFailure)
        (self.virtualMilliseconds, self.mismatches) = (virtualMilliseconds, mismatches)
        (self.lastEvents, self.events, self.replay) = (lastEvents, events, replay)
    }

    /// Whether this result makes the whole run fail.
    public var isFailure: Bool { status == .failed || status == .passedUnexpectedly }

    /// The part of ``name`` before the last slash, or `scenarios` without a slash.
    public var group: String {
        let path = name.prefix { $0 != "[" }
        guard let slash = path.lastIndex(of: "/") else { return "scenarios" }
        return String(path[..<slash])
    }

    /// ``name`` without its group.
    public var shortName: String { name.hasPrefix(group + "/") ? String(name.dropFirst(group.count + 1)) : name }

    /// The reason of the failure, in one sentence; nil without a failure.
    public var reason: String? {
        switch status {
        case .passed, .failedAsExpected: nil
        case .passedUnexpectedly: "it passes, although its file expects it to fail: remove 'expectedFailure'"
        case .failed: mismatches.first.map(\.sentence) ?? "it failed"
        }
    }
}

/// A result that differs from the expectation.
public struct Mismatch: Hashable, Sendable, Codable {
    /// The number of the step, from 1; nil for the whole scenario.
    public var step: Int?
    /// The step's action, such as `pay 12.50 USD`; nil for the whole scenario.
    public var action: String?
    /// The key of the expectation, such as `outcome`; `step` if the step itself failed.
    public var key: String
    /// The file of the expectation.
    public var file: String
    /// The line of ``file``.
    public var line: Int
    /// The expected lines.
    public var expected: [String]
    /// The actual lines.
    public var seen: [String]

    /// Creates a mismatch; without a step, it applies to the whole scenario.
    public init(
        step: Int? = nil, action: String? = nil, key: String, file: String, line: Int, expected: [String],
        seen: [String]
    ) {
        (self.step, self.action, self.key) = (step, action, key)
        (self.file, self.line, self.expected, self.seen) = (file, line, expected, seen)
    }

    /// The mismatch in one sentence, such as `step 2, pay 12.50 USD: outcome: expected 'approved', seen 'declined'`. Of
    /// several lines, the first that differs: `journal: line 3, after 'authorizing': expected 'reversing', seen
    /// nothing`.
    public var sentence: String {
        let place = step.map { "step \($0)" + (action.map { ", \($0)" } ?? "") + ": " } ?? ""
        return place + "\(key): " + FirstDifference(expected: expected, seen: seen, isOrdered: !hasNames).sentence
    }

    /// Whether both sides are names in any order, not lines of which each has its counterpart.
    private var hasNames: Bool { ["tvr", "tsi"].contains(key) || key.hasPrefix("no") }

    /// The differing lines: `-` for expected and `+` for actual ones.
    public var difference: [String] { LineDifference.lines(expected: expected, seen: seen) }
}

/// The results of a whole run, in the order of its scenarios. The same scenarios and seed make the same report,
/// regardless of the number of parallel jobs.
public struct RunReport: Hashable, Sendable, Encodable {
    /// The numbers of results.
    public struct Counts: Hashable, Sendable, Encodable {
        /// All scenarios, including those not run.
        public var all = 0
        /// Passed.
        public var passed = 0
        /// Failed.
        public var failed = 0
        /// Failed, as expected.
        public var failedAsExpected = 0
        /// Passed, although a failure was expected.
        public var passedUnexpectedly = 0
        /// Not run because an earlier one failed.
        public var notRun = 0
    }

    /// The seed of the run; a scenario may have its own.
    public var seed: UInt64
    /// The numbers of results.
    public private(set) var counts = Counts()
    /// The results, in the order in which the scenarios were given.
    public private(set) var scenarios: [ScenarioResult] = []

    /// Creates a report from results.
    public init(seed: UInt64, results: [ScenarioResult] = [], notRun: Int = 0) {
        self.seed = seed
        for result in results { add(result) }
        counts.notRun = notRun
        counts.all += notRun
    }

    /// Adds a result.
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

    /// Adds a number of scenarios that were not run.
    public mutating func leftOut(_ count: Int) {
        counts.notRun += count
        counts.all += count
    }

    /// Whether the run as a whole fails.
    public var hasFailed: Bool { counts.failed + counts.passedUnexpectedly > 0 }

    /// The results that make the run fail.
    public var failures: [ScenarioResult] { scenarios.filter(\.isFailure) }

    /// The groups with their results, in order of first appearance.
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

    /// A summary such as `214 scenarios: 212 passed, 1 failed, 1 failed as expected`.
    public var sentence: String {
        var parts = ["\(counts.passed) passed"]
        if counts.failed > 0 { parts.append("\(counts.failed) failed") }
        if counts.passedUnexpectedly > 0 { parts.append("\(counts.passedUnexpectedly) passed unexpectedly") }
        if counts.failedAsExpected > 0 { parts.append("\(counts.failedAsExpected) failed as expected") }
        if counts.notRun > 0 { parts.append("\(counts.notRun) not run") }
        return "\(counts.all) scenario\(counts.all == 1 ? "" : "s"): " + parts.joined(separator: ", ")
    }
}
