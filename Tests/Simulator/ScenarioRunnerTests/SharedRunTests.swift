import ScenarioFormat
import ScenarioRunner
import Sessions
import Testing

/// Does batches in this process, the last one first.
private struct BackwardDispatcher: BatchDispatching {
    let runs: [ScenarioSelection.Run]

    struct Unreadable: Error {}

    func dispatch(
        _ batches: [[UInt8]], take: @escaping @Sendable (Int, [UInt8]) -> ResultAnswer
    ) async throws(Unreadable) {
        let results = await SessionPool(jobs: 1).run(batches.count) { [runs] number in
            try? ScenarioRunner.result(of: batches[batches.count - 1 - number], from: runs)
        }
        for (number, result) in results.reversed().enumerated() {
            guard let result else { throw Unreadable() }
            switch take(number, result) {
            case .next: continue
            case .stop: return
            case .unreadable: throw Unreadable()
            }
        }
    }
}

struct SharedRunTests {
    private func runs(_ outcome: String, _ repetitions: Int) throws -> [ScenarioSelection.Run] {
        let found = try ScenarioFile.scenarios(text: payment(step: "{ outcome: \(outcome) }"), path: "shop/test.yaml")
            .map { ScenarioFinder.Found(name: "shop/\($0.name)", scenario: $0) }
        return ScenarioSelection(repetitions: repetitions).runs(of: found)
    }

    @Test func `a run with workers has the same report, with all events when they are kept`() async throws {
        for runner in [ScenarioRunner(), ScenarioRunner(keepsEvents: true), ScenarioRunner(stopsAtFailure: true)] {
            let runs = try runs("approved", 3) + runs("declined", 3)
            let alone = await runner.run(runs, seed: 1)
            let shared = try await runner.run(runs, seed: 1, on: BackwardDispatcher(runs: runs))
            #expect(shared == alone)
            #expect(shared.counts.failed == (runner.stopsAtFailure ? 1 : 3))
            #expect(try JSONReport.text(shared) == (try JSONReport.text(alone)))
            #expect(HTMLReport.pages(shared) == HTMLReport.pages(alone))
        }
    }

    @Test func `workers with other scenarios are noticed`() async throws {
        let runs = try runs("approved", 2)
        var others = runs
        others[0].seed += 5
        await #expect(throws: BackwardDispatcher.Unreadable.self) {
            _ = try await ScenarioRunner().run(runs, seed: 1, on: BackwardDispatcher(runs: others))
        }
        await #expect(throws: BackwardDispatcher.Unreadable.self) {
            _ = try await ScenarioRunner().run(runs, seed: 1, on: BackwardDispatcher(runs: [runs[0]]))
        }
    }
}
