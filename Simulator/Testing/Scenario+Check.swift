import Glibc
public import ScenarioFormat
public import ScenarioRunner
import Settings
import Testing

extension Scenario {
    /// Plays the scenario in a test. Records unmet expectations as issues at their line in the test's source or the
    /// scenario's file. An expected failure is a known issue; if the scenario passes, the test fails.
    ///
    /// ```swift
    /// @Test(arguments: try ScenarioFile.scenarios(path: "Scenarios/declines.yaml"))
    /// func `every decline is reported`(scenario: Scenario) async {
    ///     await scenario.check()
    /// }
    /// ```
    ///
    /// - Parameter seed: the random seed, unless the scenario has its own. `CARDPRESENT_SEED` in the environment
    ///   overrides it.
    /// - Returns: the result.
    @discardableResult
    public func check(seed: UInt64 = 1) async -> ScenarioResult {
        let result = await run(seed: TestSeed.given ?? seed)
        switch result.status {
        case .passed: break
        case .failed: result.recordMismatches()
        case .failedAsExpected:
            withKnownIssue(result.expectedFailure.map { "\($0)" }) { result.recordMismatches() }
        case .passedUnexpectedly:
            Issue.record(
                "'\(name)' passes, although it is expected to fail: \(result.expectedFailure ?? "")",
                sourceLocation: SourceLocation(file: location.file, line: location.line))
        }
        return result
    }
}

extension ScenarioResult {
    fileprivate func recordMismatches() {
        for (index, mismatch) in mismatches.enumerated() {
            var lines = [mismatch.sentence] + mismatch.difference.map { "    " + $0 }
            // Include the events only once.
            if index == 0 {
                lines.append("the last events:")
                lines += lastEvents.map { "    " + $0 } + ["again: \(replay)"]
            }
            Issue.record(
                Comment(rawValue: lines.joined(separator: "\n")),
                sourceLocation: SourceLocation(file: mismatch.file, line: mismatch.line))
        }
    }
}

extension SourceLocation {
    /// Creates the location of a line in a scenario's file or source.
    fileprivate init(file: String, line: Int) {
        // A module name and a file name, as in `#fileID`.
        let names = file.split(separator: "/").suffix(2).map(String.init)
        self.init(
            fileID: (names.count == 2 ? names : ["Scenarios"] + names).joined(separator: "/"), filePath: file,
            line: max(1, line), column: 1)
    }
}

/// The seed for all tests from the environment.
enum TestSeed {
    /// The value of `CARDPRESENT_SEED`; nil if it is not set or not a number.
    static let given: UInt64? = getenv("CARDPRESENT_SEED").flatMap { UInt64(String(cString: $0)) }
}
