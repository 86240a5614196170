import Explorer
import FoundationEssentials
import Sessions
import Synchronization

/// A folder with the logs of sessions, and their steps of the models of payments.
///
/// `NAME.jsonl` has the events, one JSON object a line; `NAME.ORDER.MODEL.trace` has the steps; see `ModelTrace`.
final class TraceFolder: Sendable {
    private struct Written {
        var sessions = 0
        var traces = 0
        /// How many sessions have no step of a model, and how many have more than a model can follow.
        var (withoutSteps, tooLong) = (0, 0)
        /// How many traces end early, for each reason.
        var cuts: [String: Int] = [:]
        /// The first file that could not be written.
        var failedFile: String?
    }

    private let path: String
    private let written = Mutex(Written())

    /// Creates the folder. It must not have traces of an earlier run, which would be validated as well.
    ///
    /// - Throws: `CommandFailure`
    init(_ path: String) throws(CommandFailure) {
        self.path = path
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        guard !names.contains(where: { $0.hasSuffix(".trace") }) else {
            throw CommandFailure(
                .usage, code: "folder_not_empty", message: "the folder '\(path)' has traces of an earlier run",
                fix: "remove it, or choose another folder")
        }
        do { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) } catch {
            throw CommandFailure(
                .unavailable, code: "output_failed", message: "cannot create the folder '\(path)'",
                fix: "choose a writable folder with --traces")
        }
    }

    /// Writes the files of a session, unless it has no step of a model, or more than a model can follow.
    func write(_ name: String, _ events: [TracedEvent]) {
        let traces = ModelTrace.traces(of: events)
        guard traces.contains(where: { !$0.steps.isEmpty }) else {
            return written.withLock { $0.withoutSteps += 1 }
        }
        guard traces.allSatisfy({ $0.steps.count <= ModelTrace.mostSteps }) else {
            return written.withLock { $0.tooLong += 1 }
        }
        let name = String(name.map { $0.isASCII && ($0.isLetter || $0.isNumber || "-_".contains($0)) ? $0 : "-" })
        write(TracedLog.text(of: events), to: "\(name).jsonl")
        for trace in traces { write(trace.text, to: "\(name).\(trace.name).\(trace.model.rawValue).trace") }
        written.withLock { written in
            written.sessions += 1
            written.traces += traces.count
            for reason in traces.compactMap(\.cut) { written.cuts[reason, default: 0] += 1 }
        }
    }

    private func write(_ text: String, to name: String) {
        guard !FileManager.default.createFile(atPath: "\(path)/\(name)", contents: Data(text.utf8)) else { return }
        written.withLock { $0.failedFile = $0.failedFile ?? name }
    }

    /// Returns a line about what was written.
    ///
    /// - Throws: `CommandFailure` when a file could not be written.
    func finish() throws(CommandFailure) -> String {
        let written = written.withLock { $0 }
        if let file = written.failedFile {
            throw CommandFailure(
                .unavailable, code: "output_failed", message: "cannot write '\(path)/\(file)'",
                fix: "make space, or choose another folder with --traces")
        }
        let cuts = written.cuts.sorted { $0.key < $1.key }.map { ", \($0.value) end early at \($0.key)" }
        let skipped = [
            (written.withoutSteps, "no step of a model"), (written.tooLong, "more steps than a model can follow"),
        ].filter { $0.0 > 0 }.map { "; \($0.0) without a log have \($0.1)" }
        return
            "\(written.traces) traces of \(written.sessions) sessions in \(path)\(cuts.joined())\(skipped.joined())\n"
    }
}

/// The events of a session in a file: one JSON object a line.
struct TracedLog {
    let path: String
    private(set) var events: [TracedEvent] = []
    /// The line of each event, from 1.
    private var lines: [Int] = []

    /// Returns the text of a log.
    static func text(of events: [TracedEvent]) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Words and integers can always be encoded.
        return events.compactMap { try? encoder.encode($0) }.map { String(decoding: $0, as: UTF8.self) + "\n" }.joined()
    }

    /// Reads a log.
    ///
    /// - Throws: `CommandFailure` with the first line that can't be read, or can't follow the one before it.
    init(reading path: String) throws(CommandFailure) {
        self.path = path
        guard let bytes = FileManager.default.contents(atPath: path) else {
            throw CommandFailure(.noInput, code: "log_missing", message: "cannot read the log '\(path)'")
        }
        var check = TraceLogCheck()
        for (index, line) in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated()
        where !line.allSatisfy({ $0 == UInt8(ascii: "\r") || $0 == UInt8(ascii: " ") }) {
            guard let event = try? JSONDecoder().decode(TracedEvent.self, from: line) else {
                throw Self.malformed("\(path):\(index + 1): not a traced event of a session")
            }
            do throws(TraceLogCheck.Failure) { try check.take(event) } catch {
                throw Self.malformed("\(path):\(index + 1): \(error.description.harmless)")
            }
            events.append(event)
            lines.append(index + 1)
        }
        guard !events.isEmpty else { throw Self.malformed("\(path): the log has no events") }
    }

    /// The line of an event, as `FILE:LINE`.
    func place(of number: Int) -> String {
        lines.indices.contains(number - 1) ? "\(path):\(lines[number - 1])" : path
    }

    private static func malformed(_ message: String) -> CommandFailure {
        CommandFailure(
            .badData, code: "malformed_log", message: message,
            fix: "write the log with: cardpresent simulate explore --traces FOLDER")
    }
}
