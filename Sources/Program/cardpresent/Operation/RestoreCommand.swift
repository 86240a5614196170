import ArgumentParser
import CardSecrets
import Determinism
import Storage

/// `restore`
struct RestoreCommand: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Put a backup of the records in place.",
        discussion: """
            EXAMPLES:
              cardpresent restore /backup/till.sqlite
              cardpresent restore --force /backup/till.sqlite

            The backup is checked first, and stays as it is. The restored database has a new identity, so that no \
            number is used twice; the next command that takes or refunds money stops once, because the backup may \
            lack payments. End every other 'cardpresent' first: a database that is in use is not replaced.
            """)

    /// The commands that follow a restore.
    private static let next = ["cardpresent payments recover", "cardpresent issuer reconcile"]

    @Argument(help: "Backup file.", completion: .file(extensions: ["sqlite"]))
    var file: String
    @Flag(help: "Replace the database. It is kept beside, under a name with the time.")
    var force = false
    @OptionGroup var data: DatabaseOptions
    @OptionGroup var output: OutputOptions

    func execute() async throws {
        let (path, file, force) = (try data.path(), file, force)
        let restored: DatabaseRestore
        do {
            restored = try await RecordsCopying.run { onProgress throws(BackupError) in
                try DatabaseRestore(
                    of: file, to: path, replacing: force, random: SystemRandomSource(), at: SystemTimeSource().now(),
                    onProgress: onProgress)
            }
        } catch var failure as CommandFailure where failure.code == CommandFailure.missingDatabase {
            // No command makes a backup but one.
            failure.message = CardNumberMask.masked("the backup '\(file)' does not exist")
            failure.fix = "check the name; 'cardpresent backup FILE' writes a backup"
            throw failure
        }
        let summary = restored.summary
        let json = JSONObject(
            ["database": path, "file": file, "formerIdentity": restored.formerIdentity, "next": Self.next],
            known: ["kept": restored.kept])
        try output.write(
            JSONObject(extending: summary.json, with: json),
            text: """
                restored \(summary.text) to \(path)
                \(restored.kept.map { "the database before is \($0)\n" } ?? "")\
                next: run '\(Self.next[0])', which asks the host about unfinished payments,
                      then '\(Self.next[1])', which lists the payments that the backup lacks
                      (of an ISO 8583 host, with --acquirer FILE; of several, also with --host NAME)

                """)
    }
}
