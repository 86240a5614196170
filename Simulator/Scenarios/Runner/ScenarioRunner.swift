public import Determinism
public import ScenarioFormat
public import Sessions
import Settings
import Synchronization

/// Runs scenarios, optionally in parallel, and reports results in the given order.
public struct ScenarioRunner: Sendable {
    /// The number of parallel jobs, at least 1. It affects only the time that the run takes.
    public var jobs: Int
    /// Whether to stop at the first failure.
    public var stopsAtFailure: Bool
    /// Whether to write golden files instead of comparing them.
    public var updatesGolden: Bool
    /// Whether results keep all events, not only the last ones before a failure.
    public var keepsEvents: Bool
    /// The most jobs that a session may run, as in a session's plan; nil for no limit. A session that needs more fails.
    public var mostTurns: Int?
    /// Called with each scenario's name and seed, and what the models of `Proof` need of its session, on the threads of
    /// the run; nil for no traces.
    public var onTrace: (@Sendable (_ name: String, _ seed: UInt64, _ events: [TracedEvent]) -> Void)?

    /// Creates a runner; by default, it runs all scenarios one at a time.
    public init(jobs: Int = 1, stopsAtFailure: Bool = false, updatesGolden: Bool = false, keepsEvents: Bool = false) {
        (self.jobs, self.stopsAtFailure) = (max(1, jobs), stopsAtFailure)
        (self.updatesGolden, self.keepsEvents) = (updatesGolden, keepsEvents)
    }

    /// Runs all scenarios.
    ///
    /// - Parameters:
    ///   - runs: the scenarios to run.
    ///   - seed: the seed of the run, for the report.
    ///   - onResult: receives each result in the order of `runs`, one at a time.
    /// - Returns: the report.
    public func run(
        _ runs: [ScenarioSelection.Run], seed: UInt64,
        onResult: @escaping @Sendable (ScenarioResult) -> Void = { _ in }
    ) async -> RunReport {
        // A clock that never moves.
        await run(runs, seed: seed, timedBy: VirtualTimeSource(), onResult: onResult).report
    }

    /// Runs all scenarios, and measures how long each takes. The durations are not part of the report, which is the
    /// same for the same scenarios and seed.
    ///
    /// - Parameters:
    ///   - runs: the scenarios to run.
    ///   - seed: the seed of the run, for the report.
    ///   - time: the clock to measure with. Its readings are taken on the threads of the run.
    ///   - onResult: receives each result in the order of `runs`, one at a time.
    /// - Returns: the report, and the duration of each of its results.
    public func run(
        _ runs: [ScenarioSelection.Run], seed: UInt64, timedBy time: any TimeSource,
        onResult: @escaping @Sendable (ScenarioResult) -> Void = { _ in }
    ) async -> (report: RunReport, durations: [Duration]) {
        let report = SharedReport(RunReport(seed: seed))
        let durations = Mutex<[Duration]>([])
        await SessionPool(jobs: jobs).run(runs.count) { number in
            let start = time.reading()
            let result = result(of: runs[number])
            return (result, time.elapsed(since: start))
        } take: { _, timed in
            let (result, duration) = timed
            report.add(result)
            durations.withLock { $0.append(duration) }
            onResult(result)
            return !(stopsAtFailure && result.isFailure)
        }
        return (report.finished(of: runs.count), durations.withLock { $0 })
    }

    /// Runs one scenario on the calling thread.
    public func result(of run: ScenarioSelection.Run) -> ScenarioResult {
        let scenario = run.found.scenario
        var plan = SessionPlan(scenario, seed: run.seed)
        let heard = LastEvents()
        plan.observer = { heard.add($0) }
        let traced = TracedEvents()
        if onTrace != nil { plan.tracer = { traced.add($0) } }
        defer { onTrace?(run.name, run.seed, traced.all) }
        if let mostTurns { plan.mostTurns = mostTurns }
        let play: ScenarioPlay
        do {
            play = try SimulatedSession.play(plan) { session in
                var play = ScenarioPlay(scenario, session, updatesGolden: updatesGolden)
                await play.run()
                return play
            }
        } catch {
            let mismatch = Mismatch(
                key: "session", file: scenario.location.file, line: scenario.location.line,
                expected: ["a session that comes to its end"], seen: ["\(error)"])
            // The session can't be queried any more, so use the events that were observed.
            return result(of: run, [mismatch], elapsed: heard.elapsed, events: heard.all)
        }
        return result(of: run, play.mismatches, elapsed: play.elapsed, events: play.told(all: keepsEvents))
    }

    /// The number of events to report before the first mismatch.
    private static let lastEventCount = 20

    private func result(
        of run: ScenarioSelection.Run, _ mismatches: [Mismatch], elapsed: Duration, events: [SessionEvent]
    ) -> ScenarioResult {
        let scenario = run.found.scenario
        let status: ScenarioResult.Status =
            switch (mismatches.isEmpty, scenario.expectedFailure) {
            case (true, nil): .passed
            case (true, _?): .passedUnexpectedly
            case (false, nil): .failed
            case (false, _?): .failedAsExpected
            }
        let lastEvents = mismatches.isEmpty ? [] : events.suffix(Self.lastEventCount)
        var result = ScenarioResult(
            name: run.name, file: scenario.location.file, line: scenario.location.line, description: scenario.summary,
            tags: scenario.tags, seed: run.seed, status: status, expectedFailure: scenario.expectedFailure,
            virtualMilliseconds: Words.milliseconds(elapsed), mismatches: mismatches,
            lastEvents: lastEvents.map(Words.line), events: keepsEvents ? events.map(Words.line) : nil,
            replay: RerunCommand.text(run))
        result.sessionEvents = keepsEvents ? events : nil
        return result
    }
}

/// The traced events of a session so far.
private final class TracedEvents: Sendable {
    private let events = Mutex<[TracedEvent]>([])

    var all: [TracedEvent] { events.withLock { $0 } }

    func add(_ event: TracedEvent) { events.withLock { $0.append(event) } }
}

extension Scenario {
    /// Runs the scenario on its own thread and checks its expectations.
    ///
    /// - Parameters:
    ///   - seed: the random seed, unless the scenario has its own.
    ///   - keepsEvents: whether the result keeps all events, not only the last ones before a failure.
    /// - Returns: the result. The same scenario and seed have the same result.
    public func run(seed: UInt64 = 1, keepsEvents: Bool = false) async -> ScenarioResult {
        let runs = ScenarioSelection(seed: seed).runs(of: [ScenarioFinder.Found(name: name, scenario: self)])
        let runner = ScenarioRunner(keepsEvents: keepsEvents)
        return await SessionPool(jobs: 1).run(1) { _ in runner.result(of: runs[0]) }[0]
    }
}
