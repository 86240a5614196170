public import Amounts
public import Determinism

/// What the terminal remembers of cards: the exception file, and what each of them paid offline.
public struct CardRegister: Sendable {
    private let storage: any StorageManagerType

    public init(storage: any StorageManagerType) { self.storage = storage }

    /// Where the database file is, nil when it is in memory.
    public var path: String? { storage.path }

    // MARK: The key of the fingerprints

    /// The name of the key that the fingerprints were made with; nil before the first.
    public func keyName() throws(StorageError) -> String? { try read { try Self.keyName(in: $0) } }

    /// Settles which key makes the fingerprints. No other process does so meanwhile.
    ///
    /// - Parameter choose: gets the name of the key so far, and whether there are fingerprints that were made with
    ///   it; gives the name from now on.
    /// - Throws: what `choose` throws, and ``StorageError``.
    public func settleKey(_ choose: (_ name: String?, _ isInUse: Bool) throws -> String) throws {
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

    /// What the card paid offline at `start` or later, in minor units of `currency`; at most the largest number.
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

    /// Deletes what was paid before `start`; everything when it is nil.
    ///
    /// - Throws: ``StorageError``
    public func forgetOfflineSales(before start: Timestamp?) throws(StorageError) {
        let old = StoragePredicate("madeAt < ?", start?.milliseconds ?? .max)
        // Most of the time there is nothing, and reading costs no flush of the disk.
        let isNeeded = try read { storage in
            try !storage.allObjects(ofType: OfflineSale.self, matching: old, sortedBy: "attemptID", limit: 1).isEmpty
        }
        guard isNeeded else { return }
        _ = try write { try $0.deleteObjects(ofType: OfflineSale.self, matching: old) }
    }

    // MARK: The exception file

    /// Whether the card is on the exception file, by its PAN alone or with this sequence number.
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

    /// The exception file, in the order in which it was filled.
    ///
    /// - Throws: ``StorageError``
    public func exceptions() throws(StorageError) -> [ExceptionCard] {
        try read { try $0.allObjects(ofType: ExceptionCard.self, matching: nil, sortedBy: "id", limit: nil) }
    }

    /// Adds cards, all or none. One that is there already stays as it is.
    ///
    /// - Returns: those that are new.
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

    /// Removes the entries with these numbers, all or none.
    ///
    /// - Returns: false when one of them is not there; then nothing is removed.
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
    /// - Returns: how many there were.
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

    /// Removes everything that was remembered of cards.
    ///
    /// - Returns: how many entries the exception file had.
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
