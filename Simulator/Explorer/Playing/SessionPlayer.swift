internal import Amounts
internal import FoundationEssentials
internal import Hardware
internal import ScenarioFormat
internal import ScenarioRunner
internal import Sessions
internal import Simulator
internal import Synchronization

/// Plays a session and takes down everything that is judged.
struct SessionPlayer: Sendable {
    /// The folder in which the session may keep its database in a file; nil for one in memory.
    var folder: String?

    /// What a step may take on the virtual clock, longer than anything that a till or a person waits for.
    private static let longestStep = Duration.seconds(12 * 3600)
    /// A session takes some ten thousand pieces of work.
    private static let mostTurns = 3_000_000

    func play(_ scenario: Scenario, seed: UInt64) -> SessionRecord {
        var plan = SessionPlan(scenario, seed: seed)
        (plan.longestStep, plan.mostTurns) = (Self.longestStep, Self.mostTurns)
        let database = folder.map { "\($0)/till.sqlite" }
        if let database { plan.journal = .file(database) }
        let (log, texts) = (Collected<SessionEvent>(), Collected<[UInt8]>())
        plan.observer = { log.add($0) }
        plan.requestObserver = { target, body in
            texts.add(Array(target.utf8))
            texts.add(body)
        }
        let search = SecretSearch(
            cards: plan.cards.map(\.profile), pins: [FaultModel.pin, FaultModel.wrongPIN])
        var record: SessionRecord
        var remains = SessionRemains.none
        do {
            record = try SimulatedSession.play(plan, remains: { remains = $0 }) { session in
                var record = SessionRecord()
                var play = ScenarioPlay(scenario, in: session)
                let ending = scenario.steps.count - SessionDraft.ending.count
                for (index, step) in scenario.steps.enumerated() {
                    let outcome = await play.play(step)
                    record.steps.append(
                        SessionRecord.Step(
                            word: step.action.word, outcome: outcome.outcome, errorCode: outcome.errorCode,
                            errorMessage: outcome.errorMessage, isEnding: index >= ending))
                }
                try await SessionReading(session, search).read(into: &record)
                return record
            }
        } catch let error as SimulatedSessionError {
            record = SessionRecord()
            if case .stuck(let step) = error { record.stuckStep = step } else { record.refusal = "\(error)" }
        } catch {
            record = SessionRecord()
            record.refusal = "\(error)"
        }
        (record.events, record.remains) = (log.all, remains)
        find(search, events: log.all, requests: texts.all, into: &record)
        if let folder { look(into: folder, search, &record) }
        return record
    }

    private func find(
        _ search: SecretSearch, events: [SessionEvent], requests: [[UInt8]], into record: inout SessionRecord
    ) {
        let lines = events.map(\.text).joined(separator: "\n")
        record.note(search.secrets(in: Array(lines.utf8)), in: "events")
        record.note(search.secrets(in: Array(requests.joined(separator: [0x0A]))), in: "requests to the store")
        let errors = record.steps.compactMap(\.errorMessage) + [record.refusal ?? ""]
        record.note(search.secrets(in: Array(errors.joined(separator: "\n").utf8)), in: "errors")
    }

    /// The files of a session that is over: what stands in them, and which are still open.
    private func look(into folder: String, _ search: SecretSearch, _ record: inout SessionRecord) {
        let files = FileManager.default
        for name in ((try? files.contentsOfDirectory(atPath: folder)) ?? []).sorted() {
            guard let bytes = files.contents(atPath: "\(folder)/\(name)") else { continue }
            record.note(search.secrets(in: Array(bytes)), in: "file \(name)")
        }
        for name in (try? files.contentsOfDirectory(atPath: "/proc/self/fd")) ?? [] {
            guard let path = try? files.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)"),
                path.hasPrefix(folder + "/")
            else { continue }
            record.openFiles.append(String(path.dropFirst(folder.count + 1)))
        }
        record.openFiles.sort()
    }
}

/// What came of one session on its thread, for the thread that began it.
private final class Collected<Element: Sendable>: Sendable {
    private let elements = Mutex<[Element]>([])

    var all: [Element] { elements.withLock { $0 } }

    func add(_ element: Element) { elements.withLock { $0.append(element) } }
}
