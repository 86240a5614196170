public import Determinism
public import GRDB
import Payments

/// An identity that the database had before, and why it took another one.
///
/// The identity is the beginning of the idempotency keys. A database that is restored from a backup would use numbers
/// again that the payment host knows already. The till therefore asks the host at every opening, and takes another
/// identity when the host knows later numbers, or does not say.
public struct FormerIdentity: IdentifiedObject {
    /// The state of the numbers of the identity.
    public enum State: String, Hashable, Sendable, Codable, CaseIterable, DatabaseValueConvertible {
        /// The host did not answer, so the identity is not used any more.
        case unconfirmed
        /// The host has answered since: it knows no later number.
        case confirmed
        /// The host knows later numbers: the database was restored from a backup.
        case restored
    }

    public static let databaseTableName = "formerIdentity"
    public static let columnNames = [
        "id", "databaseID", "successor", "hostName", "state", "lastNumber", "hostNumber", "skipped", "at",
    ]
    public static let statements = RecordStatements(table: databaseTableName, columns: columnNames)

    /// 1 and up, in the order of the changes.
    public private(set) var id: Int64
    /// 16 hexadecimal digits.
    public let databaseID: String
    /// The identity that the database took instead.
    public let successor: String
    /// The name of the payment host that was asked. Empty for an identity that `restore` gave up, until a host has
    /// answered about it.
    public fileprivate(set) var hostName: String
    public fileprivate(set) var state: State
    /// The number of the last attempt in the database at the change.
    public let lastNumber: Int64
    /// The largest number that the host knows; nil while it has not said, and when it knows none.
    public fileprivate(set) var hostNumber: Int64?
    /// How many numbers the database left out, because they were used outside it.
    fileprivate var skipped: Int64
    /// When the database took the other identity.
    public let at: Timestamp

    public var objectID: Int64 { id }

    /// Whether the database is known to be a restored backup, whatever the host knows.
    fileprivate var isOfBackup: Bool { hostName.isEmpty }

    init(_ identity: DatabaseIdentity, successor: String, hostName: String, at moment: Timestamp) {
        (id, databaseID, self.successor, self.hostName) = (0, identity.databaseID, successor, hostName)
        (state, lastNumber, hostNumber, skipped, at) = (.unconfirmed, identity.attempts, nil, 0, moment)
    }

    /// Reads a row.
    ///
    /// - Throws: `UnreadableRow` for a value that does not fit its column.
    public init(row reader: inout RowReader) throws {
        id = try reader.value("id")
        databaseID = try reader.value("databaseID")
        successor = try reader.value("successor")
        hostName = try reader.value("hostName")
        state = try reader.value("state")
        lastNumber = try reader.value("lastNumber")
        hostNumber = try reader.optional("hostNumber")
        skipped = try reader.value("skipped")
        at = try reader.timestamp("at")
    }

    public var columnValues: [(any DatabaseValueConvertible)?] {
        [
            id == 0 ? nil : id, databaseID, successor, hostName, state, lastNumber, hostNumber, skipped,
            at.milliseconds,
        ]
    }

    public mutating func didInsert(rowID: Int64) { id = rowID }
}

/// The question to a host about the identities of a database.
public struct IdentityQuestion: Hashable, Sendable {
    /// The identity of the database.
    public let current: String
    /// Former identities that the host has not answered about.
    public let unconfirmed: [String]
    /// Every identity that the database has or had.
    public let taken: Set<String>
}

/// A host's answer about the identities of a database.
public struct IdentityAnswer: Hashable, Sendable {
    /// The identity of the database when the host was asked.
    public let current: String
    /// The host's largest number of each identity that it knows.
    public let numbers: [String: Int64]
    /// The name of the host.
    public let hostName: String
    /// Whether the host knows the numbers. One that does not has none in ``numbers``, whatever it got.
    public let knowsNumbers: Bool

    /// Takes the identity of the database when the host was asked, and the host's largest number of each that it knows.
    public init(current: String, numbers: [String: Int64], hostName: String, knowsNumbers: Bool = true) {
        (self.current, self.numbers, self.hostName) = (current, numbers, hostName)
        self.knowsNumbers = knowsNumbers
    }
}

extension PaymentJournal {
    /// The longest gap in the numbers, so that a host's nonsense cannot use them up.
    private static let longestSkip: Int64 = 999_999
    /// The gap in the numbers, and so in the trace numbers, when a backup was restored and the host can't say how many
    /// were used since.
    private static let unknownSkip: Int64 = 10_000

    /// Returns the identities that a host must be asked about.
    ///
    /// - Throws: ``JournalError/storage(_:)``
    public func identitiesToConfirm(hostName: String) throws(JournalError) -> IdentityQuestion {
        try read { storage in
            let current = try DatabaseIdentity.load(from: storage).databaseID
            let former = try storage.allObjects(ofType: FormerIdentity.self, matching: .all)
            return IdentityQuestion(
                current: current,
                unconfirmed: former.filter { $0.state == .unconfirmed && ($0.hostName == hostName || $0.isOfBackup) }
                    .map(\.databaseID),
                taken: Set([current] + former.flatMap { [$0.databaseID, $0.successor] }))
        }
    }

