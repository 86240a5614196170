extension SchemaMigrator.Step {
    /// Adds the names of products with variations.
    static let version10 = SchemaMigrator.Step(
        sql: """
            ALTER TABLE "orderItem" ADD COLUMN "parentName" TEXT;
            """)

    /// The tables of orders and their parts in schema 6.
    static let orderTables = """
        CREATE TABLE "metaData" (
            parentRow INTEGER NOT NULL REFERENCES "order" (rowID) ON DELETE CASCADE,
            position INTEGER NOT NULL,
            "id" INTEGER,
            "key" TEXT NOT NULL,
            "value" TEXT,
            PRIMARY KEY (parentRow, position)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE "order" (
            rowID INTEGER PRIMARY KEY,
            "siteID" INTEGER NOT NULL,
            "id" INTEGER NOT NULL,
            "parentID" INTEGER,
            "customerID" INTEGER,
            "orderKey" TEXT NOT NULL,
            "number" TEXT NOT NULL,
            "status" TEXT NOT NULL,
            "currency" TEXT NOT NULL,
            "currencySymbol" TEXT,
            "customerNote" TEXT NOT NULL,
            "dateCreatedGMT" INTEGER,
            "dateModifiedGMT" INTEGER,
            "datePaidGMT" INTEGER,
            "dateCompletedGMT" INTEGER,
            "discountTotal" TEXT NOT NULL,
            "discountTax" TEXT NOT NULL,
            "shippingTotal" TEXT NOT NULL,
            "shippingTax" TEXT NOT NULL,
            "total" TEXT NOT NULL,
            "totalTax" TEXT NOT NULL,
            "paymentMethod" TEXT NOT NULL,
            "paymentMethodTitle" TEXT NOT NULL,
            "paymentURL" TEXT,
            "transactionID" TEXT,
            \(addressColumns)
            "isEditable" INTEGER,
            "needsPayment" INTEGER,
            UNIQUE ("siteID", "id")
        ) STRICT;

        CREATE TABLE "orderCouponLine" (
            parentRow INTEGER NOT NULL REFERENCES "order" (rowID) ON DELETE CASCADE,
            position INTEGER NOT NULL,
            "id" INTEGER NOT NULL,
            "code" TEXT NOT NULL,
            "discount" TEXT NOT NULL,
            "discountTax" TEXT NOT NULL,
            PRIMARY KEY (parentRow, position)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE "orderFeeLine" (
            parentRow INTEGER NOT NULL REFERENCES "order" (rowID) ON DELETE CASCADE,
            position INTEGER NOT NULL,
            "id" INTEGER NOT NULL,
            "name" TEXT NOT NULL,
            "taxClass" TEXT NOT NULL,
            "taxStatus" TEXT,
            "total" TEXT NOT NULL,
            "totalTax" TEXT NOT NULL,
            "taxes" TEXT NOT NULL,
            PRIMARY KEY (parentRow, position)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE "orderGiftCard" (
            parentRow INTEGER NOT NULL REFERENCES "order" (rowID) ON DELETE CASCADE,
            position INTEGER NOT NULL,
            "id" INTEGER NOT NULL,
            "code" TEXT NOT NULL,
            "amount" TEXT NOT NULL,
            PRIMARY KEY (parentRow, position)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE "orderItem" (
            parentRow INTEGER NOT NULL REFERENCES "order" (rowID) ON DELETE CASCADE,
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
            "bundledBy" INTEGER,
            "compositeParent" INTEGER,
            PRIMARY KEY (parentRow, position)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE "orderNote" (
            rowID INTEGER PRIMARY KEY,
            "siteID" INTEGER NOT NULL,
            "orderID" INTEGER NOT NULL,
            "id" INTEGER NOT NULL,
            "dateCreatedGMT" INTEGER,
            "note" TEXT NOT NULL,
            "customerNote" INTEGER NOT NULL,
            "author" TEXT NOT NULL,
            UNIQUE ("siteID", "id")
        ) STRICT;

        CREATE TABLE "orderRefundCondensed" (
            parentRow INTEGER NOT NULL REFERENCES "order" (rowID) ON DELETE CASCADE,
            position INTEGER NOT NULL,
            "id" INTEGER NOT NULL,
            "reason" TEXT,
            "total" TEXT NOT NULL,
            PRIMARY KEY (parentRow, position)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE "orderStatus" (
            rowID INTEGER PRIMARY KEY,
            "siteID" INTEGER NOT NULL,
            "slug" TEXT NOT NULL,
            "name" TEXT NOT NULL,
            "total" INTEGER NOT NULL,
            UNIQUE ("siteID", "slug")
        ) STRICT;

        CREATE TABLE "orderTaxLine" (
            parentRow INTEGER NOT NULL REFERENCES "order" (rowID) ON DELETE CASCADE,
            position INTEGER NOT NULL,
            "id" INTEGER NOT NULL,
            "rateCode" TEXT NOT NULL,
            "rateID" INTEGER,
            "label" TEXT NOT NULL,
            "compound" INTEGER NOT NULL,
            "taxTotal" TEXT NOT NULL,
            "shippingTaxTotal" TEXT NOT NULL,
            "ratePercent" TEXT,
            PRIMARY KEY (parentRow, position)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE "shipmentTracking" (
            rowID INTEGER PRIMARY KEY,
            "siteID" INTEGER NOT NULL,
            "orderID" INTEGER NOT NULL,
            "trackingID" TEXT NOT NULL,
            "trackingNumber" TEXT NOT NULL,
            "trackingProvider" TEXT,
            "trackingLink" TEXT,
            "dateShipped" TEXT,
            UNIQUE ("siteID", "orderID", "trackingID")
        ) STRICT;

        CREATE TABLE "shipmentTrackingProvider" (
            parentRow INTEGER NOT NULL REFERENCES "shipmentTrackingProviderGroup" (rowID) ON DELETE CASCADE,
            position INTEGER NOT NULL,
            "name" TEXT NOT NULL,
            "url" TEXT NOT NULL,
            PRIMARY KEY (parentRow, position)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE "shipmentTrackingProviderGroup" (
            rowID INTEGER PRIMARY KEY,
            "siteID" INTEGER NOT NULL,
            "name" TEXT NOT NULL,
            UNIQUE ("siteID", "name")
        ) STRICT;

        CREATE TABLE "shippingLine" (
            parentRow INTEGER NOT NULL REFERENCES "order" (rowID) ON DELETE CASCADE,
            position INTEGER NOT NULL,
            "id" INTEGER NOT NULL,
            "methodTitle" TEXT NOT NULL,
            "methodID" TEXT,
            "total" TEXT NOT NULL,
            "totalTax" TEXT NOT NULL,
            "taxes" TEXT NOT NULL,
            PRIMARY KEY (parentRow, position)
        ) STRICT, WITHOUT ROWID;

        -- Notes and shipments refer to an order by its key: they can be stored before the order and are deleted with it.
        CREATE TRIGGER orderTakesItsOwnAlong AFTER DELETE ON "order"
        BEGIN
            DELETE FROM orderNote WHERE siteID = OLD.siteID AND orderID = OLD.id;
            DELETE FROM shipmentTracking WHERE siteID = OLD.siteID AND orderID = OLD.id;
        END;
        CREATE INDEX orderByDate ON "order" (siteID, dateCreatedGMT);
        CREATE INDEX orderNoteByOrder ON orderNote (siteID, orderID);
        """
}
