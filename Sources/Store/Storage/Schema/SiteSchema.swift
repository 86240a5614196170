extension SchemaMigrator.Step {
    /// Schema 6 adds copies of the records of sites and accounts: a table for each record type, with the site's key,
    /// and a table for each list of children, in order. Times are milliseconds since 1970, amounts are decimal texts,
    /// and lists and values of any shape are JSON.
    static let version6 = SchemaMigrator.Step(
        sql: [siteTables, orderTables, statsTables].joined(separator: "\n\n"))

    private static let siteTables = """
        CREATE TABLE "account" (
            rowID INTEGER PRIMARY KEY,
            "id" INTEGER NOT NULL,
            "displayName" TEXT NOT NULL,
            "email" TEXT NOT NULL,
            "username" TEXT NOT NULL,
            "avatarURL" TEXT,
            UNIQUE ("id")
        ) STRICT;

        CREATE TABLE "accountSettings" (
            rowID INTEGER PRIMARY KEY,
            "userID" INTEGER NOT NULL,
            "tracksOptOut" INTEGER NOT NULL,
            "firstName" TEXT,
            "lastName" TEXT,
            UNIQUE ("userID")
        ) STRICT;

        CREATE TABLE "customer" (
            rowID INTEGER PRIMARY KEY,
            "siteID" INTEGER NOT NULL,
            "id" INTEGER NOT NULL,
            "email" TEXT NOT NULL,
            "username" TEXT,
            "firstName" TEXT,
            "lastName" TEXT,
            "role" TEXT,
            "isPayingCustomer" INTEGER NOT NULL,
            "dateCreatedGMT" INTEGER,
            "dateModifiedGMT" INTEGER,
            \(addressColumns)
            UNIQUE ("siteID", "id")
        ) STRICT;

        CREATE TABLE "gatewayAccount" (
            rowID INTEGER PRIMARY KEY,
            "siteID" INTEGER NOT NULL,
            "gatewayID" TEXT NOT NULL,
            "status" TEXT NOT NULL,
            "isLive" INTEGER NOT NULL,
            "testMode" INTEGER,
            "hasPendingRequirements" INTEGER NOT NULL,
            "hasOverdueRequirements" INTEGER NOT NULL,
            "currentDeadline" INTEGER,
            "statementDescriptor" TEXT NOT NULL,
            "storeCurrenciesDefault" TEXT NOT NULL,
            "storeCurrenciesSupported" TEXT NOT NULL,
            "country" TEXT NOT NULL,
            "cardPresentEligible" INTEGER,
            UNIQUE ("siteID", "gatewayID")
        ) STRICT;

        CREATE TABLE "note" (
            rowID INTEGER PRIMARY KEY,
            "id" INTEGER NOT NULL,
            "noteHash" INTEGER NOT NULL,
            "read" INTEGER NOT NULL,
            "icon" TEXT,
            "noticon" TEXT,
            "timestamp" INTEGER NOT NULL,
            "type" TEXT NOT NULL,
            "subtype" TEXT,
            "url" TEXT,
            "title" TEXT,
            "subject" TEXT NOT NULL,
            "header" TEXT NOT NULL,
            "body" TEXT NOT NULL,
            "meta" TEXT,
            "deleteInProgress" INTEGER NOT NULL,
            UNIQUE ("id")
        ) STRICT;

        CREATE TABLE "searchResult" (
            rowID INTEGER PRIMARY KEY,
            "siteID" INTEGER NOT NULL,
            "entity" TEXT NOT NULL,
            "keyword" TEXT NOT NULL,
            "position" INTEGER NOT NULL,
            "elementID" INTEGER NOT NULL,
            UNIQUE ("siteID", "entity", "keyword", "position")
        ) STRICT;

        CREATE TABLE "site" (
            rowID INTEGER PRIMARY KEY,
            "id" INTEGER NOT NULL,
            "name" TEXT NOT NULL,
            "description" TEXT NOT NULL,
            "url" TEXT NOT NULL,
            "jetpack" INTEGER NOT NULL,
            "jetpackConnection" INTEGER NOT NULL,
            "wasEcommerceTrial" INTEGER NOT NULL,
            "planProductSlug" TEXT,
            "planProductNameShort" TEXT,
            "capabilitiesOwnSite" INTEGER,
            "capabilitiesManageOptions" INTEGER,
            "optionsAdminURL" TEXT NOT NULL,
            "optionsLoginURL" TEXT NOT NULL,
            "optionsFrameNonce" TEXT NOT NULL,
            "optionsTimezone" TEXT NOT NULL,
            "optionsGmtOffset" TEXT,
            "optionsIsWPComStore" INTEGER NOT NULL,
            "optionsWoocommerceIsActive" INTEGER NOT NULL,
            "optionsJetpackConnectionActivePlugins" TEXT NOT NULL,
            "optionsBlogPublic" INTEGER,
            "optionsCanBlaze" INTEGER NOT NULL,
            UNIQUE ("id")
        ) STRICT;

        CREATE TABLE "siteSetting" (
            rowID INTEGER PRIMARY KEY,
            "siteID" INTEGER NOT NULL,
            "id" TEXT NOT NULL,
            "label" TEXT NOT NULL,
            "description" TEXT NOT NULL,
            "type" TEXT,
            "value" TEXT,
            "groupID" TEXT NOT NULL,
            UNIQUE ("siteID", "groupID", "id")
        ) STRICT;

        CREATE TABLE "synchronizationMark" (
            rowID INTEGER PRIMARY KEY,
            "siteID" INTEGER NOT NULL,
            "entity" TEXT NOT NULL,
            "synchronizedAt" INTEGER NOT NULL,
            "modifiedUpTo" INTEGER,
            UNIQUE ("siteID", "entity")
        ) STRICT;

        CREATE TABLE "taxClass" (
            rowID INTEGER PRIMARY KEY,
            "siteID" INTEGER NOT NULL,
            "slug" TEXT NOT NULL,
            "name" TEXT NOT NULL,
            UNIQUE ("siteID", "slug")
        ) STRICT;

        CREATE TABLE "taxRate" (
            rowID INTEGER PRIMARY KEY,
            "siteID" INTEGER NOT NULL,
            "id" INTEGER NOT NULL,
            "country" TEXT NOT NULL,
            "state" TEXT NOT NULL,
            "postcode" TEXT NOT NULL,
            "city" TEXT NOT NULL,
            "postcodes" TEXT NOT NULL,
            "cities" TEXT NOT NULL,
            "rate" TEXT NOT NULL,
            "name" TEXT NOT NULL,
            "priority" INTEGER NOT NULL,
            "compound" INTEGER NOT NULL,
            "shipping" INTEGER NOT NULL,
            "order" INTEGER NOT NULL,
            "class" TEXT NOT NULL,
            UNIQUE ("siteID", "id")
        ) STRICT;

        CREATE TABLE "wcAnalyticsCustomer" (
            rowID INTEGER PRIMARY KEY,
            "siteID" INTEGER NOT NULL,
            "id" INTEGER NOT NULL,
            "userID" INTEGER,
            "name" TEXT,
            "username" TEXT,
            "email" TEXT,
            "country" TEXT,
            "state" TEXT,
            "city" TEXT,
            "postcode" TEXT,
            "dateRegisteredGMT" INTEGER,
            "dateLastActiveGMT" INTEGER,
            "ordersCount" INTEGER,
            "totalSpend" TEXT,
            "avgOrderValue" TEXT,
            UNIQUE ("siteID", "id")
        ) STRICT;

        CREATE TABLE "wcPayCharge" (
            rowID INTEGER PRIMARY KEY,
            "siteID" INTEGER NOT NULL,
            "id" TEXT NOT NULL,
            "amount" INTEGER NOT NULL,
            "amountCaptured" INTEGER NOT NULL,
            "amountRefunded" INTEGER NOT NULL,
            "authorizationCode" TEXT,
            "captured" INTEGER NOT NULL,
            "created" INTEGER NOT NULL,
            "currency" TEXT NOT NULL,
            "paid" INTEGER NOT NULL,
            "paymentIntent" TEXT,
            "paymentMethod" TEXT NOT NULL,
            "methodType" TEXT NOT NULL,
            "methodCardBrand" TEXT,
            "methodCardLast4" TEXT,
            "methodCardFunding" TEXT,
            "methodCardPresentBrand" TEXT,
            "methodCardPresentLast4" TEXT,
            "methodCardPresentFunding" TEXT,
            "methodCardPresentReceiptAccountType" TEXT,
            "methodCardPresentReceiptApplicationPreferredName" TEXT,
            "methodCardPresentReceiptDedicatedFileName" TEXT,
            "methodInteracPresentBrand" TEXT,
            "methodInteracPresentLast4" TEXT,
            "methodInteracPresentFunding" TEXT,
            "methodInteracPresentReceiptAccountType" TEXT,
            "methodInteracPresentReceiptApplicationPreferredName" TEXT,
            "methodInteracPresentReceiptDedicatedFileName" TEXT,
            "refunded" INTEGER NOT NULL,
            "status" TEXT NOT NULL,
            UNIQUE ("siteID", "id")
        ) STRICT;

        CREATE INDEX searchResultByElement ON searchResult (siteID, entity, elementID);
        """

    private static let statsTables = """
        CREATE TABLE "orderStats" (
            rowID INTEGER PRIMARY KEY,
            "siteID" INTEGER NOT NULL,
            "timeRange" TEXT NOT NULL,
            "date" TEXT NOT NULL,
            "unit" TEXT NOT NULL,
            "totalOrders" INTEGER NOT NULL,
            "totalProducts" TEXT NOT NULL,
            "totalGrossSales" TEXT NOT NULL,
            "totalNetSales" TEXT NOT NULL,
            "avgOrders" TEXT NOT NULL,
            "avgProducts" TEXT NOT NULL,
            "avgGrossSales" TEXT NOT NULL,
            "avgNetSales" TEXT NOT NULL,
            UNIQUE ("siteID", "timeRange")
        ) STRICT;

        CREATE TABLE "orderStatsItem" (
            parentRow INTEGER NOT NULL REFERENCES "orderStats" (rowID) ON DELETE CASCADE,
            position INTEGER NOT NULL,
            "period" TEXT NOT NULL,
            "orders" INTEGER NOT NULL,
            "products" TEXT NOT NULL,
            "coupons" INTEGER NOT NULL,
            "couponDiscount" TEXT NOT NULL,
            "totalSales" TEXT NOT NULL,
            "totalTax" TEXT NOT NULL,
            "totalShipping" TEXT NOT NULL,
            "totalShippingTax" TEXT NOT NULL,
            "totalRefund" TEXT NOT NULL,
            "totalTaxRefund" TEXT NOT NULL,
            "totalShippingRefund" TEXT NOT NULL,
            "totalShippingTaxRefund" TEXT NOT NULL,
            "currency" TEXT NOT NULL,
            "grossSales" TEXT NOT NULL,
            "netSales" TEXT NOT NULL,
            "avgOrderValue" TEXT NOT NULL,
            "avgProductsPerOrder" TEXT NOT NULL,
            PRIMARY KEY (parentRow, position)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE "orderStatsV4" (
            rowID INTEGER PRIMARY KEY,
            "siteID" INTEGER NOT NULL,
            "timeRange" TEXT NOT NULL,
            "totalsOrdersCount" INTEGER NOT NULL,
            "totalsNumItemsSold" TEXT NOT NULL,
            "totalsTotalSales" TEXT NOT NULL,
            "totalsNetRevenue" TEXT NOT NULL,
            "totalsAvgOrderValue" TEXT,
            "totalsCouponsCount" INTEGER,
            "totalsRefunds" TEXT,
            "totalsTaxes" TEXT,
            "totalsShipping" TEXT,
            "totalsProducts" INTEGER,
            UNIQUE ("siteID", "timeRange")
        ) STRICT;

        CREATE TABLE "orderStatsV4Interval" (
            parentRow INTEGER NOT NULL REFERENCES "orderStatsV4" (rowID) ON DELETE CASCADE,
            position INTEGER NOT NULL,
            "interval" TEXT NOT NULL,
            "dateStart" TEXT NOT NULL,
            "dateEnd" TEXT NOT NULL,
            "subtotalsOrdersCount" INTEGER NOT NULL,
            "subtotalsNumItemsSold" TEXT NOT NULL,
            "subtotalsTotalSales" TEXT NOT NULL,
            "subtotalsNetRevenue" TEXT NOT NULL,
            "subtotalsAvgOrderValue" TEXT,
            "subtotalsCouponsCount" INTEGER,
            "subtotalsRefunds" TEXT,
            "subtotalsTaxes" TEXT,
            "subtotalsShipping" TEXT,
            "subtotalsProducts" INTEGER,
            PRIMARY KEY (parentRow, position)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE "siteSummaryStats" (
            rowID INTEGER PRIMARY KEY,
            "siteID" INTEGER NOT NULL,
            "timeRange" TEXT NOT NULL,
            "date" TEXT NOT NULL,
            "period" TEXT NOT NULL,
            "visitors" INTEGER NOT NULL,
            "views" INTEGER NOT NULL,
            UNIQUE ("siteID", "timeRange")
        ) STRICT;

        CREATE TABLE "siteVisitStats" (
            rowID INTEGER PRIMARY KEY,
            "siteID" INTEGER NOT NULL,
            "timeRange" TEXT NOT NULL,
            "date" TEXT NOT NULL,
            "unit" TEXT NOT NULL,
            UNIQUE ("siteID", "timeRange")
        ) STRICT;

        CREATE TABLE "siteVisitStatsItem" (
            parentRow INTEGER NOT NULL REFERENCES "siteVisitStats" (rowID) ON DELETE CASCADE,
            position INTEGER NOT NULL,
            "period" TEXT NOT NULL,
            "visitors" INTEGER NOT NULL,
            "views" INTEGER NOT NULL,
            PRIMARY KEY (parentRow, position)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE "topEarnerStats" (
            rowID INTEGER PRIMARY KEY,
            "siteID" INTEGER NOT NULL,
            "timeRange" TEXT NOT NULL,
            "date" TEXT NOT NULL,
            "unit" TEXT NOT NULL,
            "limit" INTEGER,
            UNIQUE ("siteID", "timeRange")
        ) STRICT;

        CREATE TABLE "topEarnerStatsItem" (
            parentRow INTEGER NOT NULL REFERENCES "topEarnerStats" (rowID) ON DELETE CASCADE,
            position INTEGER NOT NULL,
            "id" INTEGER NOT NULL,
            "name" TEXT,
            "total" TEXT NOT NULL,
            "quantity" TEXT NOT NULL,
            "price" TEXT,
            "image" TEXT,
            "currency" TEXT NOT NULL,
            PRIMARY KEY (parentRow, position)
        ) STRICT, WITHOUT ROWID;
        """
}
