internal import Amounts
internal import Determinism
internal import GRDB

/// What a card paid without the issuer being asked.
struct OfflineSale: ForgettableObject {
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

    init(row: Row) throws {
        var reader = RowReader(row: row, of: Self.self)
        attemptID = try reader.value("attemptID")
        card = try reader.value("card")
        amount = try reader.money("amount")
        madeAt = try reader.timestamp("madeAt")
    }

    var columnValues: [(any DatabaseValueConvertible)?] {
        [attemptID, card, amount.minorUnits, amount.currency.code, madeAt.milliseconds]
    }
}
