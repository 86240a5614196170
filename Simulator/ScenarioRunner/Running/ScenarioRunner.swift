internal import ScenarioFormat
internal import Sessions
internal import SettingsFile

/// Runs scenarios, several at the same time where it is told to, and reports in the order in which they were given.
public struct ScenarioRunner: Sendable {
    /// How many run at the same time, 1 and up. It changes nothing but how long it takes.
    public var jobs: Int
    /// Whether nothing more is begun when one has failed.
    public var stopsAtFailure: Bool
    /// Whether golden files are written instead of compared.
    public var updatesGolden: Bool
    /// Whether results hold every event, and not only the last ones of what failed.
    public var keepsEvents: Bool

    /// One after the other, all of them, unless something else is said.
    public init(jobs: Int = 1, stopsAtFailure: Bool = false, updatesGolden: Bool = false, keepsEvents: Bool = false) {
        (self.jobs, self.stopsAtFailure) = (max(1, jobs), stopsAtFailure)
        (self.updatesGolden, self.keepsEvents) = (updatesGolden, keepsEvents)
    }

    /// Runs them all.
    ///
    /// - Parameters:
    ///   - runs: what is run.
    ///   - seed: of the run, for the report.
    ///   - onResult: is told of every result in the order of `runs`, one at a time.
    /// - Returns: what came of them.
    public func run(
        _ runs: [ScenarioSelection.Run], seed: UInt64,
        onResult: @escaping @Sendable (ScenarioResult) -> Void = { _ in }
    ) async -> RunReport {
        let report = SharedReport(RunReport(seed: seed))
        await SessionPool(jobs: jobs).run(runs.count) { number in
            result(of: runs[number])
        } take: { _, result in
            report.add(result)
            onResult(result)
            return !(stopsAtFailure && result.isFailure)
        }
        return report.finished(of: runs.count)
    }

    /// Runs one, on the calling thread.
    public func result(of run: ScenarioSelection.Run) -> ScenarioResult {
        let scenario = run.found.scenario
        let play: ScenarioPlay
        do {
            play = try SimulatedSession.play(SessionPlan(scenario, seed: run.seed)) { session in
                var play = ScenarioPlay(scenario, session, updatesGolden: updatesGolden)
                await play.run()
                return play
            }
        } catch {
            let mismatch = Mismatch(
                key: "session", file: scenario.location.file, line: scenario.location.line,
                expected: ["a session that comes to its end"], seen: ["\(error)"])
            return result(of: run, [mismatch], elapsed: .zero, events: [])
        }
        return result(of: run, play.mismatches, elapsed: play.elapsed, events: play.told(all: keepsEvents))
    }

    /// How many events are told before the first mismatch.
    private static let lastEventCount = 20

    private func result(
        of run: ScenarioSelection.Run, _ mismatches: [Mismatch], elapsed: Duration, events: [String]
    ) -> ScenarioResult {
        let scenario = run.found.scenario
        let status: ScenarioResult.Status =
            switch (mismatches.isEmpty, scenario.expectedFailure) {
            case (true, nil): .passed
            case (true, _?): .passedUnexpectedly
            case (false, nil): .failed
            case (false, _?): .failedAsExpected
            }
        return ScenarioResult(
            name: run.name, file: scenario.location.file, line: scenario.location.line, description: scenario.summary,
            tags: scenario.tags, seed: run.seed, status: status, expectedFailure: scenario.expectedFailure,
            virtualMilliseconds: Words.milliseconds(elapsed), mismatches: mismatches,
            lastEvents: mismatches.isEmpty ? [] : Array(events.suffix(Self.lastEventCount)),
            events: keepsEvents ? events : nil, replay: ReplayCommand.text(run))
    }
}
