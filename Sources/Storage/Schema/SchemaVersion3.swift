extension SchemaMigrator.Step {
    /// What a terminal remembers of cards: a keyed hash of 16 bytes, in 32 hexadecimal digits. The key is in no table,
    /// and no column here takes a card number: the longest has 19 digits.
    static let version3 = SchemaMigrator.Step(
        sql: """
            CREATE TABLE cardKey (
                id INTEGER PRIMARY KEY CHECK (id = 1),
                name TEXT NOT NULL CHECK (length(name) = 16 AND name NOT GLOB '*[^0-9a-f]*')
            );

            CREATE TABLE offlineSale (
                attemptID INTEGER PRIMARY KEY REFERENCES paymentAttempt (id),
                card TEXT NOT NULL CHECK (length(card) = 32 AND card NOT GLOB '*[^0-9a-f]*'),
                amount INTEGER NOT NULL CHECK (amount BETWEEN 0 AND 999999999999),
                currency TEXT NOT NULL CHECK (currency GLOB '[A-Z][A-Z][A-Z]'),
                madeAt INTEGER NOT NULL
            );
            CREATE INDEX offlineSaleByCard ON offlineSale (card);

            CREATE TABLE exceptionCard (
                id INTEGER PRIMARY KEY AUTOINCREMENT,
                card TEXT NOT NULL CHECK (length(card) = 32 AND card NOT GLOB '*[^0-9a-f]*'),
                sequenceNumber INTEGER CHECK (sequenceNumber BETWEEN 0 AND 99),
                last4 TEXT NOT NULL CHECK (last4 GLOB '[0-9][0-9][0-9][0-9]'),
                reason TEXT,
                addedAt INTEGER NOT NULL
            );
            CREATE UNIQUE INDEX exceptionCardOnce ON exceptionCard (card, ifnull(sequenceNumber, -1));
            """)
}
