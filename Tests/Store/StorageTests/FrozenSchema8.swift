/// Schema 8 as released, frozen as text. The migrations must still lead to it, and databases that contain it must open
/// unchanged. Never edit it.
enum FrozenSchema8 {
    static let sql = paymentTables + "\n" + siteTables

    private static let paymentTables = """
        CREATE TABLE storeIdentity (id INTEGER PRIMARY KEY CHECK (id = 1), databaseID TEXT NOT NULL CHECK
            (length(databaseID) = 16 AND databaseID NOT GLOB '*[^0-9a-f]*'), attempts INTEGER NOT NULL CHECK (attempts
            >= 0), leases INTEGER NOT NULL CHECK (leases >= 0));
        CREATE TABLE payment (id INTEGER PRIMARY KEY AUTOINCREMENT, siteID INTEGER NOT NULL, orderID INTEGER, amount
            INTEGER NOT NULL CHECK (amount BETWEEN 0 AND 999999999999), currency TEXT NOT NULL CHECK (currency GLOB
            '[A-Z][A-Z][A-Z]'), state TEXT NOT NULL CHECK (state IN ('pending', 'authorized', 'captured',
            'partiallyRefunded', 'refunded', 'declined', 'cancelled', 'failed', 'reversed', 'unknown')), refundedAmount
            INTEGER NOT NULL DEFAULT 0 CHECK (refundedAmount BETWEEN 0 AND amount), createdAt INTEGER NOT NULL,
            updatedAt INTEGER NOT NULL, brand TEXT, last4 TEXT CHECK (last4 GLOB '[0-9][0-9][0-9][0-9]'), entryMode
            TEXT, cvm TEXT, authCode TEXT, aid TEXT, applicationName TEXT, tvr TEXT, tsi TEXT, cryptogram TEXT,
            cryptogramType TEXT, odaMethod TEXT, odaResult TEXT, arc TEXT, hostReference TEXT, atc TEXT, declineReason
            TEXT, errorCode TEXT, errorMessage TEXT , odaReason TEXT);
        CREATE INDEX paymentByOrder ON payment (siteID, orderID) WHERE orderID IS NOT NULL;
        CREATE TABLE paymentAttempt (id INTEGER PRIMARY KEY AUTOINCREMENT, paymentID INTEGER NOT NULL REFERENCES payment
            (id), kind TEXT NOT NULL CHECK (kind IN ('sale', 'refund')), idempotencyKey TEXT NOT NULL UNIQUE, state TEXT
            NOT NULL CHECK (state IN ('created', 'authorizing', 'authorized', 'captured', 'declined', 'cancelled',
            'failed', 'reversing', 'reversed', 'unknown')), stan INTEGER NOT NULL CHECK (stan BETWEEN 1 AND 999999),
            hostName TEXT NOT NULL, amount INTEGER NOT NULL CHECK (amount BETWEEN 0 AND 999999999999), currency TEXT NOT
            NULL CHECK (currency GLOB '[A-Z][A-Z][A-Z]'), lease INTEGER NOT NULL, transitions INTEGER NOT NULL CHECK
            (transitions > 0), hostReference TEXT, lastError TEXT, advice TEXT CHECK (advice IS NULL OR
            json_valid(advice)), createdAt INTEGER NOT NULL, updatedAt INTEGER NOT NULL, openState TEXT GENERATED ALWAYS
            AS (CASE WHEN state IN ('captured', 'declined', 'cancelled', 'failed', 'reversed') THEN NULL ELSE state END)
            VIRTUAL);
        CREATE INDEX attemptByPayment ON paymentAttempt (paymentID);
        CREATE INDEX attemptByOpenState ON paymentAttempt (openState) WHERE openState IS NOT NULL;
        CREATE TABLE attemptTransition (attemptID INTEGER NOT NULL REFERENCES paymentAttempt (id), sequence INTEGER NOT
            NULL CHECK (sequence > 0), state TEXT NOT NULL, at INTEGER NOT NULL, detail TEXT, PRIMARY KEY (attemptID,
            sequence)) WITHOUT ROWID;
        CREATE TRIGGER attemptTransitionIsNeverChanged BEFORE UPDATE ON attemptTransition BEGIN SELECT RAISE(ABORT,
            'a transition is never changed'); END;
        CREATE TRIGGER attemptTransitionIsNeverDeleted BEFORE DELETE ON attemptTransition BEGIN SELECT RAISE(ABORT,
            'a transition is never deleted'); END;
        CREATE TABLE receipt (id INTEGER PRIMARY KEY AUTOINCREMENT, paymentID INTEGER NOT NULL REFERENCES payment (id),
            kind TEXT NOT NULL CHECK (kind IN ('sale', 'refund', 'declined', 'reversal', 'unknown')), content TEXT NOT
            NULL CHECK (json_valid(content)), createdAt INTEGER NOT NULL , attemptID INTEGER REFERENCES paymentAttempt
            (id), version INTEGER NOT NULL DEFAULT 1 CHECK (version > 0), orderID INTEGER, amount INTEGER CHECK (amount
            BETWEEN 0 AND 999999999999), currency TEXT CHECK (currency GLOB '[A-Z][A-Z][A-Z]'), last4 TEXT CHECK (last4
            GLOB '[0-9][0-9][0-9][0-9]'), authCode TEXT COLLATE NOCASE);
        CREATE INDEX receiptByPayment ON receipt (paymentID);
        CREATE TABLE cardKey (id INTEGER PRIMARY KEY CHECK (id = 1), name TEXT NOT NULL CHECK (length(name) = 16 AND
            name NOT GLOB '*[^0-9a-f]*'));
        CREATE TABLE offlineSale (attemptID INTEGER PRIMARY KEY REFERENCES paymentAttempt (id), card TEXT NOT NULL CHECK
            (length(card) = 32 AND card NOT GLOB '*[^0-9a-f]*'), amount INTEGER NOT NULL CHECK (amount BETWEEN 0 AND
            999999999999), currency TEXT NOT NULL CHECK (currency GLOB '[A-Z][A-Z][A-Z]'), madeAt INTEGER NOT NULL);
        CREATE INDEX offlineSaleByCard ON offlineSale (card);
        CREATE TABLE exceptionCard (id INTEGER PRIMARY KEY AUTOINCREMENT, card TEXT NOT NULL CHECK (length(card) = 32
            AND card NOT GLOB '*[^0-9a-f]*'), sequenceNumber INTEGER CHECK (sequenceNumber BETWEEN 0 AND 99), last4 TEXT
            NOT NULL CHECK (last4 GLOB '[0-9][0-9][0-9][0-9]'), reason TEXT, addedAt INTEGER NOT NULL);
        CREATE UNIQUE INDEX exceptionCardOnce ON exceptionCard (card, ifnull(sequenceNumber, -1));
        CREATE INDEX attemptByAdvice ON paymentAttempt (id) WHERE advice IS NOT NULL;
        CREATE TABLE rememberedReader (id TEXT NOT NULL PRIMARY KEY CHECK (length(id) BETWEEN 1 AND 300), name TEXT NOT
            NULL CHECK (length(name) <= 300), turn INTEGER NOT NULL UNIQUE, usedAt INTEGER NOT NULL);
        """

