extension SchemaMigrator.Step {
    /// What a store site has to be told of the payment of one of its orders: one row a payment, written with the
    /// payment, and made due by the commit that records its approval.
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
