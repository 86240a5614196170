public import ScenarioFormat
internal import Sessions

extension Scenario {
    /// Plays it, on a thread of its own, and compares what comes of it with what is expected.
    ///
    /// - Parameters:
    ///   - seed: what chance is made of where the scenario does not say it.
    ///   - keepsEvents: whether the result holds every event, and not only the last ones of what failed.
    /// - Returns: what came of it. The same scenario and seed have the same result.
    public func run(seed: UInt64 = 1, keepsEvents: Bool = false) async -> ScenarioResult {
        let runs = ScenarioSelection(seed: seed).runs(of: [ScenarioFinder.Found(name: name, scenario: self)])
        let runner = ScenarioRunner(keepsEvents: keepsEvents)
        return await SessionPool(jobs: 1).run(1) { _ in runner.result(of: runs[0]) }[0]
    }
}
