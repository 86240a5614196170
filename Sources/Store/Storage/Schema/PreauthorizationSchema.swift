extension SchemaMigrator.Step {
    /// Schema 18 adds pre-authorizations, partial approvals, and the attempt state `authorizedOnly`.
    ///
    /// The state joins the two lists of states in the definition of the table: those that a row can have, and those in
    /// which an attempt is not open. SQLite has no statement for that, and making the table again would have to name
    /// every column and every table that refers to it. No row changes; see "Making Other Kinds Of Table Schema Changes"
    /// in SQLite's documentation of ALTER TABLE. The columns come last, because they tell other connections of the
    /// change.
    static let preauthorizations = SchemaMigrator.Step(
        sql: """
            PRAGMA writable_schema = ON;
            UPDATE sqlite_master
            SET sql = replace(sql, '''captured'', ''declined''', '''captured'', ''authorizedOnly'', ''declined''')
            WHERE type = 'table' AND name = 'paymentAttempt';
            PRAGMA writable_schema = RESET;

            ALTER TABLE paymentAttempt ADD COLUMN completion TEXT CHECK (completion IS NULL OR json_valid(completion));
            ALTER TABLE payment ADD COLUMN requestedAmount INTEGER CHECK (requestedAmount BETWEEN 0 AND 999999999999);
            ALTER TABLE payment ADD COLUMN authorizedAmount INTEGER CHECK (authorizedAmount BETWEEN 0 AND 999999999999);
            ALTER TABLE payment ADD COLUMN capturedAmount INTEGER
                CHECK (capturedAmount IS NULL OR capturedAmount BETWEEN 0 AND authorizedAmount);
            ALTER TABLE payment ADD COLUMN holdExpiresAt INTEGER
                CHECK ((holdExpiresAt IS NULL) = (authorizedAmount IS NULL));
            """)

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
