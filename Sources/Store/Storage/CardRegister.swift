public import Determinism
public import GRDB
public import Money
import Payments
import Text

/// The terminal's card data: the exception file (EMV Book 4 §6.3.5) and the offline sales of each card.
public struct CardRegister: Sendable {
    private let storage: any StorageManagerType

    /// Keeps its records in `storage`.
    public init(storage: any StorageManagerType) { self.storage = storage }

    /// The path of the database file; nil for a database in memory.
    public var path: String? { storage.path }

    // MARK: Fingerprint key

    /// Returns the name of the key that the fingerprints are made with; nil before the first fingerprint.
    public func keyName() throws(StorageError) -> String? { try read { try Self.keyName(in: $0) } }

    /// Sets the name of the fingerprint key, in one transaction.
    ///
    /// - Parameter choose: receives the current name and whether fingerprints made with that key exist; returns the new
    ///   name.
    /// - Throws: The errors of `choose`, and ``StorageError``.
    public func chooseKey(_ choose: (_ name: String?, _ isInUse: Bool) throws -> String) throws {
        try storage.performAndSave { storage in
            let old = try Self.keyName(in: storage)
            let exceptions = try storage.allObjects(
                ofType: ExceptionCard.self, matching: nil, sortedBy: "id", limit: 1)
            let sales = try storage.allObjects(
                ofType: OfflineSale.self, matching: nil, sortedBy: "attemptID", limit: 1)
            let new = try choose(old, !exceptions.isEmpty || !sales.isEmpty)
            guard new != old else { return }
            if old == nil {
                try storage.insertNewObject(CardKeyName(name: new))
            } else {
                try storage.updateObject(CardKeyName(name: new))
            }
        }
    }

    private static func keyName(in storage: any StorageType) throws -> String? {
        try storage.loadObject(ofType: CardKeyName.self, with: CardKeyName.onlyID)?.name
    }

    // MARK: Offline sales

    /// Returns the sum of the card's offline sales since `start`, in minor units of `currency`. Saturates at
    /// `Int64.max`.
    ///
    /// - Throws: ``StorageError``
    public func offlineAmount(
        of card: CardFingerprint, in currency: Currency, since start: Timestamp
    ) throws(StorageError) -> Int64 {
        try read { storage in
            let sales = try storage.allObjects(
                ofType: OfflineSale.self,
                matching: StoragePredicate(
                    "card = ? AND currency = ? AND madeAt >= ?", card, currency.code, start.milliseconds),
                sortedBy: "attemptID", limit: nil)
            return sales.reduce(0) { sum, sale in
                let (total, overflow) = sum.addingReportingOverflow(sale.amount.minorUnits)
                return overflow ? .max : total
            }
        }
    }

    /// Deletes the offline sales before `start`, or all of them when it is nil.
    ///
    /// - Throws: ``StorageError``
    public func forgetOfflineSales(before start: Timestamp?) throws(StorageError) {
        let old = StoragePredicate("madeAt < ?", start?.milliseconds ?? .max)
        // Usually there is nothing to delete, and reading does not flush the disk.
        let isNeeded = try read { storage in
            try !storage.allObjects(ofType: OfflineSale.self, matching: old, sortedBy: "attemptID", limit: 1).isEmpty
        }
        guard isNeeded else { return }
        _ = try write { try $0.deleteObjects(ofType: OfflineSale.self, matching: old) }
    }

    // MARK: Exception file

    /// Returns whether the card is in the exception file, either for every sequence number or for this one.
    ///
    /// - Throws: ``StorageError``
    public func isException(_ card: CardFingerprint, sequenceNumber: UInt8?) throws(StorageError) -> Bool {
        try read { storage in
            try !storage.allObjects(
                ofType: ExceptionCard.self,
                matching: StoragePredicate(
                    "card = ? AND (sequenceNumber IS NULL OR sequenceNumber = ?)", card,
                    sequenceNumber.map { Int64($0) }),
                sortedBy: "id", limit: 1
            ).isEmpty
        }
    }

    /// Returns the exception file, oldest entry first.
    ///
    /// - Throws: ``StorageError``
    public func exceptions() throws(StorageError) -> [ExceptionCard] {
        try read { try $0.allObjects(ofType: ExceptionCard.self, matching: nil, sortedBy: "id", limit: nil) }
    }

    /// Adds entries in one transaction. Existing entries stay unchanged.
    ///
    /// - Returns: The new entries.
    /// - Throws: ``StorageError``
    @discardableResult
    public func addExceptions(_ cards: [ExceptionCard]) throws(StorageError) -> [ExceptionCard] {
        try write { storage in
            try cards.compactMap { card in
                let known = try storage.allObjects(
                    ofType: ExceptionCard.self,
                    matching: StoragePredicate(
                        "card = ? AND sequenceNumber IS ?", card.card, card.sequenceNumber.map { Int64($0) }))
                return known.isEmpty ? try storage.insertNewObject(card) : nil
            }
        }
    }

    /// Removes the entries with these IDs in one transaction.
    ///
    /// - Returns: False when one of them does not exist; nothing is removed then.
    /// - Throws: ``StorageError``
    public func removeExceptions(_ ids: [Int64]) throws(StorageError) -> Bool {
        try write { storage in
            let known = try ids.allSatisfy { try storage.loadObject(ofType: ExceptionCard.self, with: $0) != nil }
            guard known else { return false }
            for id in ids {
                try storage.deleteObjects(ofType: ExceptionCard.self, matching: StoragePredicate("id = ?", id))
            }
            return true
        }
    }

