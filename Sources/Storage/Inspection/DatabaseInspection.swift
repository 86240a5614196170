internal import GRDB
internal import Glibc

/// What can be said of a database without using it: no record is read or changed, and a file that is not there is not
/// made.
public struct DatabaseInspection: Hashable, Sendable {
    public var path: String
    /// The number of its schema; nil when there is no database yet.
    public var schema: Int?
    /// The newest schema that this program knows.
    public var newestSchema: Int
    /// What this user may still write on its file system.
    public var freeBytes: UInt64

    public init(path: String, schema: Int?, newestSchema: Int, freeBytes: UInt64) {
        (self.path, self.schema, self.newestSchema, self.freeBytes) = (path, schema, newestSchema, freeBytes)
    }

    /// Makes sure that records can be written at `path`.
    ///
    /// - Parameter path: the database file.
    /// - Throws: ``StorageError``: what using the database would throw.
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

    /// Asks for the write lock, which says whether anybody could write, and gives it back.
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

    /// The folder that the file is in or would be made in: the nearest that is there. Errors are about the one that the
    /// file is in.
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
