import Determinism

@testable import Storage

/// A database as a released schema leaves it, with rows in every table: this program's records may not fit into it, so
/// it is written in SQL.
enum ReleasedDatabase {
    /// `more`: SQL that follows, in the words of that schema.
    static func make(version: Int, more: String = "") throws -> TemporaryDatabase {
        let database = try TemporaryDatabase()
        _ = try SQLiteStorageManager(
            path: database.path, durability: .full, random: SeededRandomSource(seed: 1),
            schema: SchemaMigrator(steps: Array(SchemaMigrator.current.steps.prefix(version))))
        for row in rows where row.since <= version && version <= row.upTo { try database.execute(row.sql) }
        try database.execute(more)
        return database
    }

    /// A paid sale with a receipt and a print job, and what came later.
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
    ]
}
