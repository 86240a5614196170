import GRDB
import GRDBSQLite
import Glibc

/// A database that is read without writing anything beside it.
///
/// SQLite reads a database with a write-ahead log only if the files `-wal` and `-shm` exist or can be created
/// (sqlite.org/wal.html#read_only_databases). On a read-only disk, a till that ended regularly has left neither. Such a
/// file is complete, and is read into memory.
enum ReadOnlyDatabase {
    /// Opens the database.
    ///
    /// - Parameters:
    ///   - path: the path of the database file.
    ///   - configuration: the configuration of a connection.
    ///   - isOfAnySchema: whether an older schema will do.
    /// - Returns: The open database.
    /// - Throws: ``StorageError``
    static func open(
        _ path: String, _ configuration: Configuration, ofAnySchema isOfAnySchema: Bool = false
    ) throws(StorageError) -> any DatabaseWriter {
        guard DatabaseFile.exists(at: path) else { throw .missing(path: path) }
        guard !DatabaseFile.isFolder(path) else { throw .notWritable(path: path, reason: "it is a folder") }
        var configuration = configuration
        configuration.readonly = true
        do throws(StorageError) {
            return try checked(path, isOfAnySchema) { try DatabaseQueue(path: path, configuration: configuration) }
        } catch .notWritable {
            // SQLite reports what it could not create.
            guard size(of: path + "-wal") == 0 else {
                throw .notReadable(
                    path: path,
                    reason: "its last changes are in its -wal file, which can't be read on a read-only disk")
            }
            return try checked(path, isOfAnySchema) {
                try DatabaseQueue(configuration: configuration)
            } reading: { database in
                try load(path, into: database)
            }
        }
    }

    /// Opens the database for a short look, also on a disk that can be written: SQLite would create the files beside it
    /// that a regular end has deleted.
    ///
    /// - Parameters:
    ///   - path: the path of the database file.
    ///   - configuration: the configuration of a connection.
    /// - Returns: The open database.
    /// - Throws: ``StorageError``; ``StorageError/notReadable(path:reason:)`` when it can't be read without creating a
    ///   file.
    static func openCreatingNothing(
        _ path: String, _ configuration: Configuration
    ) throws(StorageError) -> any DatabaseWriter {
        guard DatabaseFile.exists(at: path) else { throw .missing(path: path) }
        guard !DatabaseFile.isFolder(path) else { throw .notADatabase(path: path) }
        var configuration = configuration
        configuration.readonly = true
        let isInUse = DatabaseFile.exists(at: path + "-wal") && DatabaseFile.exists(at: path + "-shm")
        guard !isInUse else { return try checked(path) { try DatabaseQueue(path: path, configuration: configuration) } }
        guard size(of: path + "-wal") == 0 else {
            throw .notReadable(path: path, reason: "its last changes are in its -wal file")
        }
        guard size(of: path) <= largestImage else {
            throw .notReadable(path: path, reason: "it is too large for a short look")
        }
        return try checked(path) {
            try DatabaseQueue(configuration: configuration)
        } reading: { database in
            try load(path, into: database)
        }
    }

    /// The largest database that is read into memory for a short look, in bytes.
    private static let largestImage = 256 << 20

    /// Opens a connection and checks that it can be used: the first query opens the file.
    private static func checked(
        _ path: String, _ isOfAnySchema: Bool = false, open: () throws -> DatabaseQueue,
        reading load: (Database) throws -> Void = { _ in }
    ) throws(StorageError) -> DatabaseQueue {
        do {
            let queue = try open()
            try queue.inDatabase { database in
                try load(database)
                try SchemaMigrator.current.checkOwnership(of: database, path: path)
                let (found, newest) = (try SchemaMigrator.version(of: database), SchemaMigrator.current.steps.count)
                guard found == newest || isOfAnySchema else {
                    throw StorageError.notReadable(
                        path: path, reason: "it has schema \(found) and must be migrated to schema \(newest) first")
                }
            }
            return queue
        } catch {
            throw StorageError(error, path: path)
        }
    }

    /// Replaces the content of a connection by the file's, unchangeable. It must be the first use of the connection:
    /// SQLite keeps pointers to the schema that is replaced.
    private static func load(_ path: String, into database: Database) throws {
        var image = try contents(of: path)
        image.replaceSubrange(DatabaseTemplate.formatVersions, with: DatabaseTemplate.rollbackJournal)
        guard let memory = sqlite3_malloc64(sqlite3_uint64(image.count)) else {
            throw DatabaseError(resultCode: .SQLITE_NOMEM)
        }
        image.withUnsafeBytes {
            memory.copyMemory(from: $0.baseAddress ?? UnsafeRawPointer(memory), byteCount: $0.count)
        }
        let size = sqlite3_int64(image.count)
        let code = sqlite3_deserialize(
            database.sqliteConnection, "main", memory.assumingMemoryBound(to: UInt8.self), size, size,
            CUnsignedInt(SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_READONLY))
        guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
    }

    private static func contents(of path: String) throws(StorageError) -> [UInt8] {
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .notReadable(path: path, reason: String(cString: strerror(errno))) }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .notReadable(path: path, reason: String(cString: strerror(errno))) }
            guard count > 0 else { break }
            bytes += buffer.prefix(count)
        }
        guard bytes.count >= DatabaseTemplate.formatVersions.upperBound else { throw .notADatabase(path: path) }
        return bytes
    }

    /// Returns the size of a file in bytes; 0 when it does not exist.
    private static func size(of path: String) -> Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : 0
    }
}
