public import Determinism
import GRDB
import Text

/// A lane of a fleet: one journal that ships its changes to a back office.
public struct Lane: Hashable, Sendable {
    /// 32 hexadecimal digits, which the back office chose.
    public let id: String
    /// The shop that the lane belongs to.
    public let shop: String
    /// The name of the lane in its shop.
    public let name: String
    /// Counts the enrollments, from 1. The numbers of the outbox begin with 1 in each epoch.
    public let epoch: Int64

    /// Takes the facts of a lane.
    public init(id: String, shop: String, name: String, epoch: Int64) {
        (self.id, self.shop, self.name, self.epoch) = (id, shop, name, epoch)
    }
}

/// What a lane proves its identity with at the back office: 64 hexadecimal digits. No description of it has them.
public struct LaneSecret: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    private let text: String

    fileprivate init(_ text: String) { self.text = text }

    /// Returns the digits, to send them.
    public func revealed() -> String { text }

    public var description: String { "••••" }

    public var debugDescription: String { description }

    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// How far the outbox of a lane is.
public struct OutboxPosition: Hashable, Sendable {
    /// The number of the last entry; 0 when there was none.
    public let written: Int64
    /// The number of the last entry that the back office has, as far as this database knows.
    public let acknowledged: Int64

    /// The number of entries that wait.
    public var waiting: Int64 { written - acknowledged }
}

/// A committed change: the row as it was after it.
public struct OutboxEntry: Hashable, Sendable {
    /// What a row is about.
    public enum Kind: String, Sendable, CaseIterable {
        case payment, attempt, receipt
    }

    /// Its number, from 1 and without gaps.
    public let sequence: Int64
    public let kind: Kind
    /// What names the row, also when another row has its number after a restored backup.
    public let name: String
    /// The row as a JSON object, by the names of the columns.
    public let content: String
}

/// What a lane ships next.
public struct OutboxBatch: Sendable {
    public let lane: Lane
    public let secret: LaneSecret
    public let position: OutboxPosition
    /// The entries behind the last one that is acknowledged; none when nothing waits.
    public let entries: [OutboxEntry]
}

/// The changes of a journal that a back office must get: payments, attempts (with their advices and refunds), and
/// receipts, in the order of their commits.
///
/// The journal is the authority, and needs no network: triggers of the database write an entry in the transaction of
/// each change, from the moment when the lane is enrolled. Enrolling writes what the journal has by then.
public struct LaneOutbox: Sendable {
    private let storage: SQLiteStorageManager

    /// Opens the outbox of a database.
    public init(_ storage: SQLiteStorageManager) { self.storage = storage }

    /// The lane that this database is; nil before it is enrolled.
    ///
    /// - Throws: ``StorageError``
    public func lane() throws(StorageError) -> Lane? { try read { try Self.lane(in: $0) } }

    /// How far the outbox is.
    ///
    /// - Throws: ``StorageError``
    public func position() throws(StorageError) -> OutboxPosition { try read { try Self.position(in: $0) } }

    /// The secret by which the back office knows the lane. The first call draws it, and keeps it before it is sent, so
    /// that an enrollment whose answer is lost can be repeated.
    ///
    /// - Throws: ``StorageError``
    public func secret(drawnFrom random: any RandomSource) throws(StorageError) -> LaneSecret {
        try write { database in
            if let secret = try Self.secret(in: database) { return secret }
            let text = random.bytes(32).lowercaseHexadecimal
            try database.execute(sql: "INSERT INTO lane (id, secret) VALUES (1, ?)", arguments: [text])
            return LaneSecret(text)
        }
    }

    /// Makes this database the lane in its epoch, and writes the outbox anew: an entry for every payment, attempt, and
    /// receipt. An epoch of the lane that the database is in already, or has left, changes nothing.
    ///
    /// - Throws: ``StorageError``
    public func begin(_ lane: Lane) throws(StorageError) {
        try write { database in
            let current = try Self.lane(in: database)
            guard current?.id != lane.id || lane.epoch > current?.epoch ?? 0 else { return }
            // Nothing that was written in an earlier epoch is sent any more.
            try database.execute(sql: "UPDATE lane SET acknowledged = written; DELETE FROM outbox")
            try database.execute(
                sql: "UPDATE lane SET laneID = ?, shop = ?, name = ?, epoch = ?, written = 0, acknowledged = 0",
                arguments: [lane.id, lane.shop, lane.name, lane.epoch])
            for kind in OutboxEntry.Kind.allCases {
                let ids = try Int64.fetchCursor(database, sql: "SELECT id FROM shipped_\(kind.rawValue) ORDER BY id")
                while let id = try ids.next() {
                    try database.cachedStatement(sql: "UPDATE lane SET written = written + 1").execute()
                    try database.cachedStatement(
                        sql: """
                            INSERT INTO outbox SELECT (SELECT written FROM lane), '\(kind.rawValue)', name, content
                            FROM shipped_\(kind.rawValue) WHERE id = ?
                            """
                    ).execute(arguments: [id])
                }
            }
        }
    }

