internal import Determinism
public import ScenarioFormat
internal import Sessions
internal import Synchronization

/// Plays sessions that it makes up from a model of everything that can go wrong, and judges what comes of them.
///
/// What is tried next depends on what has been seen, in rounds: all sessions of a round are made up before the first of
/// them is played. So the same seed makes the same sessions, on however many threads they are played.
public struct Explorer: Sendable {
    public var seed: UInt64
    /// How many sessions to play; nil for as long as the caller lets it.
    public var sessions: Int?
    /// How many at the same time, 1 and up. It changes nothing but how long it takes.
    public var jobs: Int
    /// Whether it ends with the round in which an invariant was broken.
    public var stopsAtFailure: Bool
    /// A folder in which the sessions that keep files may do so.
    public var folder: String
    /// What a session broke.
    var judge: @Sendable (SessionRecord) -> [Violation] = { SessionJudge($0).violations }

    /// How many sessions are made up at a time.
    private static let round = 64
    /// One of so many sessions keeps its database in a file.
    private static let filesEvery = 8
    /// How many failures of different kinds are made small.
    private static let mostFailures = 10

    public init(
        seed: UInt64 = 1, sessions: Int? = nil, jobs: Int = 1, stopsAtFailure: Bool = false, folder: String
    ) {
        (self.seed, self.sessions, self.jobs) = (seed, sessions, max(1, jobs))
        (self.stopsAtFailure, self.folder) = (stopsAtFailure, folder)
    }

    private struct Planned: Sendable {
        var number: Int
        var seed: UInt64
        var draft: SessionDraft
        var isVariation: Bool
    }

    /// Explores.
    ///
    /// - Parameters:
    ///   - goesOn: asked after every session; false ends the exploration.
    ///   - onProgress: is told after every session, one at a time.
    /// - Returns: what was found.
    public func run(
        goesOn: @escaping @Sendable () -> Bool = { true },
        onProgress: @escaping @Sendable (ExplorationProgress) -> Void = { _ in }
    ) async -> ExplorationReport {
        var report = ExplorationReport(seed: seed)
        var (coverage, corpus) = (Coverage(), Corpus())
        var kinds: Set<String> = []
        while report.sessions < sessions ?? .max, goesOn() {
            let count = min(Self.round, (sessions ?? .max) - report.sessions)
            let first = report.sessions
            let planned = (0..<count).map { plan(first + $0, coverage, corpus) }
            let played = await play(planned, goesOn: goesOn) { [report, coverage] done in
                onProgress(
                    ExplorationProgress(
                        sessions: first + done, states: coverage.counts.count, failures: report.failures.count))
            }
            var broken: [(Planned, Violation)] = []
            for (planned, record) in zip(planned, played) {
                report.sessions += 1
                if record.isUnreadable { report.unreadable += 1 } else if record.refusal != nil { report.refused += 1 }
                let new = coverage.add(record)
                if new > 0 { corpus.add(planned.draft) }
                let origin = planned.isVariation ? \ExplorationReport.variations : \ExplorationReport.fresh
                report[keyPath: origin].sessions += 1
                report[keyPath: origin].newStates += new
                for violation in judge(record) {
                    let isNew = kinds.count < Self.mostFailures && kinds.insert(violation.kind).inserted
                    if isNew { broken.append((planned, violation)) } else { report.repetitions += 1 }
                }
            }
            report.failures += await shrink(broken)
            report.growth.append(
                ExplorationReport.Growth(sessions: report.sessions, states: coverage.counts.count))
            if stopsAtFailure, report.hasFailed { break }
        }
        report.take(coverage)
        return report
    }

    /// Plays the cases of a scenario file, each with the ending of explored sessions, and judges them.
    ///
    /// - Parameter path: of the file.
    /// - Returns: the invariants that were broken, and how many cases were played.
    /// - Throws: `ScenarioFileError`
    public func replay(_ path: String) async throws(ScenarioFileError) -> (failures: [FoundFailure], cases: Int) {
        let scenarios = try ScenarioFile.scenarios(path: path)
        let (play, seed, judge) = (DraftPlay(folder: folder), seed, judge)
        let found = await SessionPool(jobs: jobs).run(scenarios.count) { number -> [FoundFailure] in
            let scenario = DraftPlay.ended(scenarios[number])
            let seed = scenario.seed ?? seed
            let record = play.record(scenario, seed: seed, name: "replay-\(number)", keepsFiles: true)
            var violations = judge(record)
            if let refusal = record.refusal {
                violations.append(Violation(.theTillRecovers, "the session cannot begin: \(refusal)"))
            }
            return violations.map { violation in
                FoundFailure(
                    invariant: violation.invariant, detail: "\(scenario.name): \(violation.detail)", session: nil,
                    seed: seed, stepsBefore: scenario.steps.count, steps: scenario.steps.count, fileName: path, text: ""
                )
            }
        }
        return (found.flatMap(\.self), scenarios.count)
    }

