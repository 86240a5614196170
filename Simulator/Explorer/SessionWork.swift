import Sessions

/// A session that a round of an exploration plays.
struct PlannedSession: Hashable, Sendable, Codable {
    var number: Int
    var seed: UInt64
    var draft: SessionDraft
    /// Whether it varies a session that had reached new states.
    var isVariation: Bool

    /// One session of this many keeps its database in a file.
    static let filesEvery = 8

    /// One session of this many has files that nothing else uses.
    private static let ownFilesEvery = 8 * filesEvery

    /// Where it keeps its records.
    var place: SessionPlace {
        guard number % Self.filesEvery == Self.filesEvery - 1 else { return .memory }
        return number % Self.ownFilesEvery == Self.ownFilesEvery - 1 ? .ownFiles : .usedFiles
    }
}

/// A session with a violation that is to be shrunk.
struct BrokenSession: Hashable, Sendable, Codable {
    var session: PlannedSession
    var violation: Violation
}

/// What the explorer needs to know of a session that was played.
struct SessionObservation: Hashable, Sendable, Codable {
    /// A place where something can happen, and how often the session passed it.
    struct Passage: Hashable, Sendable, Codable {
        var words: String
        var count: Int
    }

    /// Whether the draft was no valid scenario.
    var isUnreadable: Bool
    /// Whether the session could not start.
    var isRefused: Bool
    /// The states that it reached, in order.
    var features: [CoverageFeature]
    /// The injection points that it passed, in order.
    var passages: [Passage]
    var violations: [Violation]
    /// What the models of `Proof` need; empty unless somebody asks for it.
    var traced: [TracedEvent]

    init(_ record: SessionRecord, violations: [Violation]) {
        (isUnreadable, isRefused) = (record.isUnreadable, record.refusal != nil)
        features = CoverageFeature.all(in: record).sorted()
        var seen: [String: Int] = [:]
        for event in record.events { if let point = InjectionPoint(event) { seen[point.words, default: 0] += 1 } }
        passages = seen.map { Passage(words: $0.key, count: $0.value) }.sorted { $0.words < $1.words }
        (self.violations, traced) = (violations, record.traced)
    }
}

/// Plays planned sessions and shrinks broken ones, each on the thread that asks for it.
struct SessionWorkshop: Sendable {
    /// The seed of the exploration, for the names of files.
    var seed: UInt64
    var play: DraftPlay
    var judge: @Sendable (SessionRecord) -> [Violation]

    func observation(of session: PlannedSession) -> SessionObservation {
        let record = play.record(session.draft, seed: session.seed, number: session.number, in: session.place)
        return SessionObservation(record, violations: judge(record))
    }

    /// - Parameters:
    ///   - broken: the session to shrink.
    ///   - isWanted: asked before each session that is played; false ends the search for a smaller one.
    /// - Returns: the smallest session that was found.
    func shrunk(_ broken: BrokenSession, isWanted: @escaping () -> Bool = { true }) -> FoundFailure {
        let (session, violation) = (broken.session, broken.violation)
        func judged(_ draft: SessionDraft) -> (SessionRecord, Violation?) {
            let record = play.record(draft, seed: session.seed, number: session.number, in: session.place)
            return (record, judge(record).first { $0.kind == violation.kind })
        }
        var shrinker = Shrinker { isWanted() && judged($0).1 != nil }
        let small = shrinker.shrunk(session.draft)
        let (record, last) = judged(small)
        let name = "\(violation.invariant.rawValue)-\(seed)-\(session.number).yaml"
        return FoundFailure(
            invariant: violation.invariant, detail: (last ?? violation).detail, session: session.number,
            seed: session.seed, stepsBefore: session.draft.steps.count, steps: small.steps.count, fileName: name,
            text: small.text(
                seed: session.seed, description: "It broke \(violation.invariant.rawValue)",
                expectations: record.steps.map(\.expectation)))
    }
}

extension SessionRecord.Step {
    /// The expectation for how the step ended; nil for none.
    fileprivate var expectation: DraftNode? {
        if let errorCode { return ["error": .text(errorCode)] }
        let outcomes = ["approved", "declined", "cancelled", "failed", "unknown", "pending", "crashed"]
        return outcome.flatMap { outcomes.contains($0) ? ["outcome": .text($0)] : nil }
    }
}
