import HTTPInterface
import ScenarioFormat
import ScenarioRunner
import SessionViews
import Sessions

/// A scenario that was played from its beginning to its end, in a session of its own.
struct PlayedScenario: Sendable {
    /// The names of all scenarios of the file.
    let names: [String]
    /// The result, with all events.
    let result: ScenarioResult
    /// The events of the session, up to ``mostEvents``.
    let events: [SessionEvent]
    /// The number of events after ``events``.
    let laterEvents: Int
    /// The exchanges with the card, with the numbers of their events.
    let decodings: [(event: Int, exchange: DecodedExchange)]

    /// The most events to return. Two hundred steps, the most of a file, have about half of them.
    private static let mostEvents = 20_000
    /// The most jobs of a session. One that loops, as a finding may, ends there within seconds.
    private static let mostTurns = 3_000_000

    private init(_ names: [String], _ result: ScenarioResult) {
        let all = result.sessionEvents ?? []
        (self.names, self.result, events) = (names, result, Array(all.prefix(Self.mostEvents)))
        laterEvents = all.count - events.count
        decodings = DecodedExchange.all(in: events)
    }

    /// Plays the scenario of a body on a thread of its own.
    ///
    /// - Throws: ``APIError``
    static func play(_ body: ScenarioBody) async throws(APIError) -> PlayedScenario {
        // Reading a file with many cases and decoding many exchanges take time, too.
        let results = await SessionPool(jobs: 1).run(1) { _ in played(body) }
        return try results[0].get()
    }

    private static func played(_ body: ScenarioBody) -> Result<PlayedScenario, APIError> {
        do throws(APIError) {
            let scenarios = try body.scenarios()
            let scenario = try body.chosen(among: scenarios)
            let found = ScenarioFinder.Found(name: scenario.name, scenario: scenario)
            var runner = ScenarioRunner(keepsEvents: true)
            runner.mostTurns = mostTurns
            // Without filters and repetitions, one scenario is one run.
            let run = ScenarioSelection(seed: body.seed).runs(of: [found])[0]
            return .success(PlayedScenario(scenarios.map(\.name), runner.result(of: run)))
        } catch {
            return .failure(error)
        }
    }
}
