// Made by Scripts/generate from Sources/Networking/Models/Payments/GatewayAccount.swift: change that, not this.
public import GRDB

/// What is stored of ``GatewayAccount``.
public struct GatewayAccountRecord: KeyedObject {
    public static let databaseTableName = "gatewayAccount"
    public static let columnNames = [
        "siteID",
        "gatewayID",
        "status",
        "isLive",
        "testMode",
        "hasPendingRequirements",
        "hasOverdueRequirements",
        "currentDeadline",
        "statementDescriptor",
        "storeCurrenciesDefault",
        "storeCurrenciesSupported",
        "country",
        "cardPresentEligible",
    ]
    public static let keyColumnNames = ["siteID", "gatewayID"]
    public static let keyedStatements = KeyedStatements(
        table: databaseTableName, columns: columnNames, key: keyColumnNames)
    public static let relationships: [Relationship<GatewayAccountRecord>] = []
    public static let columns = Columns()

    public var siteID: Int64
    public var gatewayID: String
    public var status: String
    public var isLive: Bool
    public var testMode: Bool?
    public var hasPendingRequirements: Bool
    public var hasOverdueRequirements: Bool
    public var currentDeadline: Int64?
    public var statementDescriptor: String
    public var storeCurrenciesDefault: String
    public var storeCurrenciesSupported: String
    public var country: String
    public var cardPresentEligible: Bool?

    public init(
        siteID: Int64,
        gatewayID: String,
        status: String,
        isLive: Bool,
        testMode: Bool?,
        hasPendingRequirements: Bool,
        hasOverdueRequirements: Bool,
        currentDeadline: Int64?,
        statementDescriptor: String,
        storeCurrenciesDefault: String,
        storeCurrenciesSupported: String,
        country: String,
        cardPresentEligible: Bool?
    ) {
        self.siteID = siteID
        self.gatewayID = gatewayID
        self.status = status
        self.isLive = isLive
        self.testMode = testMode
        self.hasPendingRequirements = hasPendingRequirements
        self.hasOverdueRequirements = hasOverdueRequirements
        self.currentDeadline = currentDeadline
        self.statementDescriptor = statementDescriptor
        self.storeCurrenciesDefault = storeCurrenciesDefault
        self.storeCurrenciesSupported = storeCurrenciesSupported
        self.country = country
        self.cardPresentEligible = cardPresentEligible
    }

    public init(row: Row) throws {
        var reader = RowReader(row: row, of: Self.self)
        siteID = try reader.value("siteID")
        gatewayID = try reader.value("gatewayID")
        status = try reader.value("status")
        isLive = try reader.value("isLive")
        testMode = try reader.optional("testMode")
        hasPendingRequirements = try reader.value("hasPendingRequirements")
        hasOverdueRequirements = try reader.value("hasOverdueRequirements")
        currentDeadline = try reader.optional("currentDeadline")
        statementDescriptor = try reader.value("statementDescriptor")
        storeCurrenciesDefault = try reader.value("storeCurrenciesDefault")
        storeCurrenciesSupported = try reader.value("storeCurrenciesSupported")
        country = try reader.value("country")
        cardPresentEligible = try reader.optional("cardPresentEligible")
    }

    public var columnValues: [(any DatabaseValueConvertible)?] {
        [
            siteID,
            gatewayID,
            status,
            isLive,
            testMode,
            hasPendingRequirements,
            hasOverdueRequirements,
            currentDeadline,
            statementDescriptor,
            storeCurrenciesDefault,
            storeCurrenciesSupported,
            country,
            cardPresentEligible,
        ]
    }

    public var keyValues: [any DatabaseValueConvertible] {
        [siteID, gatewayID]
    }

    /// The columns to ask and to sort by.
    public struct Columns: Sendable {
        public let siteID = RecordColumn<Int64>("siteID")
        public let gatewayID = RecordColumn<String>("gatewayID")
        public let status = RecordColumn<String>("status")
        public let isLive = RecordColumn<Bool>("isLive")
        public let testMode = RecordColumn<Bool>("testMode")
        public let hasPendingRequirements = RecordColumn<Bool>("hasPendingRequirements")
        public let hasOverdueRequirements = RecordColumn<Bool>("hasOverdueRequirements")
        public let currentDeadline = RecordColumn<Int64>("currentDeadline")
        public let statementDescriptor = RecordColumn<String>("statementDescriptor")
        public let storeCurrenciesDefault = RecordColumn<String>("storeCurrenciesDefault")
        public let storeCurrenciesSupported = RecordColumn<String>("storeCurrenciesSupported")
        public let country = RecordColumn<String>("country")
        public let cardPresentEligible = RecordColumn<Bool>("cardPresentEligible")
    }
}