    private static let siteTables = """
        CREATE TABLE "account" (rowID INTEGER PRIMARY KEY, "id" INTEGER NOT NULL, "displayName" TEXT NOT NULL, "email"
            TEXT NOT NULL, "username" TEXT NOT NULL, "avatarURL" TEXT, UNIQUE ("id")) STRICT;
        CREATE TABLE "accountSettings" (rowID INTEGER PRIMARY KEY, "userID" INTEGER NOT NULL, "tracksOptOut" INTEGER NOT
            NULL, "firstName" TEXT, "lastName" TEXT, UNIQUE ("userID")) STRICT;
        CREATE TABLE "customer" (rowID INTEGER PRIMARY KEY, "siteID" INTEGER NOT NULL, "id" INTEGER NOT NULL, "email"
            TEXT NOT NULL, "username" TEXT, "firstName" TEXT, "lastName" TEXT, "role" TEXT, "isPayingCustomer" INTEGER
            NOT NULL, "dateCreatedGMT" INTEGER, "dateModifiedGMT" INTEGER, "billingFirstName" TEXT, "billingLastName"
            TEXT, "billingCompany" TEXT, "billingAddress1" TEXT, "billingAddress2" TEXT, "billingCity" TEXT,
            "billingState" TEXT, "billingPostcode" TEXT, "billingCountry" TEXT, "billingPhone" TEXT, "billingEmail"
            TEXT, "shippingFirstName" TEXT, "shippingLastName" TEXT, "shippingCompany" TEXT, "shippingAddress1" TEXT,
            "shippingAddress2" TEXT, "shippingCity" TEXT, "shippingState" TEXT, "shippingPostcode" TEXT,
            "shippingCountry" TEXT, "shippingPhone" TEXT, "shippingEmail" TEXT, UNIQUE ("siteID", "id")) STRICT;
        CREATE TABLE "gatewayAccount" (rowID INTEGER PRIMARY KEY, "siteID" INTEGER NOT NULL, "gatewayID" TEXT NOT NULL,
            "status" TEXT NOT NULL, "isLive" INTEGER NOT NULL, "testMode" INTEGER, "hasPendingRequirements" INTEGER NOT
            NULL, "hasOverdueRequirements" INTEGER NOT NULL, "currentDeadline" INTEGER, "statementDescriptor" TEXT NOT
            NULL, "storeCurrenciesDefault" TEXT NOT NULL, "storeCurrenciesSupported" TEXT NOT NULL, "country" TEXT NOT
            NULL, "cardPresentEligible" INTEGER, UNIQUE ("siteID", "gatewayID")) STRICT;
        CREATE TABLE "metaData" (parentRow INTEGER NOT NULL REFERENCES "order" (rowID) ON DELETE CASCADE, position
            INTEGER NOT NULL, "id" INTEGER, "key" TEXT NOT NULL, "value" TEXT, PRIMARY KEY (parentRow, position))
            STRICT, WITHOUT ROWID;
        CREATE TABLE "note" (rowID INTEGER PRIMARY KEY, "id" INTEGER NOT NULL, "noteHash" INTEGER NOT NULL, "read"
            INTEGER NOT NULL, "icon" TEXT, "noticon" TEXT, "timestamp" INTEGER NOT NULL, "type" TEXT NOT NULL, "subtype"
            TEXT, "url" TEXT, "title" TEXT, "subject" TEXT NOT NULL, "header" TEXT NOT NULL, "body" TEXT NOT NULL,
            "meta" TEXT, "deleteInProgress" INTEGER NOT NULL, UNIQUE ("id")) STRICT;
        CREATE TABLE "order" (rowID INTEGER PRIMARY KEY, "siteID" INTEGER NOT NULL, "id" INTEGER NOT NULL, "parentID"
            INTEGER, "customerID" INTEGER, "orderKey" TEXT NOT NULL, "number" TEXT NOT NULL, "status" TEXT NOT NULL,
            "currency" TEXT NOT NULL, "currencySymbol" TEXT, "customerNote" TEXT NOT NULL, "dateCreatedGMT" INTEGER,
            "dateModifiedGMT" INTEGER, "datePaidGMT" INTEGER, "dateCompletedGMT" INTEGER, "discountTotal" TEXT NOT NULL,
            "discountTax" TEXT NOT NULL, "shippingTotal" TEXT NOT NULL, "shippingTax" TEXT NOT NULL, "total" TEXT NOT
            NULL, "totalTax" TEXT NOT NULL, "paymentMethod" TEXT NOT NULL, "paymentMethodTitle" TEXT NOT NULL,
            "paymentURL" TEXT, "transactionID" TEXT, "billingFirstName" TEXT, "billingLastName" TEXT, "billingCompany"
            TEXT, "billingAddress1" TEXT, "billingAddress2" TEXT, "billingCity" TEXT, "billingState" TEXT,
            "billingPostcode" TEXT, "billingCountry" TEXT, "billingPhone" TEXT, "billingEmail" TEXT, "shippingFirstName"
            TEXT, "shippingLastName" TEXT, "shippingCompany" TEXT, "shippingAddress1" TEXT, "shippingAddress2" TEXT,
            "shippingCity" TEXT, "shippingState" TEXT, "shippingPostcode" TEXT, "shippingCountry" TEXT, "shippingPhone"
            TEXT, "shippingEmail" TEXT, "isEditable" INTEGER, "needsPayment" INTEGER, UNIQUE ("siteID", "id")) STRICT;
        CREATE TABLE "orderCouponLine" (parentRow INTEGER NOT NULL REFERENCES "order" (rowID) ON DELETE CASCADE,
            position INTEGER NOT NULL, "id" INTEGER NOT NULL, "code" TEXT NOT NULL, "discount" TEXT NOT NULL,
            "discountTax" TEXT NOT NULL, PRIMARY KEY (parentRow, position)) STRICT, WITHOUT ROWID;
        CREATE TABLE "orderFeeLine" (parentRow INTEGER NOT NULL REFERENCES "order" (rowID) ON DELETE CASCADE, position
            INTEGER NOT NULL, "id" INTEGER NOT NULL, "name" TEXT NOT NULL, "taxClass" TEXT NOT NULL, "taxStatus" TEXT,
            "total" TEXT NOT NULL, "totalTax" TEXT NOT NULL, "taxes" TEXT NOT NULL, PRIMARY KEY (parentRow, position))
            STRICT, WITHOUT ROWID;
        CREATE TABLE "orderGiftCard" (parentRow INTEGER NOT NULL REFERENCES "order" (rowID) ON DELETE CASCADE, position
            INTEGER NOT NULL, "id" INTEGER NOT NULL, "code" TEXT NOT NULL, "amount" TEXT NOT NULL, PRIMARY KEY
            (parentRow, position)) STRICT, WITHOUT ROWID;
        CREATE TABLE "orderItem" (parentRow INTEGER NOT NULL REFERENCES "order" (rowID) ON DELETE CASCADE, position
            INTEGER NOT NULL, "id" INTEGER NOT NULL, "name" TEXT NOT NULL, "productID" INTEGER, "variationID" INTEGER,
            "quantity" TEXT NOT NULL, "price" TEXT, "sku" TEXT, "subtotal" TEXT NOT NULL, "subtotalTax" TEXT NOT NULL,
            "taxClass" TEXT NOT NULL, "taxes" TEXT NOT NULL, "total" TEXT NOT NULL, "totalTax" TEXT NOT NULL, "metaData"
            TEXT NOT NULL, "bundledBy" INTEGER, "compositeParent" INTEGER, PRIMARY KEY (parentRow, position)) STRICT,
            WITHOUT ROWID;
        CREATE TABLE "orderNote" (rowID INTEGER PRIMARY KEY, "siteID" INTEGER NOT NULL, "orderID" INTEGER NOT NULL, "id"
            INTEGER NOT NULL, "dateCreatedGMT" INTEGER, "note" TEXT NOT NULL, "customerNote" INTEGER NOT NULL, "author"
            TEXT NOT NULL, UNIQUE ("siteID", "id")) STRICT;
        CREATE TABLE "orderRefundCondensed" (parentRow INTEGER NOT NULL REFERENCES "order" (rowID) ON DELETE CASCADE,
            position INTEGER NOT NULL, "id" INTEGER NOT NULL, "reason" TEXT, "total" TEXT NOT NULL, PRIMARY KEY
            (parentRow, position)) STRICT, WITHOUT ROWID;
        CREATE TABLE "orderStats" (rowID INTEGER PRIMARY KEY, "siteID" INTEGER NOT NULL, "timeRange" TEXT NOT NULL,
            "date" TEXT NOT NULL, "unit" TEXT NOT NULL, "totalOrders" INTEGER NOT NULL, "totalProducts" TEXT NOT NULL,
            "totalGrossSales" TEXT NOT NULL, "totalNetSales" TEXT NOT NULL, "avgOrders" TEXT NOT NULL, "avgProducts"
            TEXT NOT NULL, "avgGrossSales" TEXT NOT NULL, "avgNetSales" TEXT NOT NULL, UNIQUE ("siteID", "timeRange"))
            STRICT;
        CREATE TABLE "orderStatsItem" (parentRow INTEGER NOT NULL REFERENCES "orderStats" (rowID) ON DELETE CASCADE,
            position INTEGER NOT NULL, "period" TEXT NOT NULL, "orders" INTEGER NOT NULL, "products" TEXT NOT NULL,
            "coupons" INTEGER NOT NULL, "couponDiscount" TEXT NOT NULL, "totalSales" TEXT NOT NULL, "totalTax" TEXT NOT
            NULL, "totalShipping" TEXT NOT NULL, "totalShippingTax" TEXT NOT NULL, "totalRefund" TEXT NOT NULL,
            "totalTaxRefund" TEXT NOT NULL, "totalShippingRefund" TEXT NOT NULL, "totalShippingTaxRefund" TEXT NOT NULL,
            "currency" TEXT NOT NULL, "grossSales" TEXT NOT NULL, "netSales" TEXT NOT NULL, "avgOrderValue" TEXT NOT
            NULL, "avgProductsPerOrder" TEXT NOT NULL, PRIMARY KEY (parentRow, position)) STRICT, WITHOUT ROWID;
        CREATE TABLE "orderStatsV4" (rowID INTEGER PRIMARY KEY, "siteID" INTEGER NOT NULL, "timeRange" TEXT NOT NULL,
            "totalsOrdersCount" INTEGER NOT NULL, "totalsNumItemsSold" TEXT NOT NULL, "totalsTotalSales" TEXT NOT NULL,
            "totalsNetRevenue" TEXT NOT NULL, "totalsAvgOrderValue" TEXT, "totalsCouponsCount" INTEGER, "totalsRefunds"
            TEXT, "totalsTaxes" TEXT, "totalsShipping" TEXT, "totalsProducts" INTEGER, UNIQUE ("siteID", "timeRange"))
            STRICT;
        CREATE TABLE "orderStatsV4Interval" (parentRow INTEGER NOT NULL REFERENCES "orderStatsV4" (rowID) ON DELETE
            CASCADE, position INTEGER NOT NULL, "interval" TEXT NOT NULL, "dateStart" TEXT NOT NULL, "dateEnd" TEXT NOT
            NULL, "subtotalsOrdersCount" INTEGER NOT NULL, "subtotalsNumItemsSold" TEXT NOT NULL, "subtotalsTotalSales"
            TEXT NOT NULL, "subtotalsNetRevenue" TEXT NOT NULL, "subtotalsAvgOrderValue" TEXT, "subtotalsCouponsCount"
            INTEGER, "subtotalsRefunds" TEXT, "subtotalsTaxes" TEXT, "subtotalsShipping" TEXT, "subtotalsProducts"
            INTEGER, PRIMARY KEY (parentRow, position)) STRICT, WITHOUT ROWID;
        CREATE TABLE "orderStatus" (rowID INTEGER PRIMARY KEY, "siteID" INTEGER NOT NULL, "slug" TEXT NOT NULL, "name"
            TEXT NOT NULL, "total" INTEGER NOT NULL, UNIQUE ("siteID", "slug")) STRICT;
        CREATE TABLE "orderTaxLine" (parentRow INTEGER NOT NULL REFERENCES "order" (rowID) ON DELETE CASCADE, position
            INTEGER NOT NULL, "id" INTEGER NOT NULL, "rateCode" TEXT NOT NULL, "rateID" INTEGER, "label" TEXT NOT NULL,
            "compound" INTEGER NOT NULL, "taxTotal" TEXT NOT NULL, "shippingTaxTotal" TEXT NOT NULL, "ratePercent" TEXT,
            PRIMARY KEY (parentRow, position)) STRICT, WITHOUT ROWID;
        CREATE TABLE "searchResult" (rowID INTEGER PRIMARY KEY, "siteID" INTEGER NOT NULL, "entity" TEXT NOT NULL,
            "keyword" TEXT NOT NULL, "position" INTEGER NOT NULL, "elementID" INTEGER NOT NULL, UNIQUE ("siteID",
            "entity", "keyword", "position")) STRICT;
        CREATE TABLE "shipmentTracking" (rowID INTEGER PRIMARY KEY, "siteID" INTEGER NOT NULL, "orderID" INTEGER NOT
            NULL, "trackingID" TEXT NOT NULL, "trackingNumber" TEXT NOT NULL, "trackingProvider" TEXT, "trackingLink"
            TEXT, "dateShipped" TEXT, UNIQUE ("siteID", "orderID", "trackingID")) STRICT;
        CREATE TABLE "shipmentTrackingProvider" (parentRow INTEGER NOT NULL REFERENCES "shipmentTrackingProviderGroup"
            (rowID) ON DELETE CASCADE, position INTEGER NOT NULL, "name" TEXT NOT NULL, "url" TEXT NOT NULL, PRIMARY KEY
            (parentRow, position)) STRICT, WITHOUT ROWID;
        CREATE TABLE "shipmentTrackingProviderGroup" (rowID INTEGER PRIMARY KEY, "siteID" INTEGER NOT NULL, "name" TEXT
            NOT NULL, UNIQUE ("siteID", "name")) STRICT;
        CREATE TABLE "shippingLine" (parentRow INTEGER NOT NULL REFERENCES "order" (rowID) ON DELETE CASCADE, position
            INTEGER NOT NULL, "id" INTEGER NOT NULL, "methodTitle" TEXT NOT NULL, "methodID" TEXT, "total" TEXT NOT
            NULL, "totalTax" TEXT NOT NULL, "taxes" TEXT NOT NULL, PRIMARY KEY (parentRow, position)) STRICT, WITHOUT
            ROWID;
        CREATE TABLE "site" (rowID INTEGER PRIMARY KEY, "id" INTEGER NOT NULL, "name" TEXT NOT NULL, "description" TEXT
            NOT NULL, "url" TEXT NOT NULL, "jetpack" INTEGER NOT NULL, "jetpackConnection" INTEGER NOT NULL,
            "wasEcommerceTrial" INTEGER NOT NULL, "planProductSlug" TEXT, "planProductNameShort" TEXT,
            "capabilitiesOwnSite" INTEGER, "capabilitiesManageOptions" INTEGER, "optionsAdminURL" TEXT NOT NULL,
            "optionsLoginURL" TEXT NOT NULL, "optionsFrameNonce" TEXT NOT NULL, "optionsTimezone" TEXT NOT NULL,
            "optionsGmtOffset" TEXT, "optionsIsWPComStore" INTEGER NOT NULL, "optionsWoocommerceIsActive" INTEGER NOT
            NULL, "optionsJetpackConnectionActivePlugins" TEXT NOT NULL, "optionsBlogPublic" INTEGER, "optionsCanBlaze"
            INTEGER NOT NULL, UNIQUE ("id")) STRICT;
        CREATE TABLE "siteSetting" (rowID INTEGER PRIMARY KEY, "siteID" INTEGER NOT NULL, "id" TEXT NOT NULL, "label"
            TEXT NOT NULL, "description" TEXT NOT NULL, "type" TEXT, "value" TEXT, "groupID" TEXT NOT NULL, UNIQUE
            ("siteID", "groupID", "id")) STRICT;
        CREATE TABLE "siteSummaryStats" (rowID INTEGER PRIMARY KEY, "siteID" INTEGER NOT NULL, "timeRange" TEXT NOT
            NULL, "date" TEXT NOT NULL, "period" TEXT NOT NULL, "visitors" INTEGER NOT NULL, "views" INTEGER NOT NULL,
            UNIQUE ("siteID", "timeRange")) STRICT;
        CREATE TABLE "siteVisitStats" (rowID INTEGER PRIMARY KEY, "siteID" INTEGER NOT NULL, "timeRange" TEXT NOT NULL,
            "date" TEXT NOT NULL, "unit" TEXT NOT NULL, UNIQUE ("siteID", "timeRange")) STRICT;
        CREATE TABLE "siteVisitStatsItem" (parentRow INTEGER NOT NULL REFERENCES "siteVisitStats" (rowID) ON DELETE
            CASCADE, position INTEGER NOT NULL, "period" TEXT NOT NULL, "visitors" INTEGER NOT NULL, "views" INTEGER NOT
            NULL, PRIMARY KEY (parentRow, position)) STRICT, WITHOUT ROWID;
        CREATE TABLE "synchronizationMark" (rowID INTEGER PRIMARY KEY, "siteID" INTEGER NOT NULL, "entity" TEXT NOT
            NULL, "synchronizedAt" INTEGER NOT NULL, "modifiedUpTo" INTEGER, UNIQUE ("siteID", "entity")) STRICT;
        CREATE TABLE "taxClass" (rowID INTEGER PRIMARY KEY, "siteID" INTEGER NOT NULL, "slug" TEXT NOT NULL, "name" TEXT
            NOT NULL, UNIQUE ("siteID", "slug")) STRICT;
        CREATE TABLE "taxRate" (rowID INTEGER PRIMARY KEY, "siteID" INTEGER NOT NULL, "id" INTEGER NOT NULL, "country"
            TEXT NOT NULL, "state" TEXT NOT NULL, "postcode" TEXT NOT NULL, "city" TEXT NOT NULL, "postcodes" TEXT NOT
            NULL, "cities" TEXT NOT NULL, "rate" TEXT NOT NULL, "name" TEXT NOT NULL, "priority" INTEGER NOT NULL,
            "compound" INTEGER NOT NULL, "shipping" INTEGER NOT NULL, "order" INTEGER NOT NULL, "class" TEXT NOT NULL,
            UNIQUE ("siteID", "id")) STRICT;
        CREATE TABLE "topEarnerStats" (rowID INTEGER PRIMARY KEY, "siteID" INTEGER NOT NULL, "timeRange" TEXT NOT NULL,
            "date" TEXT NOT NULL, "unit" TEXT NOT NULL, "limit" INTEGER, UNIQUE ("siteID", "timeRange")) STRICT;
        CREATE TABLE "topEarnerStatsItem" (parentRow INTEGER NOT NULL REFERENCES "topEarnerStats" (rowID) ON DELETE
            CASCADE, position INTEGER NOT NULL, "id" INTEGER NOT NULL, "name" TEXT, "total" TEXT NOT NULL, "quantity"
            TEXT NOT NULL, "price" TEXT, "image" TEXT, "currency" TEXT NOT NULL, PRIMARY KEY (parentRow, position))
            STRICT, WITHOUT ROWID;
        CREATE TABLE "wcAnalyticsCustomer" (rowID INTEGER PRIMARY KEY, "siteID" INTEGER NOT NULL, "id" INTEGER NOT NULL,
            "userID" INTEGER, "name" TEXT, "username" TEXT, "email" TEXT, "country" TEXT, "state" TEXT, "city" TEXT,
            "postcode" TEXT, "dateRegisteredGMT" INTEGER, "dateLastActiveGMT" INTEGER, "ordersCount" INTEGER,
            "totalSpend" TEXT, "avgOrderValue" TEXT, UNIQUE ("siteID", "id")) STRICT;
        CREATE TABLE "wcPayCharge" (rowID INTEGER PRIMARY KEY, "siteID" INTEGER NOT NULL, "id" TEXT NOT NULL, "amount"
            INTEGER NOT NULL, "amountCaptured" INTEGER NOT NULL, "amountRefunded" INTEGER NOT NULL, "authorizationCode"
            TEXT, "captured" INTEGER NOT NULL, "created" INTEGER NOT NULL, "currency" TEXT NOT NULL, "paid" INTEGER NOT
            NULL, "paymentIntent" TEXT, "paymentMethod" TEXT NOT NULL, "methodType" TEXT NOT NULL, "methodCardBrand"
            TEXT, "methodCardLast4" TEXT, "methodCardFunding" TEXT, "methodCardPresentBrand" TEXT,
            "methodCardPresentLast4" TEXT, "methodCardPresentFunding" TEXT, "methodCardPresentReceiptAccountType" TEXT,
            "methodCardPresentReceiptApplicationPreferredName" TEXT, "methodCardPresentReceiptDedicatedFileName" TEXT,
            "methodInteracPresentBrand" TEXT, "methodInteracPresentLast4" TEXT, "methodInteracPresentFunding" TEXT,
            "methodInteracPresentReceiptAccountType" TEXT, "methodInteracPresentReceiptApplicationPreferredName" TEXT,
            "methodInteracPresentReceiptDedicatedFileName" TEXT, "refunded" INTEGER NOT NULL, "status" TEXT NOT NULL,
            UNIQUE ("siteID", "id")) STRICT;
        CREATE TRIGGER orderTakesItsOwnAlong AFTER DELETE ON "order" BEGIN DELETE FROM orderNote WHERE siteID =
            OLD.siteID AND orderID = OLD.id; DELETE FROM shipmentTracking WHERE siteID = OLD.siteID AND orderID =
            OLD.id; END;
        CREATE INDEX orderByDate ON "order" (siteID, dateCreatedGMT);
        CREATE INDEX orderNoteByOrder ON orderNote (siteID, orderID);
        CREATE INDEX searchResultByElement ON searchResult (siteID, entity, elementID);
        CREATE TABLE siteCapture (id INTEGER PRIMARY KEY REFERENCES payment (id), attemptID INTEGER UNIQUE REFERENCES
            paymentAttempt (id), siteAddress TEXT NOT NULL CHECK (length(siteAddress) > 0), storeName TEXT, orderNumber
            TEXT NOT NULL, gateway TEXT NOT NULL CHECK (gateway IN ('woocommerce-payments', 'woocommerce-stripe')),
            intentID TEXT UNIQUE, state TEXT NOT NULL CHECK (state IN ('planned', 'due', 'sent', 'unknown', 'confirmed',
            'refused', 'conflict')), tries INTEGER NOT NULL CHECK (tries >= 0), orderStatus TEXT, receiptID INTEGER
            REFERENCES receipt (id), lastError TEXT, lease INTEGER NOT NULL, createdAt INTEGER NOT NULL, updatedAt
            INTEGER NOT NULL, CHECK ((state = 'planned') = (attemptID IS NULL)), CHECK ((attemptID IS NULL) = (intentID
            IS NULL)));
        CREATE INDEX siteCaptureOpen ON siteCapture (id) WHERE state IN ('due', 'sent', 'unknown');
        CREATE UNIQUE INDEX receiptVersion ON receipt (paymentID, kind, coalesce(attemptID, 0), version);
        CREATE INDEX receiptByDate ON receipt (createdAt);
        CREATE INDEX receiptByOrder ON receipt (orderID) WHERE orderID IS NOT NULL;
        CREATE INDEX receiptByLast4 ON receipt (last4) WHERE last4 IS NOT NULL;
        CREATE INDEX receiptByAmount ON receipt (amount, currency) WHERE amount IS NOT NULL;
        CREATE INDEX receiptByAuthCode ON receipt (authCode) WHERE authCode IS NOT NULL;
        CREATE TRIGGER receiptIsNeverChanged BEFORE UPDATE ON receipt BEGIN SELECT RAISE(ABORT,
            'a receipt is never changed'); END;
        CREATE TRIGGER receiptIsNeverDeleted BEFORE DELETE ON receipt BEGIN SELECT RAISE(ABORT,
            'a receipt is never deleted'); END;
        CREATE TABLE "printJob" (id INTEGER PRIMARY KEY AUTOINCREMENT, receiptID INTEGER NOT NULL REFERENCES receipt
            (id), printer TEXT NOT NULL, jobID INTEGER CHECK (jobID > 0), copy TEXT NOT NULL CHECK (copy IN ('merchant',
            'customer')), copies INTEGER NOT NULL CHECK (copies > 0), medium TEXT, format TEXT, isDuplicate INTEGER NOT
            NULL CHECK (isDuplicate IN (0, 1)), state TEXT NOT NULL CHECK (state IN ('queued', 'accepted', 'sent',
            'completed', 'failed', 'unknown')), reasons TEXT NOT NULL, message TEXT, isOpen INTEGER NOT NULL CHECK
            (isOpen = 0 OR (isOpen = 1 AND state NOT IN ('completed', 'failed'))), mayBePrinted INTEGER NOT NULL CHECK
            (mayBePrinted = 1 OR (mayBePrinted = 0 AND state = 'failed')), lease INTEGER NOT NULL, transitions INTEGER
            NOT NULL CHECK (transitions > 0), createdAt INTEGER NOT NULL, updatedAt INTEGER NOT NULL);
        CREATE INDEX printJobByReceipt ON printJob (receiptID);
        CREATE INDEX printJobOpen ON printJob (id) WHERE isOpen = 1;
        CREATE TABLE printJobTransition (printJobID INTEGER NOT NULL REFERENCES printJob (id), sequence INTEGER NOT NULL
            CHECK (sequence > 0), state TEXT NOT NULL, at INTEGER NOT NULL, reasons TEXT NOT NULL, message TEXT, PRIMARY
            KEY (printJobID, sequence)) WITHOUT ROWID;
        CREATE TRIGGER printJobTransitionIsNeverChanged BEFORE UPDATE ON printJobTransition BEGIN SELECT RAISE(ABORT,
            'a transition is never changed'); END;
        CREATE TRIGGER printJobTransitionIsNeverDeleted BEFORE DELETE ON printJobTransition BEGIN SELECT RAISE(ABORT,
            'a transition is never deleted'); END;
        """
}
