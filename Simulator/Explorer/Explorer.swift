import Determinism
public import ScenarioFormat
public import Sessions

/// Generates sessions from a model of possible faults, plays them, and checks their invariants.
///
/// Each round of sessions is generated from the coverage of the previous rounds, before any of its sessions is played.
/// So the same seed generates the same sessions, regardless of the number of threads.
public struct Explorer: Sendable {
    public var seed: UInt64
    /// The number of sessions; nil for no limit.
    public var sessions: Int?
    /// The number of parallel jobs, at least 1. It affects only the time that the run takes.
    public var jobs: Int
    /// The number of sessions per round, at least 1. Other numbers plan other sessions.
    public var round: Int
    /// Whether to stop after the round of the first failure.
    public var stopsAtFailure: Bool
    /// The message profile of the wire in every session; nil when the till has the issuer in its own process. A third
    /// of the sessions has no faults on it, and the others have more and more of them.
    public var wire: String?
    /// The folder for the files of sessions that use files.
    public var folder: String
    /// Called with each session's number and what the models of `Proof` need of it, in order; nil for no traces.
    public var onTrace: (@Sendable (_ session: Int, _ events: [TracedEvent]) -> Void)?
    /// Called with each failure as soon as it is shrunk, in the order of the report.
    public var onFailure: @Sendable (FoundFailure) -> Void = { _ in }
    /// Returns the violations of a session.
    var judge: @Sendable (SessionRecord) -> [Violation] = { InvariantCheck($0).violations }

    /// The number of sessions per round, unless somebody asks for another one.
    public static let standardRound = 64
    /// One session of this many has faults between its processes.
    private static let disturbedEvery = 4
    /// The most kinds of failures to shrink.
    private static let mostFailures = 10

    /// Sets what to explore. Nil `sessions` are without a limit; fewer than one job or session per round is one.
    public init(
        seed: UInt64 = 1, sessions: Int? = nil, jobs: Int = 1, round: Int = standardRound,
        stopsAtFailure: Bool = false, wire: String? = nil, folder: String
    ) {
        self.round = max(1, round)
        (self.seed, self.sessions, self.jobs, self.wire) = (seed, sessions, max(1, jobs), wire)
        (self.stopsAtFailure, self.folder) = (stopsAtFailure, folder)
    }

    /// Runs the exploration.
    ///
    /// - Parameters:
    ///   - goesOn: called after every session; return false to stop.
    ///   - onProgress: receives the progress after every session, one call at a time.
    /// - Returns: the report.
    public func run(
        goesOn: @escaping @Sendable () -> Bool = { true },
        onProgress: @escaping @Sendable (ExplorationProgress) -> Void = { _ in }
    ) async -> ExplorationReport {
        let crew = ThreadCrew(workshop: workshop(isTraced: onTrace != nil), jobs: jobs)
        return await run(with: crew, goesOn, onProgress)
    }

    /// Runs the exploration with workers elsewhere, each of which has an ``ExplorationWorker``. The report is the same.
    ///
    /// - Parameters:
    ///   - dispatcher: the way to the workers.
    ///   - goesOn: called after every session; return false to stop.
    ///   - onProgress: receives the progress after every session, one call at a time.
    /// - Returns: the report.
    /// - Throws: the error of the dispatcher.
    public func run<Dispatcher: BatchDispatching>(
        on dispatcher: Dispatcher, goesOn: @escaping @Sendable () -> Bool = { true },
        onProgress: @escaping @Sendable (ExplorationProgress) -> Void = { _ in }
    ) async throws(Dispatcher.Failure) -> ExplorationReport {
        try await run(with: DispatchedCrew(dispatcher: dispatcher, isTraced: onTrace != nil), goesOn, onProgress)
    }

