import ScenarioFormat
import ScenarioRunner

/// Plays a recording before it is returned, and corrects its expectations to match the replay.
struct RecordingReplay {
    private var scenario: Scenario
    private var remarks: [String]

    init(_ draft: RecordingDraft) { (scenario, remarks) = (draft.scenario, draft.remarks) }

    /// The most rounds of corrections: one correction may reveal another mismatch.
    private static let rounds = 100

    /// Returns the text of the file.
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

    /// Reads and plays the file as a user would, and returns its mismatches.
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
        guard mismatch.expected.count > 1 else {
            return "\(mismatch.key): was \(short(mismatch.expected)); a replay gives \(short(mismatch.seen))"
        }
        if Expectation.Check.listsPatterns(mismatch.key), let missing = mismatch.firstMissing {
            return "\(mismatch.key): a replay has no '\(mismatch.expected[missing])' there"
        }
        // For lists, show only the lines that differ.
        let (was, gives) = (
            mismatch.expected.filter { !mismatch.seen.contains($0) },
            mismatch.seen.filter { !mismatch.expected.contains($0) }
        )
        return "\(mismatch.key): was \(short(was)); a replay gives \(short(gives))"
    }

    /// Corrects an expectation: takes a single value from the replay, removes the missing line of a list, and drops any
    /// other expectation.
    private mutating func correct(_ mismatch: Mismatch) {
        let seen = mismatch.seen.first.flatMap { $0.isEmpty || $0 == "none" ? nil : $0 }
        guard let step = mismatch.step.map({ $0 - 1 }), scenario.steps.indices.contains(step) else {
            scenario.expectations.removeAll { $0.key == mismatch.key }
            if mismatch.key == "reconciled" { scenario.expectations.append(Expectation(.reconciled(false))) }
            return
        }
        if mismatch.key == "during" {
            scenario.steps[step].interruptions.removeAll()
            return
        }
        let place = scenario.steps[step].expectations.firstIndex { $0.key == mismatch.key }
        if let place, let rest = scenario.steps[step].expectations[place].check.withoutPattern(mismatch.firstMissing) {
            scenario.steps[step].expectations[place] = Expectation(rest)
            return
        }
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

extension Mismatch {
    /// The index of the first expected line that is missing; nil for none.
    fileprivate var firstMissing: Int? {
        expected.indices.first { !seen.indices.contains($0) || seen[$0] != expected[$0] }
    }
}

extension Expectation.Check {
    /// Returns whether the key's value is a list of patterns.
    fileprivate static func listsPatterns(_ key: String) -> Bool {
        ["events", "display", "apdu", "receipt"].contains(key)
    }

    /// Returns the check without one of its patterns; nil if it has no list of patterns, or none would be left.
    fileprivate func withoutPattern(_ index: Int?) -> Expectation.Check? {
        func rest(_ patterns: [TextPattern]) -> [TextPattern]? {
            guard let index, patterns.count > 1, patterns.indices.contains(index) else { return nil }
            return Array(patterns[..<index] + patterns[(index + 1)...])
        }
        return switch self {
        case .events(let patterns): rest(patterns).map { .events($0) }
        case .display(let patterns): rest(patterns).map { .display($0) }
        case .apdu(let patterns): rest(patterns).map { .apdu($0) }
        case .receipt(let patterns): rest(patterns).map { .receipt($0) }
        default: nil
        }
    }
}
