internal import Storage

/// The journal's database as one process has it: tells of what is committed, and fails as the disk does.
///
/// What the disk refuses was carried out in a transaction that is rolled back, so that nothing is half written, as with
/// a real one.
struct ProcessStorage: StorageManagerType {
    let storage: any StorageManagerType
    let disk: SessionDisk
    let life: ProcessLife

    var path: String? { storage.path }

    private var place: String { path ?? ":memory:" }

    func read<T>(_ query: (any StorageType) throws -> T) throws -> T {
        try checkReading()
        return try storage.read(query)
    }

    func performAndSave<T>(_ operation: (any StorageType) throws -> T) throws -> T {
        try checkReading()
        let notes = CommitNotes()
        let result = try storage.performAndSave { storage in
            let result = try operation(WatchedStorage(storage, notes))
            for note in notes.all where note.kind == .journal { life.note(.saving, note.detail) }
            // Dead before the commit: what was to be saved is not.
            guard life.isAlive else { throw Self.gone(place) }
            if let refusal = disk.refusal(path: place) {
                life.note(.diskRefused, disk.condition.word)
                throw refusal
            }
            return result
        }
        disk.flush()
        for note in notes.all { life.note(note.kind, note.detail) }
        return result
    }

    func observe<T: KeyedObject>(
        _ type: T.Type, onCommit: @escaping @Sendable (RowChanges, any StorageType) -> StorageNotice?
    ) -> StorageObservation {
        storage.observe(type, onCommit: onCommit)
    }

    func readBetweenCommits(_ query: (any StorageType) throws -> StorageNotice?) throws {
        try checkReading()
        try storage.readBetweenCommits(query)
    }

    private func checkReading() throws(StorageError) {
        guard life.isAlive else { throw Self.gone(place) }
        guard disk.condition != .failing else { throw Self.failure(place) }
    }

    /// SQLITE_IOERR
    private static func failure(_ path: String) -> StorageError {
        .failed(path: path, code: 10, message: "disk I/O error")
    }

    private static func gone(_ path: String) -> StorageError {
        .failed(path: path, code: 4, message: "the process is gone")
    }
}
