import Sessions
import Synchronization

/// The result of a search through all pairs of deaths.
public struct CrashPairReport: Hashable, Sendable {
    /// The number of sessions.
    public internal(set) var sessions = 0
    public internal(set) var failures: [FoundFailure] = []
}

extension Explorer {
    /// Lets the till die at every place of some payments and refunds, and its recovery at every place after that, and
    /// checks the invariants of each session. A place is a commit, before and after it, or a message to the issuer.
    ///
    /// - Parameters:
    ///   - cases: the most cases of ``crashCases``; nil for all.
    ///   - goesOn: asked before each session; return false to stop.
    ///   - onProgress: receives the number of sessions so far.
    /// - Returns: the report.
    public func crashPairs(
        cases: Int? = nil, goesOn: @escaping @Sendable () -> Bool = { true },
        onProgress: @escaping @Sendable (Int) -> Void = { _ in }
    ) async -> CrashPairReport {
        var report = CrashPairReport()
        for (name, draft) in Self.crashCases.prefix(cases ?? .max) {
            let whole = await play([draft], name, goesOn, &report)
            let first = whole.first.map { CrashPlace.all(in: $0, from: Self.lastCommand($0)) } ?? []
            let dying = first.map { draft.crashing(at: $0) }
            let recovered = await play(dying.map { $0.followed(by: "restart") }, name, goesOn, &report)
            onProgress(report.sessions)
            var pairs: [SessionDraft] = []
            for (dead, record) in zip(dying, recovered) {
                let recovery = record.tellings.firstIndex { $0.command == .recover }
                for place in CrashPlace.all(in: record, from: recovery) {
                    pairs.append(dead.followed(by: SessionDraft.step("restart", crashingAt: place)))
                }
            }
            _ = await play(pairs, name, goesOn, &report)
            onProgress(report.sessions)
        }
        return report
    }

    /// The sessions whose last step is the one in which the till dies: what it does by itself, and with an issuer that
    /// does not answer.
    static var crashCases: [(name: String, draft: SessionDraft)] {
        let lost: DraftNode = [["name": "lost", "answer": ["lost": "answer"], "times": "1"]]
        let refund: DraftNode = ["refund": ["amount": "5.00"]]
        let lostRefund: DraftNode = [
            ["name": "lost", "when": ["messages": "refund"], "answer": ["lost": "answer"], "times": "1"]
        ]
        let limits: DraftNode = [
            "applications": [
                "extends": "standard",
                "list": [
                    [
                        "aid": "A0000000041010", "floorLimit": "50",
                        "actionCodes": ["online": "0000000000", "default": "0000000000"],
                    ]
                ],
            ]
        ]
        let pay: DraftNode = ["pay": ["amount": "12.00"]]
        return [
            ("sale", SessionDraft(steps: ["connect", pay])),
            ("lost answer", SessionDraft(setup: [DraftEntry("issuer", lost)], steps: ["connect", pay])),
            ("refund", SessionDraft(steps: ["connect", pay, refund])),
            ("lost refund", SessionDraft(setup: [DraftEntry("issuer", lostRefund)], steps: ["connect", pay, refund])),
            (
                "order",
                SessionDraft(
                    setup: [DraftEntry("site", ["unpaid": ["25.00"]])], steps: ["connect", ["pay": ["order": "1"]]])
            ),
            (
                "offline approval",
                SessionDraft(
                    setup: [DraftEntry("configuration", limits)],
                    steps: ["connect", ["pay": ["amount": "7.00", "card": "offline-approve"]]])
            ),
            ("decline", SessionDraft(steps: ["connect", ["pay": ["amount": "9.00", "card": "declined"]]])),
        ]
    }

    /// The last telling of a command that is no recovery.
    private static func lastCommand(_ record: SessionRecord) -> Int? {
        record.tellings.lastIndex { $0.command != .recover }
    }

    /// Plays drafts, and adds what they break to the report.
    private func play(
        _ drafts: [SessionDraft], _ name: String, _ goesOn: @escaping @Sendable () -> Bool,
        _ report: inout CrashPairReport
    ) async -> [SessionRecord] {
        let (play, seed, judge) = (DraftPlay(folder: folder), seed, judge)
        let taken = Mutex<[(SessionRecord, [Violation])]>([])
        await SessionPool(jobs: jobs).run(goesOn() ? drafts.count : 0) { number -> (SessionRecord, [Violation]) in
            let record = play.record(drafts[number], seed: seed, number: number, in: .memory)
            return (record, judge(record))
        } take: { _, result in
            taken.withLock { $0.append(result) }
            return goesOn()
        }
        let results = taken.withLock { $0 }
        for (draft, (record, violations)) in zip(drafts, results) {
            report.sessions += 1
            var violations = violations
            if let refusal = record.refusal {
                violations.append(Violation(.theTillRecovers, "the session cannot begin: \(refusal)"))
            }
            for violation in violations {
                let number = report.failures.count + 1
                let failure = FoundFailure(
                    invariant: violation.invariant, detail: "\(name): \(violation.detail)", session: nil, seed: seed,
                    stepsBefore: draft.steps.count, steps: draft.steps.count,
                    fileName: "crashes-\(violation.invariant.rawValue)-\(number).yaml",
                    text: draft.text(seed: seed, description: "It broke \(violation.invariant.rawValue)"))
                report.failures.append(failure)
                onFailure(failure)
            }
        }
        return results.map(\.0)
    }
}

/// A place at which a process can die: the words of an event, and which of these events in its step.
struct CrashPlace: Hashable, Sendable {
    var words: String
    var count: Int

    /// The kinds of events at which a process dies: before a commit of an attempt, after it, after a commit about a
    /// notification, and when a message has left or has come.
    private static let kinds: [SessionEventKind] = [.saving, .journal, .capture, .host]

    /// Returns the places from the beginning of a telling to the end of its step, by the place of the telling; none
    /// when it is nil.
    static func all(in record: SessionRecord, from telling: Int?) -> [CrashPlace] {
        guard let telling else { return [] }
        let events = record.events.dropFirst(record.tellings[telling].events.lowerBound).prefix {
            $0.kind != .stepEnded
        }
        return kinds.flatMap { kind -> [CrashPlace] in
            let count = events.count { $0.kind == kind }
            return (0..<count).map { CrashPlace(words: kind.rawValue, count: $0 + 1) }
        }
    }

    /// The interruption of a step.
    fileprivate var interruption: DraftNode {
        ["on": .text(words), "count": .number(count), "do": "crash"]
    }
}

extension SessionDraft {
    /// Returns the draft with a death in its last step.
    fileprivate func crashing(at place: CrashPlace) -> SessionDraft {
        guard let last = steps.last, case .mapping = last else { return self }
        var draft = self
        var step = last
        step["during"] = [place.interruption]
        draft.steps[steps.count - 1] = step
        return draft
    }

    /// Returns the draft with one more step.
    fileprivate func followed(by step: DraftNode) -> SessionDraft {
        var draft = self
        draft.steps.append(step)
        return draft
    }

    /// Returns a step that is one word, with a death in it.
    fileprivate static func step(_ word: String, crashingAt place: CrashPlace) -> DraftNode {
        ["do": .text(word), "during": [place.interruption]]
    }
}
