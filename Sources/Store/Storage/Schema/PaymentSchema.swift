extension SchemaMigrator.Step {
    /// Schema 1: payments, attempts, receipts and print jobs. Released steps are never edited; each change is a new
    /// step.
    ///
    /// No column can hold a card number; `last4` holds exactly four digits.
    static let version1 = SchemaMigrator.Step(
        sql: """
            CREATE TABLE storeIdentity (
                id INTEGER PRIMARY KEY CHECK (id = 1),
                databaseID TEXT NOT NULL CHECK (length(databaseID) = 16 AND databaseID NOT GLOB '*[^0-9a-f]*'),
                attempts INTEGER NOT NULL CHECK (attempts >= 0),
                leases INTEGER NOT NULL CHECK (leases >= 0)
            );

            CREATE TABLE payment (
                id INTEGER PRIMARY KEY AUTOINCREMENT,
                siteID INTEGER NOT NULL,
                orderID INTEGER,
                amount INTEGER NOT NULL CHECK (amount BETWEEN 0 AND 999999999999),
                currency TEXT NOT NULL CHECK (currency GLOB '[A-Z][A-Z][A-Z]'),
                state TEXT NOT NULL CHECK (state IN ('pending', 'authorized', 'captured', 'partiallyRefunded', 'refunded',
                    'declined', 'cancelled', 'failed', 'reversed', 'unknown')),
                refundedAmount INTEGER NOT NULL DEFAULT 0 CHECK (refundedAmount BETWEEN 0 AND amount),
                createdAt INTEGER NOT NULL,
                updatedAt INTEGER NOT NULL,
                brand TEXT,
                last4 TEXT CHECK (last4 GLOB '[0-9][0-9][0-9][0-9]'),
                entryMode TEXT,
                cvm TEXT,
                authCode TEXT,
                aid TEXT,
                applicationName TEXT,
                tvr TEXT,
                tsi TEXT,
                cryptogram TEXT,
                cryptogramType TEXT,
                odaMethod TEXT,
                odaResult TEXT,
                arc TEXT,
                hostReference TEXT,
                atc TEXT,
                declineReason TEXT,
                errorCode TEXT,
                errorMessage TEXT
            );
            CREATE INDEX paymentByOrder ON payment (siteID, orderID) WHERE orderID IS NOT NULL;

            CREATE TABLE paymentAttempt (
                id INTEGER PRIMARY KEY AUTOINCREMENT,
                paymentID INTEGER NOT NULL REFERENCES payment (id),
                kind TEXT NOT NULL CHECK (kind IN ('sale', 'refund')),
                idempotencyKey TEXT NOT NULL UNIQUE,
                state TEXT NOT NULL CHECK (state IN ('created', 'authorizing', 'authorized', 'captured', 'declined',
                    'cancelled', 'failed', 'reversing', 'reversed', 'unknown')),
                stan INTEGER NOT NULL CHECK (stan BETWEEN 1 AND 999999),
                hostName TEXT NOT NULL,
                amount INTEGER NOT NULL CHECK (amount BETWEEN 0 AND 999999999999),
                currency TEXT NOT NULL CHECK (currency GLOB '[A-Z][A-Z][A-Z]'),
                lease INTEGER NOT NULL,
                transitions INTEGER NOT NULL CHECK (transitions > 0),
                hostReference TEXT,
                lastError TEXT,
                advice TEXT CHECK (advice IS NULL OR json_valid(advice)),
                createdAt INTEGER NOT NULL,
                updatedAt INTEGER NOT NULL,
                openState TEXT GENERATED ALWAYS AS (CASE WHEN state IN
                    ('captured', 'declined', 'cancelled', 'failed', 'reversed') THEN NULL ELSE state END) VIRTUAL
            );
            CREATE INDEX attemptByPayment ON paymentAttempt (paymentID);
            CREATE INDEX attemptByOpenState ON paymentAttempt (openState) WHERE openState IS NOT NULL;

            CREATE TABLE attemptTransition (
                attemptID INTEGER NOT NULL REFERENCES paymentAttempt (id),
                sequence INTEGER NOT NULL CHECK (sequence > 0),
                state TEXT NOT NULL,
                at INTEGER NOT NULL,
                detail TEXT,
                PRIMARY KEY (attemptID, sequence)
            ) WITHOUT ROWID;
            \(finalRows(of: "attemptTransition", "a transition"))

            CREATE TABLE receipt (
                id INTEGER PRIMARY KEY AUTOINCREMENT,
                paymentID INTEGER NOT NULL REFERENCES payment (id),
                kind TEXT NOT NULL CHECK (kind IN ('sale', 'refund', 'declined', 'reversal', 'unknown')),
                content TEXT NOT NULL CHECK (json_valid(content)),
                createdAt INTEGER NOT NULL
            );
            CREATE INDEX receiptByPayment ON receipt (paymentID);

            CREATE TABLE printJob (
                id INTEGER PRIMARY KEY AUTOINCREMENT,
                receiptID INTEGER NOT NULL REFERENCES receipt (id),
                printer TEXT NOT NULL,
                jobID INTEGER,
                copy TEXT NOT NULL CHECK (copy IN ('merchant', 'customer')),
                copies INTEGER NOT NULL CHECK (copies > 0),
                state TEXT NOT NULL CHECK (state IN ('submitting', 'pending', 'held', 'processing', 'stopped',
                    'canceled', 'aborted', 'completed', 'unknown')),
                stateReasons TEXT NOT NULL,
                createdAt INTEGER NOT NULL,
                updatedAt INTEGER NOT NULL
            );
            CREATE INDEX printJobByReceipt ON printJob (receiptID);
            """)
}