    private func run<Crew: ExplorationCrew>(
        with crew: Crew, _ goesOn: @escaping @Sendable () -> Bool,
        _ onProgress: @escaping @Sendable (ExplorationProgress) -> Void
    ) async throws(Crew.Failure) -> ExplorationReport {
        var report = ExplorationReport(seed: seed)
        var (coverage, corpus) = (Coverage(), Corpus())
        var kinds: Set<String> = []
        while report.sessions < sessions ?? .max, goesOn() {
            let count = min(round, (sessions ?? .max) - report.sessions)
            let first = report.sessions
            let planned = (0..<count).map { plan(first + $0, coverage, corpus) }
            let played = try await crew.play(planned, goesOn: goesOn) { [report, coverage] done in
                onProgress(
                    ExplorationProgress(
                        sessions: first + done, states: coverage.counts.count, failures: report.failures.count))
            }
            var broken: [BrokenSession] = []
            for (planned, observation) in zip(planned, played) {
                report.sessions += 1
                onTrace?(planned.number, observation.traced)
                if observation.isUnreadable {
                    report.unreadable += 1
                } else if observation.isRefused {
                    report.refused += 1
                }
                let new = coverage.add(observation)
                if new > 0 { corpus.add(planned.draft) }
                let origin = planned.isVariation ? \ExplorationReport.variations : \ExplorationReport.fresh
                report[keyPath: origin].sessions += 1
                report[keyPath: origin].newStates += new
                for violation in observation.violations {
                    let isNew = kinds.count < Self.mostFailures && kinds.insert(violation.kind).inserted
                    if isNew {
                        broken.append(BrokenSession(session: planned, violation: violation))
                    } else {
                        report.repetitions += 1
                    }
                }
            }
            for failure in try await crew.shrink(broken) {
                onFailure(report.add(failure))
            }
            report.growth.append(
                ExplorationReport.Growth(sessions: report.sessions, states: coverage.counts.count))
            if stopsAtFailure, report.hasFailed { break }
        }
        report.take(coverage)
        return report
    }

