import Determinism
import FoundationEssentials
import GRDB
import Simulator

/// The tables of the acquirer's ledger.
enum AcquirerSchema {
    /// Tells the file from other databases (`PRAGMA application_id`): "CPAQ".
    private static let applicationID = 0x4350_4151
    private static let version = 1

    private static let tables = """
        CREATE TABLE message (
            id INTEGER PRIMARY KEY, at TEXT NOT NULL, kind TEXT NOT NULL, type TEXT NOT NULL, terminal TEXT NOT NULL,
            merchant TEXT, traceNumber TEXT NOT NULL, localTime TEXT NOT NULL, transmission TEXT NOT NULL,
            amount INTEGER NOT NULL, approved INTEGER, currency TEXT NOT NULL, lastFour TEXT, response TEXT NOT NULL,
            reference TEXT NOT NULL, authorizationCode TEXT, chip TEXT, original INTEGER REFERENCES message(id),
            missing TEXT, state TEXT NOT NULL, moved INTEGER NOT NULL, settlement INTEGER REFERENCES message(id))
            STRICT;
        CREATE INDEX messageByTrace ON message(terminal, traceNumber);
        CREATE TABLE issuerEntry (id INTEGER PRIMARY KEY, entry TEXT NOT NULL) STRICT;
        """

    /// Makes the tables of a new file.
    ///
    /// - Throws: ``AcquirerLedgerError/noLedger(path:)`` when the file is another database.
    static func prepare(_ database: Database) throws {
        guard try !isLedger(database) else { return }
        guard try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_schema") == 0 else {
            throw DatabaseError(resultCode: .SQLITE_NOTADB)
        }
        try database.execute(sql: tables)
        try database.execute(sql: "PRAGMA application_id = \(applicationID); PRAGMA user_version = \(version)")
    }

    static func isLedger(_ database: Database) throws -> Bool {
        try Int.fetchOne(database, sql: "PRAGMA application_id") == applicationID
    }

    static func contents(_ database: Database) throws -> (records: [AcquirerRecord], entries: [IssuerLedgerEntry]) {
        let rows = try Row.fetchAll(database, sql: "SELECT * FROM message ORDER BY id")
        let decoder = JSONDecoder()
        return (
            try rows.enumerated().map { place, row in
                guard let record = AcquirerRecord(row), record.id == Int64(place) + 1 else {
                    throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "message \(place + 1) cannot be read")
                }
                return record
            },
            try String.fetchAll(database, sql: "SELECT entry FROM issuerEntry ORDER BY id").map { text in
                guard let entry = try? decoder.decode(IssuerLedgerEntry.self, from: Data(text.utf8)) else {
                    throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "an issuerEntry cannot be read")
                }
                return entry
            }
        )
    }

    private static let insertion =
        "INSERT INTO message VALUES (\(repeatElement("?", count: 22).joined(separator: ", ")))"

    static func insert(_ record: AcquirerRecord, _ database: Database) throws {
        let statement = try database.cachedStatement(sql: insertion)
        try statement.execute(arguments: [
            record.id, "\(record.at)", record.kind.rawValue, record.type, record.terminal, record.merchant,
            record.traceNumber, record.localTime, record.transmission, record.amount, record.approved,
            record.currency, record.lastFour, record.response, record.reference, record.authorizationCode, record.chip,
            record.original, record.missing,
            record.state.rawValue, record.moved, record.settlement,
        ])
    }

    /// Writes the parts of a record that change.
    static func update(_ record: AcquirerRecord, _ database: Database) throws {
        let statement = try database.cachedStatement(
            sql: "UPDATE message SET state = ?, moved = ?, settlement = ? WHERE id = ?")
        try statement.execute(
            arguments: [record.state.rawValue, record.moved, record.settlement, record.id])
    }

    static func insert(entry json: String, _ database: Database) throws {
        try database.cachedStatement(sql: "INSERT INTO issuerEntry (entry) VALUES (?)").execute(arguments: [json])
    }
}

extension AcquirerRecord {
    /// Reads a row; nil when it is not one that the acquirer wrote.
    fileprivate init?(_ row: Row) {
        guard let at = Timestamp(row["at"] as String? ?? ""), let kind = Kind(rawValue: row["kind"] as String? ?? ""),
            let state = State(rawValue: row["state"] as String? ?? "")
        else { return nil }
        self.init(
            id: row["id"], at: at, kind: kind, type: row["type"], terminal: row["terminal"], merchant: row["merchant"],
            traceNumber: row["traceNumber"], localTime: row["localTime"], transmission: row["transmission"],
            amount: row["amount"], approved: row["approved"], currency: row["currency"], lastFour: row["lastFour"],
            response: row["response"],
            reference: row["reference"], authorizationCode: row["authorizationCode"], chip: row["chip"],
            original: row["original"], missing: row["missing"], state: state, moved: row["moved"],
            settlement: row["settlement"])
    }
}
