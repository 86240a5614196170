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

    /// Writes the files of a session, unless it has no step of a model.
    func write(_ name: String, _ events: [TracedEvent]) {
        let traces = ModelTrace.traces(of: events)
        guard !traces.isEmpty else { return }
        let name = String(name.map { $0.isASCII && ($0.isLetter || $0.isNumber || "-_".contains($0)) ? $0 : "-" })
        write(TracedEvents.text(of: events), to: "\(name).jsonl")
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
        return "\(written.traces) traces of \(written.sessions) sessions in \(path)\(cuts.joined())\n"
    }
}

/// The text of a log of traced events.
enum TracedEvents {
    /// Returns one JSON object a line.
    static func text(of events: [TracedEvent]) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Words and integers can always be encoded.
        return events.compactMap { try? encoder.encode($0) }.map { String(decoding: $0, as: UTF8.self) + "\n" }.joined()
    }

    /// Reads the events of a log.
    ///
    /// - Throws: `CommandFailure` with the line of the first one that can't be read.
    static func read(_ path: String) throws(CommandFailure) -> [TracedEvent] {
        guard let bytes = FileManager.default.contents(atPath: path) else {
            throw CommandFailure(.noInput, code: "log_missing", message: "cannot read the log '\(path)'")
        }
        var events: [TracedEvent] = []
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() where !line.isEmpty {
            do { events.append(try JSONDecoder().decode(TracedEvent.self, from: Data(line.utf8))) } catch {
                throw CommandFailure(
                    .badData, code: "malformed_log", message: "\(path):\(index + 1): not a traced event of a session",
                    fix: "write the log with: cardpresent simulate explore --traces FOLDER")
            }
        }
        guard !events.isEmpty else {
            throw CommandFailure(
                .badData, code: "malformed_log", message: "\(path): the log has no events",
                fix: "write the log with: cardpresent simulate explore --traces FOLDER")
        }
        return events
    }
}