    /// Plays the cases of a scenario file, each with the final steps of explored sessions, and checks their invariants.
    ///
    /// - Parameter path: the path of the file.
    /// - Returns: the failures, and the number of cases.
    /// - Throws: `ScenarioFileError`
    public func replay(_ path: String) async throws(ScenarioFileError) -> (failures: [FoundFailure], cases: Int) {
        let scenarios = try ScenarioFile.scenarios(path: path)
        let (play, seed, judge) = (DraftPlay(folder: folder), seed, judge)
        let found = await SessionPool(jobs: jobs).run(scenarios.count) { number -> [FoundFailure] in
            let scenario = DraftPlay.ended(scenarios[number])
            let seed = scenario.seed ?? seed
            // Files that a stuck session leaves open are not those of another file's sessions.
            let name = "\(path.suffix(100).replacing("/", with: "_"))-\(number)"
            let record = play.record(scenario, seed: seed, name: name, in: .ownFiles)
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

    // MARK: Generating

    private func plan(_ number: Int, _ coverage: Coverage, _ corpus: Corpus) -> PlannedSession {
        let source = SeededRandomSource(seed: seed).stream("session \(number)")
        let choices = RandomChoices(source)
        let model = FaultModel(choices: choices)
        let sessionSeed = UInt64(source.number(in: 0...UInt32.max))
        if choices.happens(60), let draft = choices.pick(of: corpus.drafts), let other = choices.pick(of: corpus.drafts)
        {
            let variation = model.variation(of: draft, with: other, coverage)
            return PlannedSession(
                number: number, seed: sessionSeed, draft: disturbed(variation, number), isVariation: true)
        }
        return PlannedSession(
            number: number, seed: sessionSeed,
            draft: disturbed(withHolds(tapped(wired(model.draft(coverage), number), number), number), number),
            isVariation: false)
    }

    /// Puts faults between processes into one session of four, also into those that keep files, and a second till into
    /// some.
    private func disturbed(_ draft: SessionDraft, _ number: Int) -> SessionDraft {
        let draft = withSecondTill(TwoTills.fitted(draft), number)
        guard number % Self.disturbedEvery == Self.disturbedEvery - 1 else { return draft }
        let source = SeededRandomSource(seed: seed).stream("processes \(number)")
        return ProcessFaults(choices: RandomChoices(source), hasWire: wire != nil).added(to: draft)
    }

    /// Puts a second till that takes payments into two sessions of eight: one with its database in memory, and one that
    /// keeps files.
    private func withSecondTill(_ draft: SessionDraft, _ number: Int) -> SessionDraft {
        let files = PlannedSession.filesEvery
        let place = files - number % files
        guard place == 1 || place == 3 else { return draft }
        let source = SeededRandomSource(seed: seed).stream("two tills \(number)")
        let choices = RandomChoices(source)
        return TwoTills(choices: choices, hasWire: wire != nil, keepsFiles: place == 1).added(to: draft)
    }

    /// Lets cards be tapped in one new session of four.
    private func tapped(_ draft: SessionDraft, _ number: Int) -> SessionDraft {
        let choices = RandomChoices(SeededRandomSource(seed: seed).stream("taps \(number)"))
        guard choices.happens(25) else { return draft }
        return TapFaults(choices: choices).added(to: draft)
    }

    /// Lets payments only hold their amount in one new session of five.
    private func withHolds(_ draft: SessionDraft, _ number: Int) -> SessionDraft {
        let choices = RandomChoices(SeededRandomSource(seed: seed).stream("holds \(number)"))
        guard choices.happens(20) else { return draft }
        return HoldFaults(choices: choices).added(to: draft)
    }

    /// Puts the wire into a new draft; variations have that of their draft.
    private func wired(_ draft: SessionDraft, _ number: Int) -> SessionDraft {
        guard let wire else { return draft }
        var draft = draft
        let percent = [0, 10, 40][number % 3]
        draft.setup.append(
            DraftEntry("host", ["wire": "iso8583", "profile": .text(wire), "faultPercent": .number(percent)]))
        return draft
    }

    /// Returns the part that plays and judges the sessions of this exploration.
    func workshop(isTraced: Bool) -> SessionWorkshop {
        SessionWorkshop(seed: seed, play: DraftPlay(folder: folder, isTraced: isTraced), judge: judge)
    }
}

extension ExplorationReport {
    /// Adds a failure. One session can break an invariant in several ways: each has a file of its own.
    ///
    /// - Returns: the failure with the name of its file.
    mutating func add(_ failure: FoundFailure) -> FoundFailure {
        var failure = failure
        let name = failure.fileName
        var number = 1
        while failures.contains(where: { $0.fileName == failure.fileName }) {
            number += 1
            failure.fileName = name.replacing(".yaml", with: "-\(number).yaml")
        }
        failures.append(failure)
        return failure
    }

    mutating func take(_ seen: Coverage) {
        let sizes = seen.sizes
        coverage = CoverageGroup.allCases.map { Group(group: $0, states: sizes[$0] ?? 0) }
        for (feature, count) in seen.counts { states[feature.group.rawValue, default: [:]][feature.name] = count }
    }
}

/// The progress of an exploration.
public struct ExplorationProgress: Hashable, Sendable {
    public var sessions: Int
    /// The number of distinct states reached.
    public var states: Int
    public var failures: Int
}

/// The results of an exploration. The same seed and number of sessions make the same report, regardless of the number
/// of parallel jobs; it contains no wall-clock time.
public struct ExplorationReport: Sendable, Encodable {
    /// The number of distinct states of a kind, and the session that reached the last new one.
    public struct Group: Hashable, Sendable, Encodable {
        public var group: CoverageGroup
        public var states: Int
    }

    /// The number of states after a number of sessions.
    public struct Growth: Hashable, Sendable, Encodable {
        public var sessions: Int
        public var states: Int
    }

    /// The number of sessions of one origin, and of the states that they reached first.
    public struct Origin: Hashable, Sendable, Encodable {
        public var sessions = 0
        public var newStates = 0
    }

    public var seed: UInt64
    public internal(set) var sessions = 0
    /// The number of sessions that could not start, which is not a failure.
    public internal(set) var refused = 0
    /// The number of drafts that were not valid scenarios, which is a bug in the explorer.
    public internal(set) var unreadable = 0
    public internal(set) var failures: [FoundFailure] = []
    /// The number of sessions with the same kind of failure as one of ``failures``.
    public internal(set) var repetitions = 0
    public internal(set) var coverage: [Group] = []
    public internal(set) var growth: [Growth] = []
    /// Newly generated sessions.
    public internal(set) var fresh = Origin()
    /// Variations of sessions that had reached new states.
    public internal(set) var variations = Origin()
    /// All states with the numbers of sessions that reached them.
    public internal(set) var states: [CoverageGroup.RawValue: [String: Int]] = [:]

    /// Whether a session violated an invariant.
    public var hasFailed: Bool { !failures.isEmpty }
    /// The number of distinct states reached.
    public var stateCount: Int { coverage.reduce(0) { $0 + $1.states } }

    init(seed: UInt64) { self.seed = seed }
}

/// A session that violated an invariant, shrunk as far as possible.
public struct FoundFailure: Hashable, Sendable, Codable {
    public var invariant: Invariant
    /// The description of the violation.
    public var detail: String
    /// The number of the session in the exploration, from 0; nil for a file that was replayed.
    public var session: Int?
    /// The random seed of the session.
    public var seed: UInt64
    /// The number of steps before and after shrinking.
    public var stepsBefore: Int
    public var steps: Int
    /// The suggested file name, without a folder.
    public var fileName: String
    /// The text of the scenario file.
    public var text: String
}
