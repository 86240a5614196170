extension SchemaMigrator.Step {
    /// Schema 20 adds the enciphered card data that later messages about an attempt demand; see ``SealedCardData``.
    ///
    /// An attempt that has ended, and has no advice to send, has none: the commit that ends it wipes it. The database
    /// is opened with `secure_delete`, so that nothing of it stays in the page.
    static let sealedCardData = SchemaMigrator.Step(
        sql: """
            ALTER TABLE paymentAttempt ADD COLUMN sealedCardData BLOB CHECK (
                sealedCardData IS NULL OR (
                    typeof(sealedCardData) = 'blob' AND length(sealedCardData) BETWEEN 61 AND 1024
                    AND (advice IS NOT NULL
                        OR state NOT IN ('captured', 'declined', 'cancelled', 'failed', 'reversed'))));
            CREATE INDEX attemptBySealedCardData ON paymentAttempt (id) WHERE sealedCardData IS NOT NULL;
            """)
}
