import Determinism
import Foundation
import GRDB
import Money
import Payments

@testable import Storage

/// A temporary folder for one test, with a database.
final class TemporaryDatabase: Sendable {
    let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("storage-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    var path: String { folder.appendingPathComponent("payments.sqlite").path }

    func open(_ durability: Durability = .full, seed: UInt64 = 1) throws -> SQLiteStorageManager {
        let random = SeededRandomSource(seed: seed)
        try DatabaseTemplate.shared().copy(to: path, random: random)
        return try SQLiteStorageManager(path: path, durability: durability, random: random)
    }

    func journal() throws -> PaymentJournal {
        let storage = try open()
        return PaymentJournal(storage: storage, lease: try ProcessLease(in: storage))
    }

    /// Copies the files that a power cut or `kill -9` would leave: the database and its write-ahead log.
    func afterCut() throws -> TemporaryDatabase {
        let copy = try TemporaryDatabase()
        for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: path + suffix) {
            try FileManager.default.copyItem(atPath: path + suffix, toPath: copy.path + suffix)
        }
        return copy
    }

    /// Reads with a separate connection.
    func rows(_ sql: String) throws -> [Row] {
        try DatabaseQueue(path: path).read { try Row.fetchAll($0, sql: sql) }
    }

    func number(_ sql: String) throws -> Int {
        try DatabaseQueue(path: path).read { try Int.fetchOne($0, sql: sql) ?? -1 }
    }

    func text(_ sql: String) throws -> String? {
        try DatabaseQueue(path: path).read { try String.fetchOne($0, sql: sql) }
    }

    func execute(_ sql: String) throws {
        try DatabaseQueue(path: path).writeWithoutTransaction { try $0.execute(sql: sql) }
    }

    /// Returns all bytes of the database's files.
    func bytes() throws -> Data {
        var bytes = Data()
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() {
            bytes += try Data(contentsOf: folder.appendingPathComponent(name))
        }
        return bytes
    }
}

func usd(_ minorUnits: Int64) throws -> Money {
    try Money(minorUnits: minorUnits, currency: Currency(code: "USD"))
}

func at(_ milliseconds: Int64) -> Timestamp { Timestamp(milliseconds: milliseconds) }

extension PaymentJournal {
    func beginSale(_ minorUnits: Int64 = 1250, order: Int64? = 42, at moment: Int64 = 1000) throws -> JournalEntry {
        try begin(
            siteID: 7, orderID: order, amount: try usd(minorUnits), hostName: "simulated",
            at: Timestamp(milliseconds: moment))
    }

    /// A sale that is paid.
    func capturedSale(_ minorUnits: Int64 = 1250) throws -> JournalEntry {
        let attempt = try beginSale(minorUnits).attempt.id
        try markAuthorizing(attempt, at: at(1001))
        return try finish(attempt, as: .captured, at: at(1002))
    }
}

/// A database with a released schema and rows in every table. It uses SQL, since the current records may not fit an old
/// schema.
enum ReleasedDatabase {
    /// `more`: additional SQL for that schema.
    static func make(version: Int, more: String = "") throws -> TemporaryDatabase {
        let database = try TemporaryDatabase()
        _ = try SQLiteStorageManager(
            path: database.path, durability: .full, random: SeededRandomSource(seed: 1),
            schema: SchemaMigrator(steps: Array(SchemaMigrator.current.steps.prefix(version))))
        for row in rows where row.since <= version && version <= row.upTo { try database.execute(row.sql) }
        try database.execute(more)
        return database
    }

