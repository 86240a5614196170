// Made by Scripts/generate from Sources/Networking/Models/Orders/Order.swift: change that, not this.
public import Amounts
public import Determinism
public import GRDB

/// What is stored of ``Order``.
public struct OrderRecord: KeyedObject {
    public static let databaseTableName = "order"
    public static let columnNames = [
        "siteID",
        "id",
        "parentID",
        "customerID",
        "orderKey",
        "number",
        "status",
        "currency",
        "currencySymbol",
        "customerNote",
        "dateCreatedGMT",
        "dateModifiedGMT",
        "datePaidGMT",
        "dateCompletedGMT",
        "discountTotal",
        "discountTax",
        "shippingTotal",
        "shippingTax",
        "total",
        "totalTax",
        "paymentMethod",
        "paymentMethodTitle",
        "paymentURL",
        "transactionID",
        "billingFirstName",
        "billingLastName",
        "billingCompany",
        "billingAddress1",
        "billingAddress2",
        "billingCity",
        "billingState",
        "billingPostcode",
        "billingCountry",
        "billingPhone",
        "billingEmail",
        "shippingFirstName",
        "shippingLastName",
        "shippingCompany",
        "shippingAddress1",
        "shippingAddress2",
        "shippingCity",
        "shippingState",
        "shippingPostcode",
        "shippingCountry",
        "shippingPhone",
        "shippingEmail",
        "isEditable",
        "needsPayment",
    ]
    public static let keyColumnNames = ["siteID", "id"]
    public static let keyedStatements = KeyedStatements(
        table: databaseTableName, columns: columnNames, key: keyColumnNames)
    public static let relationships: [Relationship<OrderRecord>] = [
        Relationship(\.lineItems),
        Relationship(\.shippingLines),
        Relationship(\.couponLines),
        Relationship(\.refunds),
        Relationship(\.feeLines),
        Relationship(\.taxLines),
        Relationship(\.metaData),
        Relationship(\.giftCards),
    ]
    public static let columns = Columns()

    public var siteID: Int64
    public var id: Int64
    public var parentID: Int64?
    public var customerID: Int64?
    public var orderKey: String
    public var number: String
    public var status: String
    public var currency: String
    public var currencySymbol: String?
    public var customerNote: String
    public var dateCreatedGMT: Timestamp?
    public var dateModifiedGMT: Timestamp?
    public var datePaidGMT: Timestamp?
    public var dateCompletedGMT: Timestamp?
    public var discountTotal: ExactDecimal
    public var discountTax: ExactDecimal
    public var shippingTotal: ExactDecimal
    public var shippingTax: ExactDecimal
    public var total: ExactDecimal
    public var totalTax: ExactDecimal
    public var paymentMethod: String
    public var paymentMethodTitle: String
    public var paymentURL: String?
    public var transactionID: String?
    public var billingFirstName: String?
    public var billingLastName: String?
    public var billingCompany: String?
    public var billingAddress1: String?
    public var billingAddress2: String?
    public var billingCity: String?
    public var billingState: String?
    public var billingPostcode: String?
    public var billingCountry: String?
    public var billingPhone: String?
    public var billingEmail: String?
    public var shippingFirstName: String?
    public var shippingLastName: String?
    public var shippingCompany: String?
    public var shippingAddress1: String?
    public var shippingAddress2: String?
    public var shippingCity: String?
    public var shippingState: String?
    public var shippingPostcode: String?
    public var shippingCountry: String?
    public var shippingPhone: String?
    public var shippingEmail: String?
    public var isEditable: Bool?
    public var needsPayment: Bool?
    public var lineItems: [OrderItemRecord]
    public var shippingLines: [ShippingLineRecord]
    public var couponLines: [OrderCouponLineRecord]
    public var refunds: [OrderRefundCondensedRecord]
    public var feeLines: [OrderFeeLineRecord]
    public var taxLines: [OrderTaxLineRecord]
    public var metaData: [MetaDataRecord]
    public var giftCards: [OrderGiftCardRecord]