    /// Removes every entry of these cards.
    ///
    /// - Returns: The number of removed entries.
    /// - Throws: ``StorageError``
    public func removeExceptions(of cards: [CardFingerprint]) throws(StorageError) -> Int {
        try write { storage in
            try cards.reduce(0) { count, card in
                try count
                    + storage.deleteObjects(
                        ofType: ExceptionCard.self, matching: StoragePredicate("card = ?", card))
            }
        }
    }

    /// Deletes the exception file and all offline sales.
    ///
    /// - Returns: The number of entries that the exception file had.
    /// - Throws: ``StorageError``
    public func removeEverything() throws(StorageError) -> Int {
        try write { storage in
            try storage.deleteObjects(ofType: OfflineSale.self, matching: StoragePredicate("TRUE"))
            return try storage.deleteObjects(ofType: ExceptionCard.self, matching: StoragePredicate("TRUE"))
        }
    }

    private func read<T>(_ query: (any StorageType) throws -> T) throws(StorageError) -> T {
        do { return try storage.read(query) } catch { throw StorageError(error, path: path ?? ":memory:") }
    }

    private func write<T>(_ operation: (any StorageType) throws -> T) throws(StorageError) -> T {
        do { return try storage.performAndSave(operation) } catch {
            throw StorageError(error, path: path ?? ":memory:")
        }
    }
}

/// A card that must be declined: an entry of the terminal's exception file (EMV Book 4 §6.3.5).
public struct ExceptionCard: IdentifiedObject, DeletableObject {
    public static let databaseTableName = "exceptionCard"
    public static let columnNames = ["id", "card", "sequenceNumber", "last4", "reason", "addedAt"]
    public static let statements = RecordStatements(table: databaseTableName, columns: columnNames)

    /// The number of the entry, from 1.
    public internal(set) var id: Int64
    public let card: CardFingerprint
    /// The PAN sequence number (tag 5F34), 0...99; nil for every card with the PAN.
    public let sequenceNumber: UInt8?
    /// The last four digits of the PAN, shown to people.
    public let last4: String
    /// The reason, for people.
    public let reason: String?
    public let addedAt: Timestamp

    public var objectID: Int64 { id }

    /// Lists a card by its keyed hash. `sequenceNumber` is nil for all cards with the PAN; `last4` are digits to show.
    public init(
        card: CardFingerprint, sequenceNumber: UInt8?, last4: String, reason: String?, addedAt: Timestamp
    ) {
        id = 0
        (self.card, self.sequenceNumber, self.last4) = (card, sequenceNumber, last4)
        (self.reason, self.addedAt) = (reason, addedAt)
    }

    /// Reads a row.
    ///
    /// - Throws: `UnreadableRow` for a value that does not fit its column.
    public init(row reader: inout RowReader) throws {
        id = try reader.value("id")
        card = try reader.value("card")
        sequenceNumber = try reader.optional("sequenceNumber")
        last4 = try reader.value("last4")
        reason = try reader.optional("reason")
        addedAt = try reader.timestamp("addedAt")
    }

    public var columnValues: [(any DatabaseValueConvertible)?] {
        [
            id == 0 ? nil : id, card, sequenceNumber.map { Int64($0) }, last4, reason.map(PANMasking.masked),
            addedAt.milliseconds,
        ]
    }

    public mutating func didInsert(rowID: Int64) { id = rowID }
}

/// A sale that was approved offline.
struct OfflineSale: DeletableObject {
    static let databaseTableName = "offlineSale"
    static let columnNames = ["attemptID", "card", "amount", "currency", "madeAt"]
    static let statements = RecordStatements(table: databaseTableName, columns: columnNames)

    let attemptID: Int64
    let card: CardFingerprint
    let amount: Money
    let madeAt: Timestamp

    init(_ attempt: PaymentAttempt, card: CardFingerprint, madeAt: Timestamp) {
        (attemptID, self.card, amount, self.madeAt) = (attempt.id, card, attempt.amount, madeAt)
    }

    init(row reader: inout RowReader) throws {
        attemptID = try reader.value("attemptID")
        card = try reader.value("card")
        amount = try reader.money("amount")
        madeAt = try reader.timestamp("madeAt")
    }

    var columnValues: [(any DatabaseValueConvertible)?] {
        [attemptID, card, amount.minorUnits, amount.currency.code, madeAt.milliseconds]
    }
}

/// Identifies a card without its number: a keyed hash of the PAN, as 32 hexadecimal digits. Without the key it reveals
/// nothing about the PAN.
public struct CardFingerprint: Hashable, Sendable, DatabaseValueConvertible {
    private let digits: String

    /// Returns nil unless there are 16 bytes.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count == 16 else { return nil }
        digits = bytes.lowercaseHexadecimal
    }

    private init(digits: String) { self.digits = digits }

    public var databaseValue: DatabaseValue { digits.databaseValue }

    public static func fromDatabaseValue(_ value: DatabaseValue) -> CardFingerprint? {
        String.fromDatabaseValue(value).flatMap { $0.utf8.count == 32 ? CardFingerprint(digits: $0) : nil }
    }
}

/// The name of the key that the fingerprints of this database are made with. The key itself is not stored.
struct CardKeyName: IdentifiedObject {
    static let databaseTableName = "cardKey"
    static let columnNames = ["id", "name"]
    static let statements = RecordStatements(table: databaseTableName, columns: columnNames)
    static let onlyID: Int64 = 1

    /// 16 hexadecimal digits.
    let name: String

    var objectID: Int64 { Self.onlyID }

    init(name: String) { self.name = name }

    init(row reader: inout RowReader) throws {
        name = try reader.value("name")
    }

    var columnValues: [(any DatabaseValueConvertible)?] { [Self.onlyID, name] }
}
