public import ScenarioFormat
public import ScenarioRunner

extension FoundFailure {
    /// Plays the session of the failure again and keeps its events, for a report such as that of `simulate run`.
    ///
    /// - Parameter file: the path of the failure's scenario file.
    /// - Returns: a failed result, whose first mismatch is the broken invariant.
    /// - Throws: `ScenarioFileError`
    public func result(at file: String) async throws(ScenarioFileError) -> ScenarioResult {
        var result = ScenarioResult(
            name: fileName, file: file, line: 1, description: "", tags: [], seed: seed, status: .failed,
            virtualMilliseconds: 0, replay: "")
        // The text has one scenario.
        if let scenario = try ScenarioFile.scenarios(text: text, path: file).first {
            result = await scenario.run(seed: seed, keepsEvents: true)
        }
        result.name = fileName
        result.description = "A session of \(steps) steps that breaks \(invariant.rawValue)"
        result.status = .failed
        result.mismatches.insert(
            Mismatch(
                key: invariant.rawValue, file: file, line: result.line, expected: ["nothing breaks it"], seen: [detail]),
            at: 0)
        result.replay = "cardpresent simulate explore --replay \(file)"
        return result
    }
}

extension ExplorationReport {
    /// Returns the failures as the report of a run, each played again.
    ///
    /// - Parameter folder: the folder of the scenario files.
    /// - Returns: the report.
    /// - Throws: `ScenarioFileError`
    public func runReport(folder: String) async throws(ScenarioFileError) -> RunReport {
        var results: [ScenarioResult] = []
        for failure in failures { results.append(try await failure.result(at: "\(folder)/\(failure.fileName)")) }
        return RunReport(seed: seed, results: results)
    }
}
