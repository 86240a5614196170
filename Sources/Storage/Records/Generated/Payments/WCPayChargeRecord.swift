// Made by Scripts/generate from Sources/Networking/Models/Payments/WCPayCharge.swift: change that, not this.
public import GRDB

/// What is stored of ``WCPayCharge``.
public struct WCPayChargeRecord: KeyedObject {
    public static let databaseTableName = "wcPayCharge"
    public static let columnNames = [
        "siteID",
        "id",
        "amount",
        "amountCaptured",
        "amountRefunded",
        "authorizationCode",
        "captured",
        "created",
        "currency",
        "paid",
        "paymentIntent",
        "paymentMethod",
        "methodType",
        "methodCardBrand",
        "methodCardLast4",
        "methodCardFunding",
        "methodCardPresentBrand",
        "methodCardPresentLast4",
        "methodCardPresentFunding",
        "methodCardPresentReceiptAccountType",
        "methodCardPresentReceiptApplicationPreferredName",
        "methodCardPresentReceiptDedicatedFileName",
        "methodInteracPresentBrand",
        "methodInteracPresentLast4",
        "methodInteracPresentFunding",
        "methodInteracPresentReceiptAccountType",
        "methodInteracPresentReceiptApplicationPreferredName",
        "methodInteracPresentReceiptDedicatedFileName",
        "refunded",
        "status",
    ]
    public static let keyColumnNames = ["siteID", "id"]
    public static let keyedStatements = KeyedStatements(
        table: databaseTableName, columns: columnNames, key: keyColumnNames)
    public static let relationships: [Relationship<WCPayChargeRecord>] = []
    public static let columns = Columns()

    public var siteID: Int64
    public var id: String
    public var amount: Int64
    public var amountCaptured: Int64
    public var amountRefunded: Int64
    public var authorizationCode: String?
    public var captured: Bool
    public var created: Int64
    public var currency: String
    public var paid: Bool
    public var paymentIntent: String?
    public var paymentMethod: String
    public var methodType: String
    public var methodCardBrand: String?
    public var methodCardLast4: String?
    public var methodCardFunding: String?
    public var methodCardPresentBrand: String?
    public var methodCardPresentLast4: String?
    public var methodCardPresentFunding: String?
    public var methodCardPresentReceiptAccountType: String?
    public var methodCardPresentReceiptApplicationPreferredName: String?
    public var methodCardPresentReceiptDedicatedFileName: String?
    public var methodInteracPresentBrand: String?
    public var methodInteracPresentLast4: String?
    public var methodInteracPresentFunding: String?
    public var methodInteracPresentReceiptAccountType: String?
    public var methodInteracPresentReceiptApplicationPreferredName: String?
    public var methodInteracPresentReceiptDedicatedFileName: String?
    public var refunded: Bool
    public var status: String

    public init(
        siteID: Int64,
        id: String,
        amount: Int64,
        amountCaptured: Int64,
        amountRefunded: Int64,
        authorizationCode: String?,
        captured: Bool,
        created: Int64,
        currency: String,
        paid: Bool,
        paymentIntent: String?,
        paymentMethod: String,
        methodType: String,
        methodCardBrand: String?,
        methodCardLast4: String?,
        methodCardFunding: String?,
        methodCardPresentBrand: String?,
        methodCardPresentLast4: String?,
        methodCardPresentFunding: String?,
        methodCardPresentReceiptAccountType: String?,
        methodCardPresentReceiptApplicationPreferredName: String?,
        methodCardPresentReceiptDedicatedFileName: String?,
        methodInteracPresentBrand: String?,
        methodInteracPresentLast4: String?,
        methodInteracPresentFunding: String?,
        methodInteracPresentReceiptAccountType: String?,
        methodInteracPresentReceiptApplicationPreferredName: String?,
        methodInteracPresentReceiptDedicatedFileName: String?,
        refunded: Bool,
        status: String
    ) {
        self.siteID = siteID
        self.id = id
        self.amount = amount
        self.amountCaptured = amountCaptured
        self.amountRefunded = amountRefunded
        self.authorizationCode = authorizationCode
        self.captured = captured
        self.created = created
        self.currency = currency
        self.paid = paid
        self.paymentIntent = paymentIntent
        self.paymentMethod = paymentMethod
        self.methodType = methodType
        self.methodCardBrand = methodCardBrand
        self.methodCardLast4 = methodCardLast4
        self.methodCardFunding = methodCardFunding
        self.methodCardPresentBrand = methodCardPresentBrand
        self.methodCardPresentLast4 = methodCardPresentLast4
        self.methodCardPresentFunding = methodCardPresentFunding
        self.methodCardPresentReceiptAccountType = methodCardPresentReceiptAccountType
        self.methodCardPresentReceiptApplicationPreferredName = methodCardPresentReceiptApplicationPreferredName
        self.methodCardPresentReceiptDedicatedFileName = methodCardPresentReceiptDedicatedFileName
        self.methodInteracPresentBrand = methodInteracPresentBrand
        self.methodInteracPresentLast4 = methodInteracPresentLast4
        self.methodInteracPresentFunding = methodInteracPresentFunding
        self.methodInteracPresentReceiptAccountType = methodInteracPresentReceiptAccountType
        self.methodInteracPresentReceiptApplicationPreferredName = methodInteracPresentReceiptApplicationPreferredName
        self.methodInteracPresentReceiptDedicatedFileName = methodInteracPresentReceiptDedicatedFileName
        self.refunded = refunded
        self.status = status
    }

