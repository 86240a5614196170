public import Storage

/// Checks the database file.
public struct DatabaseCheck: Check {
    private let inspect: @Sendable () throws(StorageError) -> DatabaseInspection
    /// Why the database path is unknown.
    private let fault: String?

    /// Less free space than this is a problem, in bytes.
    private static let leastRoom: UInt64 = 16 << 20
    /// Less free space than this is a warning, in bytes.
    private static let littleRoom: UInt64 = 256 << 20

    /// - Parameter inspect: Inspects the file.
    public init(inspect: @escaping @Sendable () throws(StorageError) -> DatabaseInspection) {
        (self.inspect, fault) = (inspect, nil)
    }

    /// - Parameter fault: Why the database path is unknown.
    public init(fault: String) {
        self.fault = fault
        inspect = { () throws(StorageError) in throw .notWritable(path: "", reason: fault) }
    }

    public var name: CheckName { .database }

    public func findings() async -> [Finding] {
        if let fault {
            return [
                .problem(
                    .machine, fault, cause: "payments require a database", fix: "give --database FILE")
            ]
        }
        let seen: DatabaseInspection
        do throws(StorageError) {
            seen = try inspect()
        } catch {
            return [Self.finding(error)]
        }
        let room = "\(seen.freeBytes >> 20) MiB free"
        guard seen.freeBytes >= Self.leastRoom else {
            return [
                .problem(
                    .machine, about: seen.path, "\(room) on its file system",
                    cause: "payments will soon fail",
                    fix: "df \(Self.quoted(seen.path)), then delete or move files")
            ]
        }
        guard seen.freeBytes >= Self.littleRoom else {
            return [
                .warning(
                    about: seen.path, "\(room) on its file system",
                    fix: "df \(Self.quoted(seen.path)), then delete or move files")
            ]
        }
        let state =
            seen.schema.map {
                "schema \($0)\($0 < seen.newestSchema ? ", migrated on next use" : "")"
            }
            ?? "created on first use"
        return [.ok(about: seen.path, "is writable (\(state)), \(room)")]
    }

    private static func finding(_ error: StorageError) -> Finding {
        switch error {
        case .notWritable(let path, let reason):
            .problem(
                .machine, about: path, "cannot be written: \(reason)",
                cause: "payments require a database",
                fix: "\(ownership(of: path)), mount the file system read-write, or give --database FILE")
        case .missing(let path):
            .problem(.machine, about: path, "does not exist", fix: "give --database FILE")
        case .notReadable(let path, let reason):
            .problem(
                .machine, about: path, "cannot be read: \(reason)",
                fix: "\(ownership(of: path)), or give --database FILE")
        case .diskFull(let path):
            .problem(
                .machine, about: path, "the file system is full",
                fix: "df \(quoted(path)), then delete or move files")
        case .newerSchema(let path, let found, let supported):
            .problem(
                .data, about: path, "has schema \(found), but this program supports schemas up to \(supported)",
                cause: "a newer version of the program wrote it", fix: "use that version, or give --database FILE")
        case .corrupt(let path, let detail):
            .problem(
                .data, about: path, "is damaged: \(detail)",
                fix: "keep the file and its -wal file, and restore a backup")
        case .busy(let path):
            .problem(
                .busy, about: path, "is locked by another program", cause: "a payment or backup is running",
                fix: "fuser -v \(quoted(path))")
        case .notADatabase(let path):
            .problem(.data, about: path, "is not a database", fix: "move it away, or give --database FILE")
        case .foreignDatabase(let path):
            .problem(.data, about: path, "belongs to another program", fix: "give --database FILE")
        case .ruleBroken(let path, let rule):
            .problem(.data, about: path, "rejected a row: \(rule)", fix: "keep the file, and report the error")
        case .failed(let path, let code, let message):
            .problem(.machine, about: path, "failed: \(message) (SQLite result \(code))", fix: "sudo dmesg | tail")
        }
    }

    /// Returns the command that creates a folder for the user, or makes the user the owner of a file.
    private static func ownership(of path: String) -> String {
        SystemFiles().status(path)?.isDirectory ?? true
            ? "sudo install -d -o \"$USER\" \(quoted(path))" : "sudo chown \"$USER\" \(quoted(path))"
    }

    /// Quotes a path for the shell.
    private static func quoted(_ path: String) -> String {
        "'" + path.replacing("'", with: "'\\''") + "'"
    }
}
