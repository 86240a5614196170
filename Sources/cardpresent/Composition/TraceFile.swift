internal import Foundation
internal import SmartCard

/// A file of exchanges with a card, a JSON object a line.
final class TraceFile: Sendable {
    private let handle: FileHandle

    /// - Throws: `CommandFailure` when the file cannot be written.
    init(path: String) throws(CommandFailure) {
        // Masked or not, a trace is nobody else's business.
        let created = FileManager.default.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o600])
        guard created, let handle = FileHandle(forWritingAtPath: path) else {
            throw CommandFailure(
                .unavailable, code: "trace_not_writable", message: "cannot write the trace file '\(path)'",
                fix: "give a path in a folder that you may write to")
        }
        self.handle = handle
    }

    func write(_ entry: TraceEntry) {
        // A trace that cannot be written must not stop a payment.
        try? handle.write(contentsOf: Data((entry.jsonLine + "\n").utf8))
    }
}
