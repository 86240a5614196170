import GRDB
import Glibc
public import Payments

/// Facts about a database file. Inspecting it reads and changes no record and does not create a missing file.
public struct DatabaseInspection: Hashable, Sendable {
    public var path: String
    /// The schema number; nil when the file does not exist.
    public var schema: Int?
    /// The newest schema that this program supports.
    public var newestSchema: Int
    /// The free space for this user on its file system, in bytes.
    public var freeBytes: UInt64

    /// Takes the facts about a file. `schema` is nil when the file does not exist; `freeBytes` is that of its file
    /// system.
    public init(path: String, schema: Int?, newestSchema: Int, freeBytes: UInt64) {
        (self.path, self.schema, self.newestSchema, self.freeBytes) = (path, schema, newestSchema, freeBytes)
    }

    /// Checks that records can be written at `path`.
    ///
    /// - Parameter path: the path of the database file.
    /// - Throws: ``StorageError``, as opening the database would.
    public init(of path: String) throws(StorageError) {
        let newest = SchemaMigrator.current.steps.count
        var status = stat()
        guard stat(path, &status) == 0 else {
            let folder = try Self.folder(above: path)
            self.init(path: path, schema: nil, newestSchema: newest, freeBytes: Self.room(in: folder))
            return
        }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .notADatabase(path: path) }
        guard access(path, R_OK | W_OK) == 0 else { throw Self.notWritable(path) }
        _ = try Self.folder(above: path)
        self.init(
            path: path, schema: try Self.schema(of: path), newestSchema: newest, freeBytes: Self.room(in: path))
    }

    /// Takes and releases the write lock, which proves that writing is possible.
    private static func schema(of path: String) throws(StorageError) -> Int {
        do {
            var configuration = Configuration()
            configuration.busyMode = .timeout(1)
            configuration.prepareDatabase { database in
                try SchemaMigrator.current.checkOwnership(of: database, path: path)
            }
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            defer { try? queue.close() }
            return try queue.inDatabase { database in
                try database.execute(sql: "BEGIN IMMEDIATE; ROLLBACK")
                return try SchemaMigrator.version(of: database)
            }
        } catch {
            throw StorageError(error, path: path)
        }
    }

    /// Returns the nearest existing folder above the file. Errors name the folder of the file itself.
    private static func folder(above path: String) throws(StorageError) -> String {
        var folder = path
        let own = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        repeat {
            let end = folder.lastIndex(of: "/")
            folder = end.map { $0 == folder.startIndex ? "/" : String(folder[..<$0]) } ?? "."
            var status = stat()
            guard stat(folder, &status) == 0 else { continue }
            guard status.st_mode & S_IFMT == S_IFDIR else {
                throw .notWritable(path: own, reason: String(cString: strerror(ENOTDIR)))
            }
            guard access(folder, W_OK | X_OK) == 0 else { throw notWritable(own) }
            return folder
        } while folder != "/" && folder != "."
        throw .notWritable(path: own, reason: String(cString: strerror(ENOENT)))
    }

    private static func room(in place: String) -> UInt64 {
        var status = statvfs()
        guard statvfs(place, &status) == 0 else { return .max }
        let (bytes, isTooMany) = UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize))
        return isTooMany ? .max : bytes
    }

    private static func notWritable(_ path: String) -> StorageError {
        .notWritable(path: path, reason: String(cString: strerror(errno)))
    }
}

/// Lists recent payments for shell completion. It writes nothing, does not migrate the database and does not wait for
/// other processes.
public enum RecentPayments {
    /// How long to wait for another process, in seconds.
    private static let busyTimeout = 0.2

    /// - Parameters:
    ///   - path: the path of the database file.
    ///   - limit: the maximum number of payments.
    /// - Returns: The IDs of payments, newest first.
    /// - Throws: ``StorageError`` when the file is missing, belongs to another program or cannot be read.
    public static func ids(in path: String, limit: Int) throws(StorageError) -> [PaymentID] {
        do {
            var configuration = Configuration()
            configuration.readonly = true
            configuration.busyMode = .timeout(busyTimeout)
            configuration.prepareDatabase { database in
                try SchemaMigrator.current.checkOwnership(of: database, path: path)
            }
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            defer { try? queue.close() }
            return try queue.read { database in
                try PaymentID.fetchAll(
                    database, sql: "SELECT id FROM payment ORDER BY id DESC LIMIT ?", arguments: [max(0, limit)])
            }
        } catch {
            throw StorageError(error, path: path)
        }
    }
}
