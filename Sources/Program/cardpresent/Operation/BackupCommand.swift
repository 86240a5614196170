import ArgumentParser
import Foundation
import Storage

/// `backup`
struct BackupCommand: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Copy the records to a file while they are in use.",
        discussion: """
            EXAMPLES:
              cardpresent backup /backup/till.sqlite
              cardpresent backup --force /backup/till.sqlite

            The backup is one file with all payments and receipts of one moment, readable only by its owner. It gets \
            its name when it is complete and checked; until then an existing file stays as it is. Sign-in data and the \
            ledger of the simulated issuer are not in it.
            """)

    @Argument(help: "Backup file.", completion: .file(extensions: ["sqlite"]))
    var file: String
    @Flag(help: "Replace an existing file.")
    var force = false
    @OptionGroup var data: DatabaseOptions
    @OptionGroup var output: OutputOptions

    func execute() async throws {
        let (path, file, force) = (try data.path(), file, force)
        try checkFolder()
        let summary = try await RecordsCopying.run { onProgress throws(BackupError) in
            try DatabaseBackup.make(of: path, at: file, replacing: force, onProgress: onProgress)
        }
        try output.write(
            JSONObject(extending: summary.json, with: ["database": path, "file": file]),
            text: "backed up \(summary.text) to \(file)\n")
    }

    /// Refuses to make a folder: it may be that of a disk that is not mounted.
    private func checkFolder() throws(CommandFailure) {
        let folder = URL(fileURLWithPath: file).deletingLastPathComponent().path
        guard !FileManager.default.fileExists(atPath: folder) else { return }
        throw CommandFailure(
            .configuration, code: "no_directory", message: "there is no folder '\(folder)'",
            fix: "create it, or mount the disk that it is on")
    }
}

/// Copies records for `backup` and `restore`: with progress, until Ctrl-C.
enum RecordsCopying {
    /// - Throws: `CommandFailure`
    static func run<Value: Sendable>(
        _ work: ((_ done: Int, _ total: Int) -> Bool) throws(BackupError) -> Value
    ) async throws -> Value {
        let (cancellation, progress) = (Cancellation(), ProgressLine())
        return try await CancellationSignals.watching {
            defer { progress.clear() }
            do throws(BackupError) {
                return try work { done, total in
                    if total > 0 { progress.showBar(done, of: total, "pages") }
                    return !cancellation.isRequested
                }
            } catch {
                throw CommandFailure(error)
            }
        } onSignal: {
            await cancellation.request()
        }
    }
}

extension DatabaseSummary {
    /// The contents of the file, as JSON.
    var json: JSONObject {
        [
            "bytes": bytes, "schema": schema, "identity": identity, "payments": payments,
            "attempts": attempts, "openAttempts": openAttempts,
        ]
    }

    /// The contents of the file, in a few words.
    var text: String {
        let size = bytes < 10 << 20 ? "\((bytes + 1023) >> 10) KiB" : "\(bytes >> 20) MiB"
        return "\(payments) \(payments == 1 ? "payment" : "payments") (\(openAttempts) unfinished, \(size))"
    }
}

extension CommandFailure {
    init(_ error: BackupError) {
        let text = error.description
        switch error {
        case .exists:
            self.init(
                .usage, code: "file_exists", message: text, fix: "choose another path, or use --force to replace it")
        case .isTheDatabase:
            self.init(.usage, code: "same_file", message: text, fix: "choose another path")
        case .notARegularFile:
            self.init(.usage, code: "not_a_file", message: text, fix: "choose another path")
        case .inUse:
            self.init(
                .tryAgain, code: "database_in_use", message: text,
                fix: "end every 'cardpresent' that uses it, then run the command again; nothing was changed")
        case .damaged:
            self.init(
                .badData, code: "backup_damaged", message: text,
                fix: "use another backup; for a damaged database, keep its files and restore the newest backup")
        case .stopped: self.init(.canceled, code: "cancelled", message: "stopped: nothing was changed")
        case .system:
            self.init(
                .unavailable, code: "output_failed", message: text, fix: "check the permissions and the free space")
        case .storage(let error): self.init(error)
        }
    }
}
