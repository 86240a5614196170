import Money
import Payments
import Simulator
import Storage

/// The journal's database as one process sees it. Logs commits, and fails when the simulated disk fails.
///
/// A commit that the disk rejects is rolled back, so nothing is half written.
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
        let notes = CommitNotes(isTraced: life.isTraced)
        let result = try storage.performAndSave { storage in
            let result = try operation(WatchedStorage(storage, notes))
            for note in notes.all where note.kind == .journal { life.note(.saving, note.detail) }
            // The process died before the commit, so nothing is saved.
            guard life.isAlive else { throw Self.gone(place) }
            if let refusal = disk.refusal(path: place) {
                for event in notes.traced {
                    guard let kind = event.kind.whenRefused else { continue }
                    var event = event
                    event.kind = kind
                    life.trace(event)
                }
                life.note(.diskRefused, disk.condition.word)
                throw refusal
            }
            return result
        }
        disk.flush()
        // All of it is there now, even if the process dies at the first event.
        for event in notes.traced { life.trace(event) }
        for note in notes.all {
            if note.kind == .journal { life.noteCommit(note.detail) }
            life.note(note.kind, note.detail)
        }
        return result
    }

    func observe<T: ObservableObject>(
        _ type: T.Type, onCommit: @escaping @Sendable (RowChanges, any StorageType) -> StorageNotification?
    ) -> StorageObservation {
        storage.observe(type, onCommit: onCommit)
    }

    func readBetweenCommits(_ query: (any StorageType) throws -> StorageNotification?) throws {
        try checkReading()
        try storage.readBetweenCommits(query)
    }

    func externalVersion() throws(StorageError) -> Int64 { try storage.externalVersion() }

    private func checkReading() throws(StorageError) {
        guard life.isAlive else { throw Self.gone(place) }
        guard disk.condition != .failing else {
            life.trace(TracedEvent(.unreadable))
            throw Self.failure(place)
        }
    }

    /// SQLITE_IOERR
    private static func failure(_ path: String) -> StorageError {
        .failed(path: path, code: 10, message: "disk I/O error")
    }

    private static func gone(_ path: String) -> StorageError {
        .failed(path: path, code: 4, message: "the process is gone")
    }
}

/// The changes of a transaction that the session's log records.
final class CommitNotes {
    private(set) var all: [(kind: SessionEventKind, detail: String)] = []
    /// What the models need of it; empty when the session is not traced.
    private(set) var traced: [TracedEvent] = []
    private let isTraced: Bool

    init(isTraced: Bool) { self.isTraced = isTraced }

    func trace(_ event: @autoclosure () -> TracedEvent) {
        if isTraced { traced.append(event()) }
    }

    func add(_ kind: SessionEventKind, _ detail: String) { all.append((kind, detail)) }
}

/// The records of a database as one transaction sees them. Collects notes of what it writes.
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

    func deleteObjects<T: DeletableObject>(ofType type: T.Type, matching predicate: StoragePredicate) throws -> Int {
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

    func rows<T: ObservableObject>(
        ofType type: T.Type, matching predicate: StoragePredicate, sortedBy order: [StorageSortDescriptor], limit: Int?,
        among rows: Set<Int64>?
    ) throws -> [StoredRow<T>] {
        try storage.rows(ofType: type, matching: predicate, sortedBy: order, limit: limit, among: rows)
    }

    func markReset() throws { try storage.markReset() }

    func objects<T: KeyedObject>(ofType type: T.Type, rowIDs: [Int64]) throws -> [Int64: T] {
        try storage.objects(ofType: type, rowIDs: rowIDs)
    }

    private func note<T: Object>(_ object: T) {
        switch object {
        case let payment as Payment:
            notes.trace(
                TracedEvent(
                    .payment, payment: payment.id.rawValue, order: payment.orderID, amount: payment.amount.minorUnits))
        case let attempt as PaymentAttempt:
            notes.trace(
                TracedEvent(
                    .attempt, attempt.kind.rawValue, attempt: attempt.id, payment: attempt.paymentID.rawValue,
                    amount: attempt.amount.minorUnits, lease: attempt.lease))
        case let line as AttemptTransition:
            notes.add(.journal, "\(line.state.rawValue) \(line.attemptID)")
            notes.trace(TracedEvent(.journal, line.state.rawValue, attempt: line.attemptID))
        case let capture as OrderPaymentNotification:
            notes.add(.capture, "\(capture.state.rawValue) \(capture.id)")
            notes.trace(
                TracedEvent(
                    .capture, "\(capture.state.rawValue) \(capture.gateway)", payment: capture.id.rawValue,
                    lease: capture.lease))
        case let receipt as Receipt: notes.add(.receipt, "\(receipt.kind.rawValue) \(receipt.paymentID)")
        case let print as ReceiptPrint: notes.add(.printJob, "\(print.state.rawValue) \(print.id)")
        default: break
        }
    }
}

extension TracedEvent.Kind {
    /// The kind of a commit that the disk refuses; nil for what is in a commit beside a step.
    fileprivate var whenRefused: TracedEvent.Kind? {
        switch self {
        case .journal: .journalRefused
        case .capture: .captureRefused
        case .start, .crash, .till, .payment, .attempt, .journalRefused, .captureRefused, .unreadable, .host, .book,
            .site:
            nil
        }
    }
}