    /// Returns the oldest entries that the back office does not have as far as this database knows, with the lane and
    /// the position at the same moment; nil before the lane is enrolled.
    ///
    /// - Parameters:
    ///   - limit: the most entries.
    ///   - bytes: the most bytes of their contents; the first entry is returned whatever it has.
    /// - Returns: the batch.
    /// - Throws: ``StorageError``
    public func batch(atMost limit: Int, bytes: Int = .max) throws(StorageError) -> OutboxBatch? {
        try read { database in
            guard let lane = try Self.lane(in: database), let secret = try Self.secret(in: database) else { return nil }
            let position = try Self.position(in: database)
            let rows = try Row.fetchCursor(
                database.cachedStatement(
                    sql: """
                        SELECT sequence, kind, name, content FROM outbox WHERE sequence > ? ORDER BY sequence LIMIT ?
                        """), arguments: [position.acknowledged, limit])
            var (entries, size) = ([OutboxEntry](), 0)
            while let row = try rows.next() {
                let entry = try OutboxEntry(row)
                size += entry.content.utf8.count
                guard entries.isEmpty || size <= bytes else { break }
                entries.append(entry)
            }
            return OutboxBatch(lane: lane, secret: secret, position: position, entries: entries)
        }
    }

    /// Records that the back office has the entries up to this number, and deletes them. A number of an earlier epoch,
    /// or one that is not behind the last, changes nothing.
    ///
    /// - Returns: how many entries it deleted: of several that do it at once, one counts each entry.
    /// - Throws: ``StorageError``
    @discardableResult
    public func acknowledge(through sequence: Int64, in epoch: Int64) throws(StorageError) -> Int {
        try write { database in
            try database.execute(
                sql: "UPDATE lane SET acknowledged = ?1 WHERE epoch = ?2 AND ?1 > acknowledged AND ?1 <= written",
                arguments: [sequence, epoch])
            try database.execute(sql: "DELETE FROM outbox WHERE sequence <= (SELECT acknowledged FROM lane)")
            return database.changesCount
        }
    }

    private static func lane(in database: Database) throws -> Lane? {
        let row = try Row.fetchOne(database, sql: "SELECT laneID, shop, name, epoch FROM lane WHERE epoch > 0")
        return try row.map { row in
            Lane(
                id: try value("laneID", of: row, in: "lane"), shop: try value("shop", of: row, in: "lane"),
                name: try value("name", of: row, in: "lane"), epoch: try value("epoch", of: row, in: "lane"))
        }
    }

    private static func secret(in database: Database) throws -> LaneSecret? {
        try String.fetchOne(database, sql: "SELECT secret FROM lane").map(LaneSecret.init)
    }

    private static func position(in database: Database) throws -> OutboxPosition {
        guard let row = try Row.fetchOne(database, sql: "SELECT written, acknowledged FROM lane") else {
            return OutboxPosition(written: 0, acknowledged: 0)
        }
        return OutboxPosition(
            written: try value("written", of: row, in: "lane"),
            acknowledged: try value("acknowledged", of: row, in: "lane"))
    }

    /// - Throws: ``UnreadableRow`` for a value that does not fit its column.
    fileprivate static func value<Value: DatabaseValueConvertible>(
        _ column: String, of row: Row, in table: String
    ) throws -> Value {
        let stored: DatabaseValue? = row[column]
        guard let value = stored.flatMap(Value.fromDatabaseValue) else {
            throw UnreadableRow(table: table, column: column)
        }
        return value
    }

    private func read<Value>(_ query: (Database) throws -> Value) throws(StorageError) -> Value {
        do { return try storage.writer.read(query) } catch {
            throw StorageError(error, path: storage.path ?? ":memory:")
        }
    }

    private func write<Value>(_ change: (Database) throws -> Value) throws(StorageError) -> Value {
        do { return try storage.writer.write(change) } catch {
            throw StorageError(error, path: storage.path ?? ":memory:")
        }
    }
}

extension OutboxEntry {
    /// - Throws: ``UnreadableRow``
    fileprivate init(_ row: Row) throws {
        let kind: String = try LaneOutbox.value("kind", of: row, in: "outbox")
        guard let kind = Kind(rawValue: kind) else { throw UnreadableRow(table: "outbox", column: "kind") }
        self.init(
            sequence: try LaneOutbox.value("sequence", of: row, in: "outbox"), kind: kind,
            name: try LaneOutbox.value("name", of: row, in: "outbox"),
            content: try LaneOutbox.value("content", of: row, in: "outbox"))
    }
}