    public init(
        siteID: Int64,
        id: Int64,
        parentID: Int64?,
        customerID: Int64?,
        orderKey: String,
        number: String,
        status: String,
        currency: String,
        currencySymbol: String?,
        customerNote: String,
        dateCreatedGMT: Timestamp?,
        dateModifiedGMT: Timestamp?,
        datePaidGMT: Timestamp?,
        dateCompletedGMT: Timestamp?,
        discountTotal: ExactDecimal,
        discountTax: ExactDecimal,
        shippingTotal: ExactDecimal,
        shippingTax: ExactDecimal,
        total: ExactDecimal,
        totalTax: ExactDecimal,
        paymentMethod: String,
        paymentMethodTitle: String,
        paymentURL: String?,
        transactionID: String?,
        billingFirstName: String?,
        billingLastName: String?,
        billingCompany: String?,
        billingAddress1: String?,
        billingAddress2: String?,
        billingCity: String?,
        billingState: String?,
        billingPostcode: String?,
        billingCountry: String?,
        billingPhone: String?,
        billingEmail: String?,
        shippingFirstName: String?,
        shippingLastName: String?,
        shippingCompany: String?,
        shippingAddress1: String?,
        shippingAddress2: String?,
        shippingCity: String?,
        shippingState: String?,
        shippingPostcode: String?,
        shippingCountry: String?,
        shippingPhone: String?,
        shippingEmail: String?,
        isEditable: Bool?,
        needsPayment: Bool?,
        lineItems: [OrderItemRecord],
        shippingLines: [ShippingLineRecord],
        couponLines: [OrderCouponLineRecord],
        refunds: [OrderRefundCondensedRecord],
        feeLines: [OrderFeeLineRecord],
        taxLines: [OrderTaxLineRecord],
        metaData: [MetaDataRecord],
        giftCards: [OrderGiftCardRecord]
    ) {
        self.siteID = siteID
        self.id = id
        self.parentID = parentID
        self.customerID = customerID
        self.orderKey = orderKey
        self.number = number
        self.status = status
        self.currency = currency
        self.currencySymbol = currencySymbol
        self.customerNote = customerNote
        self.dateCreatedGMT = dateCreatedGMT
        self.dateModifiedGMT = dateModifiedGMT
        self.datePaidGMT = datePaidGMT
        self.dateCompletedGMT = dateCompletedGMT
        self.discountTotal = discountTotal
        self.discountTax = discountTax
        self.shippingTotal = shippingTotal
        self.shippingTax = shippingTax
        self.total = total
        self.totalTax = totalTax
        self.paymentMethod = paymentMethod
        self.paymentMethodTitle = paymentMethodTitle
        self.paymentURL = paymentURL
        self.transactionID = transactionID
        self.billingFirstName = billingFirstName
        self.billingLastName = billingLastName
        self.billingCompany = billingCompany
        self.billingAddress1 = billingAddress1
        self.billingAddress2 = billingAddress2
        self.billingCity = billingCity
        self.billingState = billingState
        self.billingPostcode = billingPostcode
        self.billingCountry = billingCountry
        self.billingPhone = billingPhone
        self.billingEmail = billingEmail
        self.shippingFirstName = shippingFirstName
        self.shippingLastName = shippingLastName
        self.shippingCompany = shippingCompany
        self.shippingAddress1 = shippingAddress1
        self.shippingAddress2 = shippingAddress2
        self.shippingCity = shippingCity
        self.shippingState = shippingState
        self.shippingPostcode = shippingPostcode
        self.shippingCountry = shippingCountry
        self.shippingPhone = shippingPhone
        self.shippingEmail = shippingEmail
        self.isEditable = isEditable
        self.needsPayment = needsPayment
        self.lineItems = lineItems
        self.shippingLines = shippingLines
        self.couponLines = couponLines
        self.refunds = refunds
        self.feeLines = feeLines
        self.taxLines = taxLines
        self.metaData = metaData
        self.giftCards = giftCards
    }

    public init(row: Row) throws {
        var reader = RowReader(row: row, of: Self.self)
        siteID = try reader.value("siteID")
        id = try reader.value("id")
        parentID = try reader.optional("parentID")
        customerID = try reader.optional("customerID")
        orderKey = try reader.value("orderKey")
        number = try reader.value("number")
        status = try reader.value("status")
        currency = try reader.value("currency")
        currencySymbol = try reader.optional("currencySymbol")
        customerNote = try reader.value("customerNote")
        dateCreatedGMT = try reader.optional("dateCreatedGMT")
        dateModifiedGMT = try reader.optional("dateModifiedGMT")
        datePaidGMT = try reader.optional("datePaidGMT")
        dateCompletedGMT = try reader.optional("dateCompletedGMT")
        discountTotal = try reader.value("discountTotal")
        discountTax = try reader.value("discountTax")
        shippingTotal = try reader.value("shippingTotal")
        shippingTax = try reader.value("shippingTax")
        total = try reader.value("total")
        totalTax = try reader.value("totalTax")
        paymentMethod = try reader.value("paymentMethod")
        paymentMethodTitle = try reader.value("paymentMethodTitle")
        paymentURL = try reader.optional("paymentURL")
        transactionID = try reader.optional("transactionID")
        billingFirstName = try reader.optional("billingFirstName")
        billingLastName = try reader.optional("billingLastName")
        billingCompany = try reader.optional("billingCompany")
        billingAddress1 = try reader.optional("billingAddress1")
        billingAddress2 = try reader.optional("billingAddress2")
        billingCity = try reader.optional("billingCity")
        billingState = try reader.optional("billingState")
        billingPostcode = try reader.optional("billingPostcode")
        billingCountry = try reader.optional("billingCountry")
        billingPhone = try reader.optional("billingPhone")
        billingEmail = try reader.optional("billingEmail")
        shippingFirstName = try reader.optional("shippingFirstName")
        shippingLastName = try reader.optional("shippingLastName")
        shippingCompany = try reader.optional("shippingCompany")
        shippingAddress1 = try reader.optional("shippingAddress1")
        shippingAddress2 = try reader.optional("shippingAddress2")
        shippingCity = try reader.optional("shippingCity")
        shippingState = try reader.optional("shippingState")
        shippingPostcode = try reader.optional("shippingPostcode")
        shippingCountry = try reader.optional("shippingCountry")
        shippingPhone = try reader.optional("shippingPhone")
        shippingEmail = try reader.optional("shippingEmail")
        isEditable = try reader.optional("isEditable")
        needsPayment = try reader.optional("needsPayment")
        lineItems = []
        shippingLines = []
        couponLines = []
        refunds = []
        feeLines = []
        taxLines = []
        metaData = []
        giftCards = []
    }

