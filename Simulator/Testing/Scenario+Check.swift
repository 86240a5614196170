public import ScenarioFormat
public import ScenarioRunner
internal import SettingsFile
internal import Testing

extension Scenario {
    /// Plays the scenario in a test. What is not as expected is an issue of the test, at the line that says what is
    /// expected: of the test's source, or of the scenario's file. One that is expected to fail is a known issue, and a
    /// failure when it passes.
    ///
    /// ```swift
    /// @Test(arguments: try ScenarioFile.scenarios(path: "Scenarios/declines.yaml"))
    /// func `every decline is told`(scenario: Scenario) async {
    ///     await scenario.check()
    /// }
    /// ```
    ///
    /// - Parameter seed: what chance is made of where the scenario does not say it; `CARDPRESENT_SEED` in the environment
    ///   goes before it.
    /// - Returns: what came of it.
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
            // What happened is told once.
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
    /// A line of a scenario's file or source.
    fileprivate init(file: String, line: Int) {
        // A module's name and a file's, as the compiler makes them.
        let names = file.split(separator: "/").suffix(2).map(String.init)
        self.init(
            fileID: (names.count == 2 ? names : ["Scenarios"] + names).joined(separator: "/"), filePath: file,
            line: max(1, line), column: 1)
    }
}
