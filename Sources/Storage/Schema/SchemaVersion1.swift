extension SchemaMigrator.Step {
    /// The first schema. A released step is never edited: a change is a new step.
    ///
    /// No column can take a card number: there is none for it, `last4` holds four digits and no more.
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
                advice TEXT CHECK (json_valid(advice)),
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
            CREATE TRIGGER attemptTransitionIsNeverChanged BEFORE UPDATE ON attemptTransition
            BEGIN SELECT RAISE(ABORT, 'a transition is never changed'); END;
            CREATE TRIGGER attemptTransitionIsNeverDeleted BEFORE DELETE ON attemptTransition
            BEGIN SELECT RAISE(ABORT, 'a transition is never deleted'); END;

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
