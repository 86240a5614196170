extension SchemaMigrator.Step {
    /// Schema 19 adds increments of pre-authorizations, and batches that a person closed with the host's totals.
    ///
    /// The kind joins the list in the definition of the table of attempts, as the state of schema 18 did; the columns
    /// come last, because they tell other connections of the change.
    static let increments = SchemaMigrator.Step(
        sql: """
            PRAGMA writable_schema = ON;
            UPDATE sqlite_master
            SET sql = replace(sql, 'kind IN (''sale'', ''refund'')', 'kind IN (''sale'', ''refund'', ''increment'')')
            WHERE type = 'table' AND name = 'paymentAttempt';
            PRAGMA writable_schema = RESET;

            ALTER TABLE payment ADD COLUMN increments TEXT CHECK (increments IS NULL OR json_valid(increments));
            ALTER TABLE batch ADD COLUMN isHostAccepted INTEGER NOT NULL DEFAULT 0
                CHECK (isHostAccepted = 0 OR (isHostAccepted = 1 AND state = 'closed' AND hostTotals IS NOT NULL));
            """)
}