    /// Takes a host's answer. When the host knows a later number than this database, the database was restored from a
    /// backup: in one commit, it takes `successor` as its identity, records the former one, and leaves out the numbers
    /// that were used outside it.
    ///
    /// Ask the host before: an attempt is recorded before it is sent, so the database can't be behind an earlier
    /// answer, whatever other processes do.
    ///
    /// - Parameters:
    ///   - answer: the host's answer about ``identitiesToConfirm(hostName:)``.
    ///   - successor: a new identity, 16 hexadecimal digits, that the host doesn't know.
    ///   - moment: the time of the change.
    /// - Returns: The identities that are now found to be restored, oldest first; nil when the database has taken
    ///   another identity since the question.
    /// - Throws: ``JournalError/storage(_:)``
    public func confirmIdentity(
        _ answer: IdentityAnswer, successor: String, at moment: Timestamp
    ) throws(JournalError) -> [FormerIdentity]? {
        // An answer without news, which is nearly every one, costs no commit.
        let isQuiet = try read { storage in
            let identity = try DatabaseIdentity.load(from: storage)
            guard identity.databaseID == answer.current else { return Bool?.none }
            let isBehind = try self.isBehind(identity, answer, in: storage)
            return try !isBehind && unconfirmed(at: answer.hostName, in: storage).isEmpty
        }
        guard let isQuiet else { return nil }
        guard !isQuiet else { return [] }
        return try write { storage in
            var identity = try DatabaseIdentity.load(from: storage)
            guard identity.databaseID == answer.current else { return nil }
            var changed = try unconfirmed(at: answer.hostName, in: storage)
            for place in changed.indices {
                let number = answer.numbers[changed[place].databaseID]
                let isRestored =
                    try changed[place].isOfBackup || isBehind(changed[place].lastNumber, number, in: storage)
                changed[place].state = isRestored ? .restored : .confirmed
                (changed[place].hostNumber, changed[place].hostName) = (number, answer.hostName)
            }
            if try isBehind(identity, answer, in: storage) {
                var former = FormerIdentity(identity, successor: successor, hostName: answer.hostName, at: moment)
                (former.state, former.hostNumber) = (.restored, answer.numbers[answer.current])
                identity.replace(by: successor)
                changed.append(former)
            }
            // Each identity that went on elsewhere used its numbers there.
            let used = changed.filter { $0.state == .restored }.compactMap(\.hostNumber).max() ?? 0
            let isUnknown = !answer.knowsNumbers && changed.contains { $0.state == .restored }
            let missing = max(isUnknown ? Self.unknownSkip : 0, min(used - identity.attempts, Self.longestSkip))
            identity.skip(missing)
            try storage.updateObject(identity)
            if let place = changed.lastIndex(where: { $0.state == .restored }) { changed[place].skipped = missing }
            for place in changed.indices {
                if changed[place].id == 0 {
                    changed[place] = try storage.insertNewObject(changed[place])
                } else {
                    try storage.updateObject(changed[place])
                }
            }
            return changed.filter { $0.state == .restored }
        }
    }

    /// Takes `successor` as the identity of the database, because the host did not answer about `current`: new attempts
    /// can't have keys then that the host knows already. Does nothing when the database has another identity by now.
    ///
    /// - Throws: ``JournalError/storage(_:)``
    public func replaceIdentity(
        _ current: String, by successor: String, hostName: String, at moment: Timestamp
    ) throws(JournalError) {
        try write { storage in
            var identity = try DatabaseIdentity.load(from: storage)
            guard identity.databaseID == current else { return }
            try storage.insertNewObject(
                FormerIdentity(identity, successor: successor, hostName: hostName, at: moment))
            identity.replace(by: successor)
            try storage.updateObject(identity)
        }
    }

    /// Returns the identities that the database had before, oldest first.
    ///
    /// - Throws: ``JournalError/storage(_:)``
    public func formerIdentities() throws(JournalError) -> [FormerIdentity] {
        try read { try $0.allObjects(ofType: FormerIdentity.self, matching: nil, sortedBy: "id", limit: nil) }
    }

    /// Returns the number of the last attempt that was in the database when it was restored; 0 if it never was. These
    /// attempts may have gone on, and their payments may have been retried, after the backup was made.
    ///
    /// - Throws: ``JournalError/storage(_:)``
    public func restoredThrough() throws(JournalError) -> Int64 { try read { try restoredThrough(in: $0) } }

    func restoredThrough(in storage: any StorageType) throws -> Int64 {
        try storage.allObjects(ofType: FormerIdentity.self, matching: StoragePredicate("state = 'restored'"))
            .map(\.lastNumber).max() ?? 0
    }

    private func unconfirmed(at hostName: String, in storage: any StorageType) throws -> [FormerIdentity] {
        try storage.allObjects(
            ofType: FormerIdentity.self,
            matching: StoragePredicate("state = 'unconfirmed' AND hostName IN (?, '')", hostName))
    }

    /// Whether the host knows a later number, or the last number although nothing of it was sent from this database.
    private func isBehind(
        _ identity: DatabaseIdentity, _ answer: IdentityAnswer, in storage: any StorageType
    ) throws -> Bool {
        try isBehind(identity.attempts, answer.numbers[identity.databaseID], in: storage)
    }

    private func isBehind(_ last: Int64, _ number: Int64?, in storage: any StorageType) throws -> Bool {
        guard let number else { return false }
        guard number == last else { return number > last }
        return try storage.loadObject(ofType: PaymentAttempt.self, with: number)?.state == .created
    }
}
