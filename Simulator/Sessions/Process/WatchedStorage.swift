internal import Storage

/// What a transaction is about to change, as far as a session's log tells of it.
final class CommitNotes {
    private(set) var all: [(kind: SessionEventKind, detail: String)] = []

    func add(_ kind: SessionEventKind, _ detail: String) { all.append((kind, detail)) }
}

/// The records of a database, as one transaction sees them, with notes of what it writes.
struct WatchedStorage: StorageType {
    private let storage: any StorageType
    private let notes: CommitNotes

    init(_ storage: any StorageType, _ notes: CommitNotes) { (self.storage, self.notes) = (storage, notes) }

    func allObjects<T: Object>(
        ofType type: T.Type, matching predicate: StoragePredicate?, sortedBy order: String, limit: Int?
    ) throws -> [T] {
        try storage.allObjects(ofType: type, matching: predicate, sortedBy: order, limit: limit)
    }

    func loadObject<T: IdentifiedObject>(ofType type: T.Type, with objectID: T.ObjectID) throws -> T? {
        try storage.loadObject(ofType: type, with: objectID)
    }

    func insertNewObject<T: Object>(_ object: T) throws -> T {
        let stored = try storage.insertNewObject(object)
        note(stored)
        return stored
    }

    func updateObject<T: IdentifiedObject>(_ object: T) throws {
        try storage.updateObject(object)
        note(object)
    }

    func deleteObjects<T: ForgettableObject>(ofType type: T.Type, matching predicate: StoragePredicate) throws -> Int {
        try storage.deleteObjects(ofType: type, matching: predicate)
    }

    func countObjects<T: Object>(ofType type: T.Type, matching predicate: StoragePredicate) throws -> Int {
        try storage.countObjects(ofType: type, matching: predicate)
    }

    func saveObjects<T: KeyedObject>(_ objects: [T]) throws -> Int { try storage.saveObjects(objects) }

    func rowIDs<T: KeyedObject>(
        ofType type: T.Type, matching predicate: StoragePredicate, sortedBy order: [StorageSortDescriptor], limit: Int?
    ) throws -> [Int64] {
        try storage.rowIDs(ofType: type, matching: predicate, sortedBy: order, limit: limit)
    }

    func objects<T: KeyedObject>(
        ofType type: T.Type, matching predicate: StoragePredicate, sortedBy order: [StorageSortDescriptor], limit: Int?,
        withChildren: Bool
    ) throws -> [T] {
        try storage.objects(
            ofType: type, matching: predicate, sortedBy: order, limit: limit, withChildren: withChildren)
    }

    func rows<T: KeyedObject>(
        ofType type: T.Type, matching predicate: StoragePredicate, sortedBy order: [StorageSortDescriptor], limit: Int?,
        among rows: Set<Int64>?
    ) throws -> [StoredRow<T>] {
        try storage.rows(ofType: type, matching: predicate, sortedBy: order, limit: limit, among: rows)
    }

    func noteReset() throws { try storage.noteReset() }

    func objects<T: KeyedObject>(ofType type: T.Type, rowIDs: [Int64]) throws -> [Int64: T] {
        try storage.objects(ofType: type, rowIDs: rowIDs)
    }

    private func note<T: Object>(_ object: T) {
        switch object {
        case let line as AttemptTransition: notes.add(.journal, "\(line.state.rawValue) \(line.attemptID)")
        case let capture as SiteCapture: notes.add(.capture, "\(capture.state.rawValue) \(capture.id)")
        case let receipt as Receipt: notes.add(.receipt, "\(receipt.kind.rawValue) \(receipt.paymentID)")
        case let job as PrintJob: notes.add(.printJob, "\(job.state.rawValue) \(job.id)")
        default: break
        }
    }
}