extension SchemaMigrator.Step {
    /// Schema 2 adds the reason why offline data authentication failed.
    static let version2 = SchemaMigrator.Step(sql: "ALTER TABLE payment ADD COLUMN odaReason TEXT")
}

extension SchemaMigrator.Step {
    /// Schema 3 adds the exception file and offline sales. Cards are identified by a keyed hash of 16 bytes in 32
    /// hexadecimal digits; the key is not stored. No column can hold a card number, which has at most 19 digits.
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

extension SchemaMigrator.Step {
    /// Schema 4 indexes the attempts with a pending advice.
    static let version4 = SchemaMigrator.Step(
        sql: "CREATE INDEX attemptByAdvice ON paymentAttempt (id) WHERE advice IS NOT NULL;")
}

extension SchemaMigrator.Step {
    /// Schema 5 adds the readers that were used. `turn` increases with each change of reader; the largest value marks
    /// the most recently used one.
    static let version5 = SchemaMigrator.Step(
        sql: """
            CREATE TABLE rememberedReader (
                id TEXT NOT NULL PRIMARY KEY CHECK (length(id) BETWEEN 1 AND 300),
                name TEXT NOT NULL CHECK (length(name) <= 300),
                turn INTEGER NOT NULL UNIQUE,
                usedAt INTEGER NOT NULL
            );
            """)
}

extension SchemaMigrator.Step {
    /// Schema 7 adds the notification of a store about the payment of its order: one row per payment, created with the
    /// payment and made due by the commit that records the approval.
    static let version7 = SchemaMigrator.Step(
        sql: """
            CREATE TABLE siteCapture (
                id INTEGER PRIMARY KEY REFERENCES payment (id),
                attemptID INTEGER UNIQUE REFERENCES paymentAttempt (id),
                siteAddress TEXT NOT NULL CHECK (length(siteAddress) > 0),
                storeName TEXT,
                orderNumber TEXT NOT NULL,
                gateway TEXT NOT NULL CHECK (gateway IN ('woocommerce-payments', 'woocommerce-stripe')),
                intentID TEXT UNIQUE,
                state TEXT NOT NULL CHECK (state IN ('planned', 'due', 'sent', 'unknown', 'confirmed', 'refused',
                    'conflict')),
                tries INTEGER NOT NULL CHECK (tries >= 0),
                orderStatus TEXT,
                receiptID INTEGER REFERENCES receipt (id),
                lastError TEXT,
                lease INTEGER NOT NULL,
                createdAt INTEGER NOT NULL,
                updatedAt INTEGER NOT NULL,
                CHECK ((state = 'planned') = (attemptID IS NULL)),
                CHECK ((attemptID IS NULL) = (intentID IS NULL))
            );
            CREATE INDEX siteCaptureOpen ON siteCapture (id) WHERE state IN ('due', 'sent', 'unknown');
            """)
}

extension SchemaMigrator.Step {
    /// Keeps the card's account (tag 5F57) and the issuer application data (tag 9F10).
    static let version9 = SchemaMigrator.Step(
        sql: """
            ALTER TABLE payment ADD COLUMN accountType TEXT;
            ALTER TABLE payment ADD COLUMN issuerApplicationData TEXT;
            """)
}

extension SchemaMigrator.Step {
    /// Keeps the PIN tries that a card had left after a wrong PIN, in decimal digits.
    static let pinTriesLeft = SchemaMigrator.Step(sql: "ALTER TABLE payment ADD COLUMN pinTriesLeft TEXT")
}

extension SchemaMigrator.Step {
    /// Keeps what later messages repeat of an attempt's message, without card data; see ``MessageIdentity``.
    static let messageIdentity = SchemaMigrator.Step(
        sql: """
            ALTER TABLE paymentAttempt ADD COLUMN messageIdentity TEXT
                CHECK (messageIdentity IS NULL OR json_valid(messageIdentity))
            """)
}

extension SchemaMigrator.Step {
    /// Keeps the identities that the database had before, and leaves out the names of payments and receipts that were
    /// used outside it; see ``FormerIdentity``.
    static let formerIdentity = SchemaMigrator.Step(
        sql: """
            CREATE TABLE formerIdentity (
                id INTEGER PRIMARY KEY AUTOINCREMENT,
                databaseID TEXT NOT NULL UNIQUE
                    CHECK (length(databaseID) = 16 AND databaseID NOT GLOB '*[^0-9a-f]*'),
                successor TEXT NOT NULL CHECK (length(successor) = 16 AND successor NOT GLOB '*[^0-9a-f]*'),
                hostName TEXT NOT NULL,
                state TEXT NOT NULL CHECK (state IN ('unconfirmed', 'confirmed', 'restored')),
                lastNumber INTEGER NOT NULL CHECK (lastNumber >= 0),
                hostNumber INTEGER,
                skipped INTEGER NOT NULL CHECK (skipped >= 0),
                at INTEGER NOT NULL
            );
            CREATE TRIGGER formerIdentitySkips AFTER INSERT ON formerIdentity WHEN NEW.skipped > 0
            BEGIN \(skipNames("NEW.skipped")) END;
            CREATE TRIGGER formerIdentitySkipsLater AFTER UPDATE ON formerIdentity WHEN NEW.skipped > OLD.skipped
            BEGIN \(skipNames("NEW.skipped - OLD.skipped")) END;
            """)