    // MARK: Making up

    private func plan(_ number: Int, _ coverage: Coverage, _ corpus: Corpus) -> Planned {
        let source = SeededRandomSource(seed: seed).stream("session \(number)")
        let dice = Dice(source)
        let model = FaultModel(dice: dice)
        let sessionSeed = UInt64(source.number(in: 0...UInt32.max))
        if dice.happens(60), let draft = dice.pick(of: corpus.drafts), let other = dice.pick(of: corpus.drafts) {
            let variation = model.variation(of: draft, with: other, coverage)
            return Planned(number: number, seed: sessionSeed, draft: variation, isVariation: true)
        }
        return Planned(number: number, seed: sessionSeed, draft: model.draft(coverage), isVariation: false)
    }

    private func keepsFiles(_ planned: Planned) -> Bool { planned.number % Self.filesEvery == Self.filesEvery - 1 }

    // MARK: Playing

    private func play(
        _ planned: [Planned], goesOn: @escaping @Sendable () -> Bool, onResult: @escaping @Sendable (Int) -> Void
    ) async -> [SessionRecord] {
        let play = DraftPlay(folder: folder)
        let records = Mutex<[SessionRecord]>([])
        await SessionPool(jobs: jobs).run(planned.count) { number in
            let session = planned[number]
            return play.record(
                session.draft, seed: session.seed, number: session.number, keepsFiles: keepsFiles(session))
        } take: { _, record in
            let done = records.withLock { records in
                records.append(record)
                return records.count
            }
            onResult(done)
            return goesOn()
        }
        return records.withLock { $0 }
    }

    private func shrink(_ broken: [(Planned, Violation)]) async -> [FoundFailure] {
        let (play, judge) = (DraftPlay(folder: folder), judge)
        return await SessionPool(jobs: jobs).run(broken.count) { place -> FoundFailure in
            let (planned, violation) = broken[place]
            let keepsFiles = keepsFiles(planned)
            @Sendable func judged(_ draft: SessionDraft) -> (SessionRecord, Violation?) {
                let record = play.record(
                    draft, seed: planned.seed, number: planned.number, keepsFiles: keepsFiles)
                return (record, judge(record).first { $0.kind == violation.kind })
            }
            var shrinker = Shrinker { judged($0).1 != nil }
            let small = shrinker.shrunk(planned.draft)
            let (record, last) = judged(small)
            let detail = (last ?? violation).detail
            let name = "\(violation.invariant.rawValue)-\(seed)-\(planned.number).yaml"
            return FoundFailure(
                invariant: violation.invariant, detail: detail, session: planned.number, seed: planned.seed,
                stepsBefore: planned.draft.steps.count, steps: small.steps.count, fileName: name,
                text: small.text(
                    seed: planned.seed, description: "It broke \(violation.invariant.rawValue)",
                    expectations: record.steps.map(\.expectation)))
        }
    }
}

extension ExplorationReport {
    mutating func take(_ seen: Coverage) {
        let sizes = seen.sizes
        coverage = CoverageGroup.allCases.map { Group(group: $0, states: sizes[$0] ?? 0) }
        for (feature, count) in seen.counts { states[feature.group.rawValue, default: [:]][feature.name] = count }
    }
}

extension SessionRecord.Step {
    /// How it ended, as a scenario expects it; nil where a scenario need not.
    fileprivate var expectation: DraftNode? {
        if let errorCode { return ["error": .text(errorCode)] }
        let outcomes = ["approved", "declined", "cancelled", "failed", "unknown", "pending", "crashed"]
        return outcome.flatMap { outcomes.contains($0) ? ["outcome": .text($0)] : nil }
    }
}