    public var columnValues: [(any DatabaseValueConvertible)?] {
        [
            siteID,
            id,
            parentID,
            customerID,
            orderKey,
            number,
            status,
            currency,
            currencySymbol,
            customerNote,
            dateCreatedGMT,
            dateModifiedGMT,
            datePaidGMT,
            dateCompletedGMT,
            discountTotal,
            discountTax,
            shippingTotal,
            shippingTax,
            total,
            totalTax,
            paymentMethod,
            paymentMethodTitle,
            paymentURL,
            transactionID,
            billingFirstName,
            billingLastName,
            billingCompany,
            billingAddress1,
            billingAddress2,
            billingCity,
            billingState,
            billingPostcode,
            billingCountry,
            billingPhone,
            billingEmail,
            shippingFirstName,
            shippingLastName,
            shippingCompany,
            shippingAddress1,
            shippingAddress2,
            shippingCity,
            shippingState,
            shippingPostcode,
            shippingCountry,
            shippingPhone,
            shippingEmail,
            isEditable,
            needsPayment,
        ]
    }

    public var keyValues: [any DatabaseValueConvertible] {
        [siteID, id]
    }

    /// The columns to ask and to sort by.
    public struct Columns: Sendable {
        public let siteID = RecordColumn<Int64>("siteID")
        public let id = RecordColumn<Int64>("id")
        public let parentID = RecordColumn<Int64>("parentID")
        public let customerID = RecordColumn<Int64>("customerID")
        public let orderKey = RecordColumn<String>("orderKey")
        public let number = RecordColumn<String>("number")
        public let status = RecordColumn<String>("status")
        public let currency = RecordColumn<String>("currency")
        public let currencySymbol = RecordColumn<String>("currencySymbol")
        public let customerNote = RecordColumn<String>("customerNote")
        public let dateCreatedGMT = RecordColumn<Timestamp>("dateCreatedGMT")
        public let dateModifiedGMT = RecordColumn<Timestamp>("dateModifiedGMT")
        public let datePaidGMT = RecordColumn<Timestamp>("datePaidGMT")
        public let dateCompletedGMT = RecordColumn<Timestamp>("dateCompletedGMT")
        public let discountTotal = RecordColumn<ExactDecimal>("discountTotal")
        public let discountTax = RecordColumn<ExactDecimal>("discountTax")
        public let shippingTotal = RecordColumn<ExactDecimal>("shippingTotal")
        public let shippingTax = RecordColumn<ExactDecimal>("shippingTax")
        public let total = RecordColumn<ExactDecimal>("total")
        public let totalTax = RecordColumn<ExactDecimal>("totalTax")
        public let paymentMethod = RecordColumn<String>("paymentMethod")
        public let paymentMethodTitle = RecordColumn<String>("paymentMethodTitle")
        public let paymentURL = RecordColumn<String>("paymentURL")
        public let transactionID = RecordColumn<String>("transactionID")
        public let billingFirstName = RecordColumn<String>("billingFirstName")
        public let billingLastName = RecordColumn<String>("billingLastName")
        public let billingCompany = RecordColumn<String>("billingCompany")
        public let billingAddress1 = RecordColumn<String>("billingAddress1")
        public let billingAddress2 = RecordColumn<String>("billingAddress2")
        public let billingCity = RecordColumn<String>("billingCity")
        public let billingState = RecordColumn<String>("billingState")
        public let billingPostcode = RecordColumn<String>("billingPostcode")
        public let billingCountry = RecordColumn<String>("billingCountry")
        public let billingPhone = RecordColumn<String>("billingPhone")
        public let billingEmail = RecordColumn<String>("billingEmail")
        public let shippingFirstName = RecordColumn<String>("shippingFirstName")
        public let shippingLastName = RecordColumn<String>("shippingLastName")
        public let shippingCompany = RecordColumn<String>("shippingCompany")
        public let shippingAddress1 = RecordColumn<String>("shippingAddress1")
        public let shippingAddress2 = RecordColumn<String>("shippingAddress2")
        public let shippingCity = RecordColumn<String>("shippingCity")
        public let shippingState = RecordColumn<String>("shippingState")
        public let shippingPostcode = RecordColumn<String>("shippingPostcode")
        public let shippingCountry = RecordColumn<String>("shippingCountry")
        public let shippingPhone = RecordColumn<String>("shippingPhone")
        public let shippingEmail = RecordColumn<String>("shippingEmail")
        public let isEditable = RecordColumn<Bool>("isEditable")
        public let needsPayment = RecordColumn<Bool>("needsPayment")
    }
}