    /// Keeps what a restored backup lost and a person has accepted; see ``AcceptedLoss``.
    static let acceptedLoss = SchemaMigrator.Step(
        sql: """
            CREATE TABLE acceptedLoss (
                id INTEGER PRIMARY KEY AUTOINCREMENT,
                idempotencyKey TEXT NOT NULL UNIQUE,
                hostName TEXT NOT NULL,
                kind TEXT NOT NULL CHECK (kind IN ('sale', 'refund')),
                amount INTEGER NOT NULL CHECK (amount BETWEEN 0 AND 999999999999),
                currency TEXT NOT NULL CHECK (currency GLOB '[A-Z][A-Z][A-Z]'),
                reason TEXT NOT NULL CHECK (length(reason) > 0),
                at INTEGER NOT NULL
            );
            \(finalRows(of: "acceptedLoss", "an accepted loss"))
            """)

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

    /// Every attempt has at most one payment of its own, and two receipts.
    private static func skipNames(_ count: String) -> String {
        [("payment", "1"), ("receipt", "2")].map { table, most in
            """
            INSERT INTO sqlite_sequence (name, seq) SELECT '\(table)', 0
            WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = '\(table)');
            UPDATE sqlite_sequence SET seq = seq + \(most) * (\(count)) WHERE name = '\(table)';
            """
        }.joined(separator: "\n")
    }
}
