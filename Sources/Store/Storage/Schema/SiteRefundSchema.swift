extension SchemaMigrator.Step {
    /// Schema 11 adds refunds at store sites: what a site has to know of the till's refunds, one row per refund,
    /// written by the commit that records the refund; and the refunds of orders as a site returns them. The till may
    /// complete an order itself.
    static let siteRefunds = SchemaMigrator.Step(
        sql: """
            CREATE TABLE siteRefund (
                id INTEGER PRIMARY KEY REFERENCES paymentAttempt (id),
                paymentID INTEGER NOT NULL REFERENCES payment (id),
                amount INTEGER NOT NULL CHECK (amount BETWEEN 1 AND 999999999999),
                currency TEXT NOT NULL CHECK (currency GLOB '[A-Z][A-Z][A-Z]'),
                intentID TEXT NOT NULL UNIQUE,
                state TEXT NOT NULL CHECK (state IN ('planned', 'due', 'sent', 'unknown', 'confirmed', 'refused',
                    'conflict')),
                tries INTEGER NOT NULL CHECK (tries >= 0),
                refundID INTEGER,
                lastError TEXT,
                lease INTEGER NOT NULL,
                createdAt INTEGER NOT NULL,
                updatedAt INTEGER NOT NULL,
                CHECK (state <> 'confirmed' OR refundID IS NOT NULL)
            );
            CREATE INDEX siteRefundByPayment ON siteRefund (paymentID);
            CREATE INDEX siteRefundOpen ON siteRefund (id) WHERE state IN ('due', 'sent', 'unknown');

            CREATE TABLE siteCaptureOf11 (
                id INTEGER PRIMARY KEY REFERENCES payment (id),
                attemptID INTEGER UNIQUE REFERENCES paymentAttempt (id),
                siteAddress TEXT NOT NULL CHECK (length(siteAddress) > 0),
                storeName TEXT,
                orderNumber TEXT NOT NULL,
                gateway TEXT NOT NULL CHECK (gateway IN ('woocommerce-payments', 'woocommerce-stripe', 'till')),
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
            INSERT INTO siteCaptureOf11 SELECT id, attemptID, siteAddress, storeName, orderNumber, gateway, intentID,
                state, tries, orderStatus, receiptID, lastError, lease, createdAt, updatedAt FROM siteCapture;
            DROP TABLE siteCapture;
            ALTER TABLE siteCaptureOf11 RENAME TO siteCapture;
            CREATE INDEX siteCaptureOpen ON siteCapture (id) WHERE state IN ('due', 'sent', 'unknown');
            CREATE INDEX siteCaptureToReview ON siteCapture (id) WHERE state IN ('refused', 'conflict');
            CREATE INDEX siteRefundToReview ON siteRefund (id) WHERE state IN ('refused', 'conflict');

            \(refundTables)
            """)

    private static let refundTables = """
        CREATE TABLE "refund" (
            rowID INTEGER PRIMARY KEY,
            "siteID" INTEGER NOT NULL,
            "orderID" INTEGER NOT NULL,
            "id" INTEGER NOT NULL,
            "dateCreatedGMT" INTEGER,
            "amount" TEXT NOT NULL,
            "reason" TEXT NOT NULL,
            "refundedBy" INTEGER,
            "refundedPayment" INTEGER,
            "shippingLines" TEXT NOT NULL,
            "metaData" TEXT NOT NULL,
            UNIQUE ("siteID", "id")
        ) STRICT;

        CREATE TABLE "orderItemRefund" (
            parentRow INTEGER NOT NULL REFERENCES "refund" (rowID) ON DELETE CASCADE,
            position INTEGER NOT NULL,
            "id" INTEGER NOT NULL,
            "name" TEXT NOT NULL,
            "productID" INTEGER,
            "variationID" INTEGER,
            "quantity" TEXT NOT NULL,
            "price" TEXT,
            "sku" TEXT,
            "subtotal" TEXT NOT NULL,
            "subtotalTax" TEXT NOT NULL,
            "taxClass" TEXT NOT NULL,
            "taxes" TEXT NOT NULL,
            "total" TEXT NOT NULL,
            "totalTax" TEXT NOT NULL,
            "metaData" TEXT NOT NULL,
            PRIMARY KEY (parentRow, position)
        ) STRICT, WITHOUT ROWID;

        -- Refunds refer to an order by its key, as notes do.
        CREATE INDEX refundByOrder ON refund (siteID, orderID);
        CREATE TRIGGER orderTakesItsRefundsAlong AFTER DELETE ON "order"
        BEGIN
            DELETE FROM refund WHERE siteID = OLD.siteID AND orderID = OLD.id;
        END;
        """
}
