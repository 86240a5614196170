internal import Determinism
internal import Storage
internal import Synchronization

/// Databases for sessions. To have the migrator make one takes longer than a session: those in memory are used again, and
/// those in files are copies of one.
enum SessionDatabases {
    private static let idle = Mutex<[SQLiteStorageManager]>([])
    private static let template = Result { () throws(StorageError) in try DatabaseTemplate() }

    /// An empty database with an identity drawn from `random`.
    static func take(random: any RandomSource) throws(StorageError) -> SQLiteStorageManager {
        guard let database = idle.withLock({ $0.popLast() }) else {
            return try SQLiteStorageManager(rewindableWith: random)
        }
        try database.rewind(random: random)
        return database
    }

    /// Nobody uses the database any more.
    static func give(back database: SQLiteStorageManager) { idle.withLock { $0.append(database) } }

    /// Makes an empty database in a file, with an identity drawn from `random`, where there is none yet.
    ///
    /// - Returns: `path`.
    static func make(at path: String, random: any RandomSource) throws(StorageError) -> String {
        try template.get().copy(to: path, random: random)
        return path
    }

    /// Makes one in a file that is used again.
    static func reusable(at path: String, random: any RandomSource) throws(StorageError) -> ReusableDatabase {
        try ReusableDatabase(path: path, template: template.get(), random: random)
    }
}
