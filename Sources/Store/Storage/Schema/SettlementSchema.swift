extension SchemaMigrator.Step {
    /// Schema 17 adds batches, and which attempts belong to them; see ``SettlementBatch``.
    ///
    /// An attempt belongs to one batch at most. What an earlier schema has belongs to none yet, and so to the first
    /// one. A closed batch is never changed, and none is deleted.
    static let settlementBatch = SchemaMigrator.Step(
        sql: """
            CREATE TABLE batch (
                id INTEGER PRIMARY KEY AUTOINCREMENT,
                number INTEGER NOT NULL CHECK (number BETWEEN 1 AND 999999),
                hostName TEXT NOT NULL,
                destination TEXT NOT NULL,
                terminal TEXT NOT NULL,
                currency TEXT NOT NULL CHECK (currency GLOB '[A-Z][A-Z][A-Z]'),
                state TEXT NOT NULL CHECK (state IN ('open', 'sent', 'closed')),
                totals TEXT NOT NULL CHECK (json_valid(totals)),
                hostTotals TEXT CHECK (hostTotals IS NULL OR json_valid(hostTotals)),
                request TEXT NOT NULL CHECK (json_valid(request)),
                message INTEGER NOT NULL UNIQUE CHECK (message > 0),
                tries INTEGER NOT NULL CHECK (tries > 0),
                responseCode TEXT,
                lastError TEXT,
                openedAt INTEGER NOT NULL,
                sentAt INTEGER NOT NULL,
                closedAt INTEGER,
                CHECK ((state = 'closed') = (closedAt IS NOT NULL))
            );
            CREATE UNIQUE INDEX batchNotClosed ON batch (hostName, destination, terminal, currency)
                WHERE state <> 'closed';
            CREATE TRIGGER closedBatchIsNeverChanged BEFORE UPDATE ON batch WHEN OLD.state = 'closed'
            BEGIN SELECT RAISE(ABORT, 'a closed batch is never changed'); END;
            CREATE TRIGGER batchIsNeverDeleted BEFORE DELETE ON batch
            BEGIN SELECT RAISE(ABORT, 'a batch is never deleted'); END;

            CREATE TABLE batchAttempt (
                attemptID INTEGER PRIMARY KEY REFERENCES paymentAttempt (id),
                batchID INTEGER NOT NULL REFERENCES batch (id)
            );
            CREATE INDEX attemptByBatch ON batchAttempt (batchID);
            \(finalRows(of: "batchAttempt", "the batch of an attempt"))
            """)
}
