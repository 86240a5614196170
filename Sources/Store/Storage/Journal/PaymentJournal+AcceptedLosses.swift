public import Determinism
public import GRDB
public import Money
public import Payments

/// A movement of money that the payment host knows and a restored backup lost, and which a person has accepted: it is
/// dealt with outside the till. Accepting it moves no money, and is never changed or deleted.
public struct AcceptedLoss: IdentifiedObject {
    public static let databaseTableName = "acceptedLoss"
    public static let columnNames = [
        "id", "idempotencyKey", "hostName", "kind", "amount", "currency", "reason", "at",
    ]
    public static let statements = RecordStatements(table: databaseTableName, columns: columnNames)

    /// 1 and up, in the order of the acceptances.
    public private(set) var id: Int64
    public let loss: LostAttempt
    /// Why it is accepted, for people.
    public let reason: String
    /// When it was accepted.
    public let at: Timestamp

    public var objectID: Int64 { id }

    init(_ loss: LostAttempt, reason: String, at moment: Timestamp) {
        (id, self.loss, self.reason, at) = (0, loss, PANMasking.masked(reason), moment)
    }

    /// Reads a row.
    ///
    /// - Throws: `UnreadableRow` for a value that does not fit its column.
    public init(row reader: inout RowReader) throws {
        id = try reader.value("id")
        loss = LostAttempt(
            key: IdempotencyKey(rawValue: try reader.value("idempotencyKey")), hostName: try reader.value("hostName"),
            kind: try reader.value("kind"), amount: try reader.money("amount"))
        reason = try reader.value("reason")
        at = try reader.timestamp("at")
    }

    public var columnValues: [(any DatabaseValueConvertible)?] {
        [
            id == 0 ? nil : id, loss.key.rawValue, loss.hostName, loss.kind, loss.amount.minorUnits,
            loss.amount.currency.code, reason, at.milliseconds,
        ]
    }

    public mutating func didInsert(rowID: Int64) { id = rowID }
}

/// A movement of money that the payment host knows and the journal does not.
public struct LostAttempt: Hashable, Sendable {
    public let key: IdempotencyKey
    /// The name of the payment host.
    public let hostName: String
    public let kind: PaymentAttempt.Kind
    public let amount: Money

    /// Describes what the host reports under a key that the journal does not have.
    public init(key: IdempotencyKey, hostName: String, kind: PaymentAttempt.Kind, amount: Money) {
        (self.key, self.hostName, self.kind, self.amount) = (key, hostName, kind, amount)
    }
}

extension PaymentJournal {
    /// Returns the accepted losses, oldest first.
    ///
    /// - Throws: ``JournalError/storage(_:)``
    public func acceptedLosses() throws(JournalError) -> [AcceptedLoss] {
        try read { try $0.allObjects(ofType: AcceptedLoss.self, matching: nil, sortedBy: "id", limit: nil) }
    }

    /// Records in one commit that a person accepts losses. A loss that was accepted before keeps its reason and time.
    ///
    /// - Parameters:
    ///   - losses: what the host knows and the journal does not. An attempt that the journal has is left out.
    ///   - reason: why they are accepted, for people. Digits that may be a card number are masked.
    ///   - moment: the time of the acceptance.
    /// - Returns: The losses that are accepted now and were not before.
    /// - Throws: ``JournalError/neverRestored`` when no backup was ever restored: what the host knows then belongs to
    ///   something else; ``JournalError/storage(_:)``
    @discardableResult
    public func acceptLosses(
        _ losses: [LostAttempt], reason: String, at moment: Timestamp
    ) throws(JournalError) -> [AcceptedLoss] {
        guard !losses.isEmpty else { return [] }
        return try write { storage in
            let restored = try storage.allObjects(
                ofType: FormerIdentity.self, matching: StoragePredicate("state = 'restored'"))
            guard !restored.isEmpty else { throw JournalError.neverRestored }
            var accepted: [AcceptedLoss] = []
            for loss in losses {
                let key = StoragePredicate("idempotencyKey = ?", loss.key.rawValue)
                guard try storage.allObjects(ofType: AcceptedLoss.self, matching: key).isEmpty,
                    try storage.allObjects(ofType: PaymentAttempt.self, matching: key).isEmpty
                else { continue }
                accepted.append(try storage.insertNewObject(AcceptedLoss(loss, reason: reason, at: moment)))
            }
            return accepted
        }
    }
}
