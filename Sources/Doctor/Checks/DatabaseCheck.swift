public import Storage

/// The file that the records are kept in.
public struct DatabaseCheck: Check {
    private let inspect: @Sendable () throws(StorageError) -> DatabaseInspection
    /// Why there is no file to look at.
    private let fault: String?

    /// With less room than this, nothing more can be recorded soon.
    private static let leastRoom: UInt64 = 16 << 20
    /// With less room than this somebody should know.
    private static let littleRoom: UInt64 = 256 << 20

    /// - Parameter inspect: looks at the file.
    public init(inspect: @escaping @Sendable () throws(StorageError) -> DatabaseInspection) {
        (self.inspect, fault) = (inspect, nil)
    }

    /// - Parameter fault: why it is not known which file it would be.
    public init(fault: String) {
        self.fault = fault
        inspect = { () throws(StorageError) in throw .notWritable(path: "", reason: fault) }
    }

    public var name: CheckName { .database }

    public func findings() async -> [Finding] {
        if let fault {
            return [
                .problem(
                    .machine, fault, cause: "no payment can be taken without a record", fix: "give --database FILE")
            ]
        }
        let seen: DatabaseInspection
        do throws(StorageError) {
            seen = try inspect()
        } catch {
            return [Self.finding(error)]
        }
        let room = "\(seen.freeBytes >> 20) MiB are free"
        guard seen.freeBytes >= Self.leastRoom else {
            return [
                .problem(
                    .machine, about: seen.path, "\(room) on its file system",
                    cause: "payments cannot be recorded much longer",
                    fix: "df \(Self.quoted(seen.path)): delete or move what is not needed there")
            ]
        }
        guard seen.freeBytes >= Self.littleRoom else {
            return [
                .warning(
                    about: seen.path, "\(room) on its file system",
                    fix: "df \(Self.quoted(seen.path)): delete or move what is not needed there")
            ]
        }
        let state =
            seen.schema.map {
                "schema \($0)\($0 < seen.newestSchema ? ", brought up to date when it is next used" : "")"
            }
            ?? "made when it is first used"
        return [.ok(about: seen.path, "can be written (\(state)), \(room)")]
    }

    private static func finding(_ error: StorageError) -> Finding {
        switch error {
        case .notWritable(let path, let reason):
            .problem(
                .machine, about: path, "cannot be written: \(reason)",
                cause: "no payment can be taken without a record",
                fix: "\(ownership(of: path)), mount the file system for writing, or give --database FILE")
        case .diskFull(let path):
            .problem(
                .machine, about: path, "no room is left on its file system",
                fix: "df \(quoted(path)): delete or move what is not needed there")
        case .newerSchema(let path, let found, let supported):
            .problem(
                .data, about: path, "has schema \(found), and this program knows schemas up to \(supported)",
                cause: "a newer version of the program has used it", fix: "use that version, or give --database FILE")
        case .corrupt(let path, let detail):
            .problem(
                .data, about: path, "is damaged: \(detail)",
                fix: "keep the file with its -wal file, and restore a backup")
        case .busy(let path):
            .problem(
                .busy, about: path, "is locked by another program", cause: "a payment or a backup is under way",
                fix: "fuser -v \(quoted(path))")
        case .notADatabase(let path):
            .problem(.data, about: path, "is not a database", fix: "move it away, or give --database FILE")
        case .foreignDatabase(let path):
            .problem(.data, about: path, "belongs to another program", fix: "give --database FILE")
        case .ruleBroken(let path, let rule):
            .problem(.data, about: path, "refused a row: \(rule)", fix: "keep the file, and report the fault")
        case .failed(let path, let code, let message):
            .problem(.machine, about: path, "failed: \(message) (SQLite result \(code))", fix: "sudo dmesg | tail")
        }
    }

    /// What makes the user the owner: of a folder that may have to be made first, or of a file.
    private static func ownership(of path: String) -> String {
        SystemFiles().status(path)?.isDirectory ?? true
            ? "sudo install -d -o \"$USER\" \(quoted(path))" : "sudo chown \"$USER\" \(quoted(path))"
    }

    /// A path as one word of a shell's command.
    private static func quoted(_ path: String) -> String {
        "'" + path.replacing("'", with: "'\\''") + "'"
    }
}
