import ScenarioFormat
import ScenarioRunner

/// Measures a run of all scenarios of the library, like `cardpresent simulate run`.
struct ScenarioBenchmark {
    /// The path from the repository's root, in which `Scripts/benchmark` runs.
    var library = "Simulator/Resources/Scenarios"
    var rounds = 5

    private static let target = 5.0

    func run() async throws -> String {
        var found: [ScenarioFinder.Found] = []
        var (reading, one, two) = (Samples(), Samples(), Samples())
        for _ in 0..<rounds {
            reading.add(try await seconds { found = try ScenarioFinder.scenarios(at: [library]) })
            one.add(try await seconds { try await play(found, jobs: 1) })
            two.add(try await seconds { try await play(found, jobs: 2) })
        }
        let all = Samples(zip(reading.values, two.values).map { $0 + $1 })
        var table = MarkdownTable("\(found.count) scenarios", "s", "against reading", "target")
        table.add("reading and checking the files (baseline)", reading.text(decimals: 2), "1.00", "")
        table.add("running them, one job", one.text(decimals: 2), (one / reading).text(decimals: 2), "")
        table.add("running them, two jobs", two.text(decimals: 2), (two / reading).text(decimals: 2), "")
        table.add(
            "reading and running, two jobs", all.text(decimals: 2), (all / reading).text(decimals: 2),
            verdict(all.median, atMost: Self.target))
        return """
            ### The library of scenarios

            \(table.text)
            """
    }

    private func play(_ found: [ScenarioFinder.Found], jobs: Int) async throws {
        let selection = ScenarioSelection()
        let report = await ScenarioRunner(jobs: jobs).run(selection.runs(of: found), seed: selection.seed)
        guard !report.hasFailed, report.scenarios.count == found.count else {
            throw BenchmarkError("not all scenarios are as expected: \(report.sentence)")
        }
    }
}