    public init(row: Row) throws {
        var reader = RowReader(row: row, of: Self.self)
        siteID = try reader.value("siteID")
        id = try reader.value("id")
        amount = try reader.value("amount")
        amountCaptured = try reader.value("amountCaptured")
        amountRefunded = try reader.value("amountRefunded")
        authorizationCode = try reader.optional("authorizationCode")
        captured = try reader.value("captured")
        created = try reader.value("created")
        currency = try reader.value("currency")
        paid = try reader.value("paid")
        paymentIntent = try reader.optional("paymentIntent")
        paymentMethod = try reader.value("paymentMethod")
        methodType = try reader.value("methodType")
        methodCardBrand = try reader.optional("methodCardBrand")
        methodCardLast4 = try reader.optional("methodCardLast4")
        methodCardFunding = try reader.optional("methodCardFunding")
        methodCardPresentBrand = try reader.optional("methodCardPresentBrand")
        methodCardPresentLast4 = try reader.optional("methodCardPresentLast4")
        methodCardPresentFunding = try reader.optional("methodCardPresentFunding")
        methodCardPresentReceiptAccountType = try reader.optional("methodCardPresentReceiptAccountType")
        methodCardPresentReceiptApplicationPreferredName =
            try reader.optional("methodCardPresentReceiptApplicationPreferredName")
        methodCardPresentReceiptDedicatedFileName = try reader.optional("methodCardPresentReceiptDedicatedFileName")
        methodInteracPresentBrand = try reader.optional("methodInteracPresentBrand")
        methodInteracPresentLast4 = try reader.optional("methodInteracPresentLast4")
        methodInteracPresentFunding = try reader.optional("methodInteracPresentFunding")
        methodInteracPresentReceiptAccountType = try reader.optional("methodInteracPresentReceiptAccountType")
        methodInteracPresentReceiptApplicationPreferredName =
            try reader.optional("methodInteracPresentReceiptApplicationPreferredName")
        methodInteracPresentReceiptDedicatedFileName =
            try reader.optional("methodInteracPresentReceiptDedicatedFileName")
        refunded = try reader.value("refunded")
        status = try reader.value("status")
    }

    public var columnValues: [(any DatabaseValueConvertible)?] {
        [
            siteID,
            id,
            amount,
            amountCaptured,
            amountRefunded,
            authorizationCode,
            captured,
            created,
            currency,
            paid,
            paymentIntent,
            paymentMethod,
            methodType,
            methodCardBrand,
            methodCardLast4,
            methodCardFunding,
            methodCardPresentBrand,
            methodCardPresentLast4,
            methodCardPresentFunding,
            methodCardPresentReceiptAccountType,
            methodCardPresentReceiptApplicationPreferredName,
            methodCardPresentReceiptDedicatedFileName,
            methodInteracPresentBrand,
            methodInteracPresentLast4,
            methodInteracPresentFunding,
            methodInteracPresentReceiptAccountType,
            methodInteracPresentReceiptApplicationPreferredName,
            methodInteracPresentReceiptDedicatedFileName,
            refunded,
            status,
        ]
    }

    public var keyValues: [any DatabaseValueConvertible] {
        [siteID, id]
    }

    /// The columns to ask and to sort by.
    public struct Columns: Sendable {
        public let siteID = RecordColumn<Int64>("siteID")
        public let id = RecordColumn<String>("id")
        public let amount = RecordColumn<Int64>("amount")
        public let amountCaptured = RecordColumn<Int64>("amountCaptured")
        public let amountRefunded = RecordColumn<Int64>("amountRefunded")
        public let authorizationCode = RecordColumn<String>("authorizationCode")
        public let captured = RecordColumn<Bool>("captured")
        public let created = RecordColumn<Int64>("created")
        public let currency = RecordColumn<String>("currency")
        public let paid = RecordColumn<Bool>("paid")
        public let paymentIntent = RecordColumn<String>("paymentIntent")
        public let paymentMethod = RecordColumn<String>("paymentMethod")
        public let methodType = RecordColumn<String>("methodType")
        public let methodCardBrand = RecordColumn<String>("methodCardBrand")
        public let methodCardLast4 = RecordColumn<String>("methodCardLast4")
        public let methodCardFunding = RecordColumn<String>("methodCardFunding")
        public let methodCardPresentBrand = RecordColumn<String>("methodCardPresentBrand")
        public let methodCardPresentLast4 = RecordColumn<String>("methodCardPresentLast4")
        public let methodCardPresentFunding = RecordColumn<String>("methodCardPresentFunding")
        public let methodCardPresentReceiptAccountType = RecordColumn<String>("methodCardPresentReceiptAccountType")
        public let methodCardPresentReceiptApplicationPreferredName =
            RecordColumn<String>("methodCardPresentReceiptApplicationPreferredName")
        public let methodCardPresentReceiptDedicatedFileName =
            RecordColumn<String>("methodCardPresentReceiptDedicatedFileName")
        public let methodInteracPresentBrand = RecordColumn<String>("methodInteracPresentBrand")
        public let methodInteracPresentLast4 = RecordColumn<String>("methodInteracPresentLast4")
        public let methodInteracPresentFunding = RecordColumn<String>("methodInteracPresentFunding")
        public let methodInteracPresentReceiptAccountType =
            RecordColumn<String>("methodInteracPresentReceiptAccountType")
        public let methodInteracPresentReceiptApplicationPreferredName =
            RecordColumn<String>("methodInteracPresentReceiptApplicationPreferredName")
        public let methodInteracPresentReceiptDedicatedFileName =
            RecordColumn<String>("methodInteracPresentReceiptDedicatedFileName")
        public let refunded = RecordColumn<Bool>("refunded")
        public let status = RecordColumn<String>("status")
    }
}
