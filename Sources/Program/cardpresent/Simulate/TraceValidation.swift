import Determinism
import Explorer
import Files
import FoundationEssentials
import Sessions

/// Checks that the log of a session is a path of the models of payments, with the verifiers that `Scripts/prove
/// --traces` builds.
struct TraceValidation {
    /// The log: traced events as JSON lines.
    let log: String
    /// The folder of the verifiers.
    let models: String

    /// Spin's options: the deepest path, the size of its table, and no complaint about ends.
    private static let options = ["-m50000", "-w16", "-E", "-b"]
    private static let longestSearch = Duration.seconds(60)

    /// Prints a line for each order and model.
    ///
    /// - Returns: whether all of the log is in the models.
    /// - Throws: `CommandFailure` when the log can't be read, has no step of a model or too many, or there are no
    ///   verifiers.
    func run() async throws(CommandFailure) -> Bool {
        let traces = try readTraces()
        for model in ModelTrace.Model.allCases {
            var isFolder = false
            guard FileManager.default.fileExists(atPath: program(model), isDirectory: &isFolder), !isFolder,
                FileManager.default.isExecutableFile(atPath: program(model))
            else {
                throw CommandFailure(
                    .unavailable, code: "models_missing", message: "there is no model in '\(models)'",
                    fix: "build the models in the sources with: Scripts/prove --traces")
            }
        }
        let words = readWords()
        var isAccepted = true
        for trace in traces {
            let place = "\(trace.name) in \(trace.model.rawValue).pml"
            let cut = trace.cut.map { "; it ends early at \($0)" } ?? ""
            guard !trace.steps.isEmpty else {
                try StandardOutput.write("\(place): nothing to check\(cut)\n")
                continue
            }
            guard let step = try await firstIllegalStep(of: trace) else {
                try StandardOutput.write(
                    "\(place): accepted, \(trace.steps.count) step\(trace.steps.count == 1 ? "" : "s")\(cut)\n")
                continue
            }
            isAccepted = false
            guard trace.steps.indices.contains(step) else {
                throw CommandFailure(
                    .internalError, code: "model_failed", message: "the model '\(program(trace.model))' fails")
            }
            let illegal = trace.steps[step]
            try StandardOutput.write(
                """
                \(place): REJECTED at step \(step + 1) of \(trace.steps.count)
                  event \(illegal.number): \(illegal.event.harmless)
                  not possible here: \(illegal.sentence(words))

                """)
        }
        return isAccepted
    }

    private func readTraces() throws(CommandFailure) -> [ModelTrace] {
        let log = try TracedLog(reading: log)
        let traces = ModelTrace.traces(of: log.events)
        guard traces.contains(where: { !$0.steps.isEmpty }) else {
            let reason = log.events.first(where: \.isOfSecondTill).map {
                "a second till begins at \(log.place(of: $0.number)), before any step of a model"
            }
            throw CommandFailure(
                .badData, code: "nothing_to_check",
                message: "\(log.path): nothing to check: \(reason ?? "the log has no step of a model")",
                fix: "validate a session with a payment")
        }
        for trace in traces where trace.steps.count > ModelTrace.mostSteps {
            let place = log.place(of: trace.steps[ModelTrace.mostSteps].number)
            throw CommandFailure(
                .badData, code: "log_too_long",
                message:
                    "\(place): \(trace.name) has more than \(ModelTrace.mostSteps) steps in \(trace.model.rawValue).pml",
                fix: "validate a shorter session")
        }
        return traces
    }

    private func program(_ model: ModelTrace.Model) -> String { "\(models)/\(model.rawValue)" }

    /// Returns the place of the first step that the model does not have; nil when it has all of them.
    private func firstIllegalStep(of trace: ModelTrace) async throws(CommandFailure) -> Int? {
        let file = FileManager.default.temporaryDirectory.path + "/cardpresent-trace-\(UUID().uuidString)"
        guard FileManager.default.createFile(atPath: file, contents: Data(trace.text.utf8)) else {
            throw CommandFailure(.unavailable, code: "output_failed", message: "cannot write '\(file)'")
        }
        defer { try? FileManager.default.removeItem(atPath: file) }
        let result: ChildProcess.Result
        do throws(ChildProcess.Failure) {
            result = try await ChildProcess.run(
                program(trace.model), Self.options, environment: ["CARDPRESENT_LOG": file], limit: Self.longestSearch,
                time: SystemTimeSource())
        } catch {
            let reason =
                switch error {
                case .notStarted(let error): error.description
                case .timedOut: "it took longer than \(Self.longestSearch)"
                }
            throw CommandFailure(
                .unavailable, code: "model_failed", message: "cannot run '\(program(trace.model))': \(reason)",
                fix: "build the models again with: Scripts/prove --traces")
        }
        if result.exitStatus == 0 { return nil }
        // A search that was cut has not tried everything: Spin says so, and then ends as after a whole one.
        let output = String(decoding: result.output, as: UTF8.self)
        guard !["max search depth too small", "out of memory"].contains(where: output.contains) else {
            throw CommandFailure(
                .badData, code: "log_too_long",
                message: "\(log): \(trace.name) is too long: the search of '\(program(trace.model))' was cut",
                fix: "validate a shorter session")
        }
        // `REACHED 6 of 12`
        let words = result.lastLine.split(separator: " ")
        guard result.exitStatus == 1, words.first == "REACHED", let step = words.dropFirst().first.flatMap({ Int($0) })
        else {
            throw CommandFailure(
                .unavailable, code: "model_failed",
                message: "'\(program(trace.model))' can't read the log: \(result.lastLine.harmless)",
                fix: "build the models again with: Scripts/prove --traces")
        }
        return step
    }

    /// Returns the words of each action, as far as they are beside the verifiers.
    private func readWords() -> [String: String] {
        let bytes = FileManager.default.contents(atPath: "\(models)/actions.tsv") ?? Data()
        let rows = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map { $0.split(separator: "\t") }
        return Dictionary(rows.filter { $0.count > 1 }.map { (String($0[0]), String($0[1])) }) { first, _ in first }
    }
}

extension ModelTrace.Step {
    /// The step in words, from those of its action.
    fileprivate func sentence(_ words: [String: String]) -> String {
        let name = action.split(separator: "|").first.map(String.init) ?? action
        return (words[name] ?? action).replacing("{till}", with: "till \(till + 1)")
            .replacing("{n}", with: "\(subject + 1)")
    }
}
