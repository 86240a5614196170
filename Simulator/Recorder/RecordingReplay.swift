internal import ScenarioFormat
internal import ScenarioRunner

/// Plays a recording before anybody gets it, and makes it say what a replay shows.
struct RecordingReplay {
    private var scenario: Scenario
    private var remarks: [String]

    init(_ draft: RecordingDraft) { (scenario, remarks) = (draft.scenario, draft.remarks) }

    /// How often expectations are corrected: one that is corrected can bring another one about.
    private static let rounds = 4

    /// The file.
    ///
    /// - Throws: ``RecordingError``
    mutating func text() async throws(RecordingError) -> String {
        var differences: [String] = []
        for _ in 0..<Self.rounds {
            let mismatches = try await play()
            guard !mismatches.isEmpty else { return try written(differences) }
            for mismatch in mismatches {
                differences.append(Self.sentence(mismatch))
                correct(mismatch)
            }
        }
        throw .notReplayable(differences.last ?? "it never ends the same way")
    }

    private func written(_ differences: [String] = []) throws(RecordingError) -> String {
        let heading = differences.isEmpty ? [] : ["What a replay shows otherwise than the payment was:"]
        do throws(ScenarioWritingError) {
            return try scenario.yaml(remarks: remarks + heading + differences.map { "  " + $0 })
        } catch {
            throw .notWritable(error.description)
        }
    }

    /// What is not as the file says it, when it is read and played as everybody will.
    private func play() async throws(RecordingError) -> [Mismatch] {
        let read: [Scenario]
        let text = try written()
        do throws(ScenarioFileError) {
            read = try ScenarioFile.scenarios(text: text, path: scenario.name + ".yaml")
        } catch {
            throw .notWritable(error.description)
        }
        let found = read.map { ScenarioFinder.Found(name: $0.name, scenario: $0) }
        let report = await ScenarioRunner().run(ScenarioSelection().runs(of: found), seed: 1)
        return report.scenarios.flatMap(\.mismatches)
    }

    private static func sentence(_ mismatch: Mismatch) -> String {
        func short(_ lines: [String]) -> String {
            let text = lines.joined(separator: " / ")
            return text.count > 160 ? text.prefix(160) + "…" : text
        }
        // Of many lines those that differ.
        let isLong = mismatch.expected.count > 1 || mismatch.seen.count > 1
        let (was, gives) =
            isLong
            ? (
                mismatch.expected.filter { !mismatch.seen.contains($0) },
                mismatch.seen.filter { !mismatch.expected.contains($0) }
            )
            : (mismatch.expected, mismatch.seen)
        return "\(mismatch.key): was \(short(was)); a replay gives \(short(gives))"
    }

    /// Words become those of the replay; everything else is not expected any more.
    private mutating func correct(_ mismatch: Mismatch) {
        let seen = mismatch.seen.first.flatMap { $0.isEmpty || $0 == "none" ? nil : $0 }
        guard mismatch.step != nil, let index = scenario.steps.indices.last else {
            scenario.expectations.removeAll { $0.key == mismatch.key }
            if mismatch.key == "reconciled" { scenario.expectations.append(Expectation(.reconciled(false))) }
            return
        }
        let step = mismatch.step.map { $0 - 1 }.flatMap { scenario.steps.indices.contains($0) ? $0 : nil } ?? index
        if mismatch.key == "during" {
            scenario.steps[step].interruptions.removeAll()
            return
        }
        let place = scenario.steps[step].expectations.firstIndex { $0.key == mismatch.key }
        let corrected: Expectation.Check? =
            switch mismatch.key {
            case "outcome": seen.map { .outcome($0) }
            case "error": .error(seen.map { String($0.prefix { $0 != ":" }) })
            case "step": seen.map { .error(String($0.prefix { $0 != ":" })) }
            case "state": seen.map { .state($0) }
            case "cvm": seen.map { .cvm($0) }
            case "entry": seen.map { .entry($0) }
            default: nil
            }
        if let place { scenario.steps[step].expectations.remove(at: place) }
        if let corrected {
            scenario.steps[step].expectations.insert(Expectation(corrected), at: place ?? 0)
        }
    }
}