    /// A paid sale with a receipt and a print job, and the rows of later schemas.
    private static let rows: [(since: Int, upTo: Int, sql: String)] = [
        (
            1, .max,
            """
            UPDATE storeIdentity SET attempts = 1, leases = 1;
            INSERT INTO payment (siteID, orderID, amount, currency, state, createdAt, updatedAt, last4, odaMethod)
            VALUES (7, 42, 1250, 'USD', 'captured', 1000, 1002, '1119', 'dda');
            INSERT INTO paymentAttempt (paymentID, kind, idempotencyKey, state, stan, hostName, amount, currency, lease,
                transitions, createdAt, updatedAt)
            VALUES (1, 'sale', 'key', 'captured', 1, 'simulated', 1250, 'USD', 1, 3, 1000, 1002);
            INSERT INTO attemptTransition VALUES
                (1, 1, 'created', 1000, NULL), (1, 2, 'authorizing', 1001, NULL), (1, 3, 'captured', 1002, NULL);
            INSERT INTO receipt (paymentID, kind, content, createdAt) VALUES (1, 'sale', '{}', 1002);
            """
        ),
        (
            1, 7,
            """
            INSERT INTO printJob (receiptID, printer, copy, copies, state, stateReasons, createdAt, updatedAt)
            VALUES (1, 'till', 'merchant', 1, 'submitting', '', 1003, 1003);
            """
        ),
        (
            8, .max,
            """
            INSERT INTO printJob (receiptID, printer, copy, copies, isDuplicate, state, reasons, isOpen, mayBePrinted,
                lease, transitions, createdAt, updatedAt)
            VALUES (1, 'till', 'merchant', 1, 0, 'queued', '', 1, 1, 1, 1, 1003, 1003);
            INSERT INTO printJobTransition VALUES (1, 1, 'queued', 1003, '', NULL);
            """
        ),
        (2, .max, "UPDATE payment SET odaReason = 'dda-failed'"),
        (
            3, .max,
            """
            INSERT INTO cardKey VALUES (1, '0123456789abcdef');
            INSERT INTO offlineSale VALUES (1, '0123456789abcdef0123456789abcdef', 1250, 'USD', 1002);
            INSERT INTO exceptionCard (card, sequenceNumber, last4, reason, addedAt)
            VALUES ('0123456789abcdef0123456789abcdef', 1, '1119', 'stolen', 1003);
            """
        ),
        (5, .max, "INSERT INTO rememberedReader VALUES ('usb 1', 'Reader', 1, 1003)"),
        (
            6, .max,
            """
            INSERT INTO taxClass (siteID, slug, name) VALUES (7, 'standard', 'Standard');
            INSERT INTO shipmentTrackingProviderGroup (siteID, name) VALUES (7, 'Sweden');
            INSERT INTO shipmentTrackingProvider (parentRow, position, name, url) VALUES (1, 0, 'PostNord', 'http://x');
            """
        ),
        (
            14, .max,
            """
            INSERT INTO acceptedLoss (idempotencyKey, hostName, kind, amount, currency, reason, at)
            VALUES ('0123456789abcdef-2', 'simulated', 'sale', 300, 'USD', 'booked by hand', 1004);
            """
        ),
        (
            17, .max,
            """
            INSERT INTO batch (number, hostName, destination, terminal, currency, state, totals, request, message,
                tries, openedAt, sentAt)
            VALUES (1, 'iso8583', 'acquirer.example:8583', 'TERM0001', 'USD', 'sent', '{"creditReversals":{"amount":0,
                "count":0},"credits":{"amount":0,"count":0},"debitReversals":{"amount":0,"count":0},"debits":
                {"amount":1250,"count":1}}', '{"fields":{},"type":"0500"}', 1, 1, 1000, 1005);
            INSERT INTO batchAttempt VALUES (1, 1);
            """
        ),
        (
            21, .max,
            """
            INSERT INTO lane VALUES (1, '\(String(repeating: "0f", count: 32))', '\(String(repeating: "a1", count: 16))',
                'harbor', 'till 1', 1, 1, 0);
            INSERT INTO outbox VALUES (1, 'payment', '1-1000', '{"id":1}');
            """
        ),
    ]
}

extension CardDetails {
    /// The details of a card of which only the last four digits matter.
    static func read(lastFour: String) -> CardDetails {
        CardDetails(brand: "visa", lastFour: lastFour, entryMode: .chip, cardholderVerification: .none)
    }
}
