import FoundationEssentials
import Hardware
import Money
import ScenarioFormat
import ScenarioRunner
import Sessions
import Settings
import Simulator
import Synchronization

/// Plays a session and records the data for the invariants.
struct SessionPlayer: Sendable {
    /// The session's files; nil for a database in memory.
    var files: SessionFiles?
    /// Whether the record has what the models of `Proof` need.
    var isTraced = false

    /// The longest step on the virtual clock, which exceeds all timeouts of tills and cardholders.
    private static let longestStep = Duration.seconds(12 * 3600)
    /// The most jobs of a session. A typical session runs some ten thousand.
    private static let mostTurns = 3_000_000

    func play(_ scenario: Scenario, seed: UInt64) -> SessionRecord {
        var plan = SessionPlan(scenario, seed: seed)
        (plan.longestStep, plan.mostTurns) = (Self.longestStep, Self.mostTurns)
        if let files { plan.journal = files.journal }
        let (log, texts, trace) = (Collected<SessionEvent>(), Collected<[UInt8]>(), Collected<TracedEvent>())
        let begun = Collected<String>()
        plan.observer = { log.add($0) }
        if isTraced { plan.tracer = { trace.add($0) } }
        plan.requestObserver = { target, body in
            texts.add(Array(target.utf8))
            texts.add(body)
        }
        let search = SecretSearch(
            cards: plan.cards.map(\.profile), pins: [FaultModel.pin, FaultModel.wrongPIN])
        var record: SessionRecord
        var openResources = LeakReport.none
        do {
            record = try SimulatedSession.play(plan, leaks: { openResources = $0 }) { session in
                var record = SessionRecord()
                var play = ScenarioPlay(scenario, in: session)
                let ending = scenario.steps.count - SessionDraft.ending.count
                for (index, step) in scenario.steps.enumerated() {
                    begun.add(step.action.word)
                    let outcome = await play.play(step)
                    record.steps.append(
                        SessionRecord.Step(
                            word: step.action.word, outcome: outcome.outcome, errorCode: outcome.errorCode,
                            errorMessage: outcome.errorMessage, isEnding: index >= ending))
                }
                try await SessionReading(session, search).read(into: &record)
                return record
            }
        } catch {
            record = SessionRecord()
            if case .stuck(let step) = error as? SimulatedSessionError {
                record.stuckStep = step
            } else if begun.all.isEmpty {
                record.refusal = "\(error)"
            } else {
                record.breakdown = "\(error)"
            }
        }
        (record.events, record.traced, record.openResources) = (log.all, trace.all, openResources)
        find(search, events: log.all, requests: texts.all, into: &record)
        if let files { look(into: files, search, &record) }
        return record
    }

    private func find(
        _ search: SecretSearch, events: [SessionEvent], requests: [[UInt8]], into record: inout SessionRecord
    ) {
        var lines: [UInt8] = []
        for event in events {
            lines += event.kind.rawValue.utf8
            lines.append(UInt8(ascii: " "))
            lines += event.detail.utf8
            lines.append(UInt8(ascii: "\n"))
        }
        record.note(search.secrets(in: lines), in: "events")
        record.note(search.secrets(in: Array(requests.joined(separator: [0x0A]))), in: "requests to the store")
        let errors = record.steps.compactMap(\.errorMessage) + [record.refusal ?? "", record.breakdown ?? ""]
        record.note(search.secrets(in: Array(errors.joined(separator: "\n").utf8)), in: "errors")
    }

    /// Checks the files of a session that has ended for secrets and for open files.
    private func look(into files: SessionFiles, _ search: SecretSearch, _ record: inout SessionRecord) {
        let (manager, folder) = (FileManager.default, files.folder)
        for name in ((try? manager.contentsOfDirectory(atPath: folder)) ?? []).sorted() {
            guard let bytes = manager.contents(atPath: "\(folder)/\(name)") else { continue }
            record.note(search.secrets(in: Array(bytes)), in: "file \(name)")
        }
        for name in (try? manager.contentsOfDirectory(atPath: "/proc/self/fd")) ?? [] {
            guard let path = try? manager.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)"),
                path.hasPrefix(folder + "/")
            else { continue }
            let name = String(path.dropFirst(folder.count + 1))
            if !files.staysOpen(name) { record.openFiles.append(name) }
        }
        record.openFiles.sort()
    }
}

/// Passes a session's results from its thread to the caller's.
private final class Collected<Element: Sendable>: Sendable {
    private let elements = Mutex<[Element]>([])

    var all: [Element] { elements.withLock { $0 } }

    func add(_ element: Element) { elements.withLock { $0.append(element) } }
}

/// Plays drafts and scenarios.
struct DraftPlay: Sendable {
    /// The folder for the sessions' own folders.
    var folder: String
    /// Whether the records have what the models of `Proof` need.
    var isTraced = false
    /// The files that sessions use one after the other.
    private let usedFiles = UsedFiles()

    init(folder: String, isTraced: Bool = false) { (self.folder, self.isTraced) = (folder, isTraced) }

    /// Plays a draft. `seed` is the random seed, and `number` names the folder. The record has a `refusal` if the draft
    /// is not a valid scenario.
    func record(_ draft: SessionDraft, seed: UInt64, number: Int, in place: SessionPlace) -> SessionRecord {
        do throws(ScenarioFileError) {
            guard let scenario = try draft.scenarios(seed: seed, description: "explored").first else {
                return SessionRecord(refusal: "no scenario")
            }
            return record(scenario, seed: seed, name: "\(number)", in: place)
        } catch {
            return SessionRecord(refusal: "\(error)", isUnreadable: true)
        }
    }

    /// Plays a scenario that has the final steps of explored sessions.
    func record(_ scenario: Scenario, seed: UInt64, name: String, in place: SessionPlace) -> SessionRecord {
        let files: SessionFiles?
        do {
            files =
                switch place {
                case .memory: nil
                case .ownFiles: try SessionFiles(ownIn: "\(folder)/\(name)")
                case .usedFiles: try usedFiles.take(in: folder)
                }
        } catch {
            return SessionRecord(refusal: "\(folder)/\(name): \(error)")
        }
        let record = SessionPlayer(files: files, isTraced: isTraced).play(scenario, seed: seed)
        if let files, place == .usedFiles, record.leftNothing { usedFiles.give(back: files) }
        return record
    }

    /// Returns a scenario with the final steps of explored sessions added.
    static func ended(_ scenario: Scenario) -> Scenario {
        let words = SessionDraft.ending.map(\.stepWord)
        guard scenario.steps.suffix(words.count).map(\.action.word) != words else { return scenario }
        var scenario = scenario
        let text = SessionDraft().text(seed: 0, description: "the ending")
        scenario.steps += (try? ScenarioFile.scenarios(text: text, path: "ending.yaml").first?.steps) ?? []
        return scenario
    }
}

extension DraftNode {
    /// The step's action word.
    var stepWord: String {
        switch self {
        case .text(let word): word
        case .mapping(let entries):
            self["do"].map(\.stepWord) ?? entries.first { !["during", "expect"].contains($0.key) }?.key ?? ""
        case .list: ""
        }
    }
}
