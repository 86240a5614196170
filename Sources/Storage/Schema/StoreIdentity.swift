internal import Determinism
internal import GRDB

/// The one row that tells this database from every other, and counts what must never repeat in it.
struct StoreIdentity: IdentifiedObject {
    static let databaseTableName = "storeIdentity"
    static let columnNames = ["id", "databaseID", "attempts", "leases"]
    static let statements = RecordStatements(table: databaseTableName, columns: columnNames)
    static let onlyID: Int64 = 1

    /// 16 hexadecimal digits, drawn when the database was made.
    let databaseID: String
    /// How many attempts were ever begun. Idempotency keys and trace numbers come from this count.
    private(set) var attempts: Int64
    /// How many leases were ever given out.
    private(set) var leases: Int64

    var objectID: Int64 { Self.onlyID }

    init(drawnFrom random: any RandomSource) {
        databaseID = random.bytes(8).map { byte in
            let digits = String(byte, radix: 16)
            return digits.utf8.count == 1 ? "0" + digits : digits
        }.joined()
        (attempts, leases) = (0, 0)
    }

    init(row: Row) throws {
        var reader = RowReader(row: row, of: Self.self)
        databaseID = try reader.value("databaseID")
        attempts = try reader.value("attempts")
        leases = try reader.value("leases")
    }

    var columnValues: [(any DatabaseValueConvertible)?] { [Self.onlyID, databaseID, attempts, leases] }

    /// Loads the row, or says that the database is damaged.
    static func load(from storage: any StorageType) throws -> StoreIdentity {
        guard let identity = try storage.loadObject(ofType: StoreIdentity.self, with: onlyID) else {
            throw UnreadableRow(table: databaseTableName, column: "id")
        }
        return identity
    }

    /// Counts one attempt more.
    ///
    /// - Returns: its number, its idempotency key, and its trace number (DE 11), which runs through
    ///   1...999,999 and begins again.
    mutating func nextAttempt() -> (number: Int64, key: String, stan: UInt32) {
        attempts += 1
        return (attempts, "\(databaseID)-\(attempts)", UInt32((attempts - 1) % 999_999) + 1)
    }

    /// Counts one lease more.
    mutating func nextLease() -> Int64 {
        leases += 1
        return leases
    }
}
