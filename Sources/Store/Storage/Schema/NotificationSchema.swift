extension SchemaMigrator.Step {
    /// Schema 15 adds the lines of an order that a refund names, and the state `accepted` of notifications: a person
    /// has dealt with what a site does not show.
    static let acceptedNotifications = SchemaMigrator.Step(
        sql: """
            ALTER TABLE paymentAttempt ADD COLUMN refundLines TEXT
                CHECK (refundLines IS NULL OR (kind = 'refund' AND json_valid(refundLines)));

            CREATE TABLE siteRefundOf15 (
                id INTEGER PRIMARY KEY REFERENCES paymentAttempt (id),
                paymentID INTEGER NOT NULL REFERENCES payment (id),
                amount INTEGER NOT NULL CHECK (amount BETWEEN 1 AND 999999999999),
                currency TEXT NOT NULL CHECK (currency GLOB '[A-Z][A-Z][A-Z]'),
                lines TEXT CHECK (lines IS NULL OR json_valid(lines)),
                intentID TEXT NOT NULL UNIQUE,
                state TEXT NOT NULL CHECK (state IN ('planned', 'due', 'sent', 'unknown', 'confirmed', 'refused',
                    'conflict', 'accepted')),
                tries INTEGER NOT NULL CHECK (tries >= 0),
                refundID INTEGER,
                lastError TEXT,
                acceptance TEXT,
                lease INTEGER NOT NULL,
                createdAt INTEGER NOT NULL,
                updatedAt INTEGER NOT NULL,
                CHECK (state <> 'confirmed' OR refundID IS NOT NULL),
                CHECK ((state = 'accepted') = (acceptance IS NOT NULL))
            );
            INSERT INTO siteRefundOf15 SELECT id, paymentID, amount, currency, NULL, intentID, state, tries, refundID,
                lastError, NULL, lease, createdAt, updatedAt FROM siteRefund;
            DROP TABLE siteRefund;
            ALTER TABLE siteRefundOf15 RENAME TO siteRefund;
            CREATE INDEX siteRefundByPayment ON siteRefund (paymentID);
            CREATE INDEX siteRefundOpen ON siteRefund (id) WHERE state IN ('due', 'sent', 'unknown');
            CREATE INDEX siteRefundToReview ON siteRefund (id) WHERE state IN ('refused', 'conflict');

            CREATE TABLE siteCaptureOf15 (
                id INTEGER PRIMARY KEY REFERENCES payment (id),
                attemptID INTEGER UNIQUE REFERENCES paymentAttempt (id),
                siteAddress TEXT NOT NULL CHECK (length(siteAddress) > 0),
                storeName TEXT,
                orderNumber TEXT NOT NULL,
                gateway TEXT NOT NULL CHECK (gateway IN ('woocommerce-payments', 'woocommerce-stripe', 'till')),
                intentID TEXT UNIQUE,
                state TEXT NOT NULL CHECK (state IN ('planned', 'due', 'sent', 'unknown', 'confirmed', 'refused',
                    'conflict', 'accepted')),
                tries INTEGER NOT NULL CHECK (tries >= 0),
                orderStatus TEXT,
                receiptID INTEGER REFERENCES receipt (id),
                lastError TEXT,
                acceptance TEXT,
                lease INTEGER NOT NULL,
                createdAt INTEGER NOT NULL,
                updatedAt INTEGER NOT NULL,
                CHECK ((state = 'planned') = (attemptID IS NULL)),
                CHECK ((attemptID IS NULL) = (intentID IS NULL)),
                CHECK ((state = 'accepted') = (acceptance IS NOT NULL))
            );
            INSERT INTO siteCaptureOf15 SELECT id, attemptID, siteAddress, storeName, orderNumber, gateway, intentID,
                state, tries, orderStatus, receiptID, lastError, NULL, lease, createdAt, updatedAt FROM siteCapture;
            DROP TABLE siteCapture;
            ALTER TABLE siteCaptureOf15 RENAME TO siteCapture;
            CREATE INDEX siteCaptureOpen ON siteCapture (id) WHERE state IN ('due', 'sent', 'unknown');
            CREATE INDEX siteCaptureToReview ON siteCapture (id) WHERE state IN ('refused', 'conflict');
            """)
}
