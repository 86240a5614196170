internal import Determinism
internal import Storage
internal import Synchronization

/// Databases in memory that sessions have done with, for the next ones: to make one takes longer than a session.
enum SessionDatabases {
    private static let idle = Mutex<[SQLiteStorageManager]>([])

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
}
