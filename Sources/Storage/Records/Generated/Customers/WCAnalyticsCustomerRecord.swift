// Made by Scripts/generate from Sources/Networking/Models/Customers/WCAnalyticsCustomer.swift: change that, not this.
public import Amounts
public import Determinism
public import GRDB

/// What is stored of ``WCAnalyticsCustomer``.
public struct WCAnalyticsCustomerRecord: KeyedObject {
    public static let databaseTableName = "wcAnalyticsCustomer"
    public static let columnNames = [
        "siteID",
        "id",
        "userID",
        "name",
        "username",
        "email",
        "country",
        "state",
        "city",
        "postcode",
        "dateRegisteredGMT",
        "dateLastActiveGMT",
        "ordersCount",
        "totalSpend",
        "avgOrderValue",
    ]
    public static let keyColumnNames = ["siteID", "id"]
    public static let keyedStatements = KeyedStatements(
        table: databaseTableName, columns: columnNames, key: keyColumnNames)
    public static let relationships: [Relationship<WCAnalyticsCustomerRecord>] = []
    public static let columns = Columns()

    public var siteID: Int64
    public var id: Int64
    public var userID: Int64?
    public var name: String?
    public var username: String?
    public var email: String?
    public var country: String?
    public var state: String?
    public var city: String?
    public var postcode: String?
    public var dateRegisteredGMT: Timestamp?
    public var dateLastActiveGMT: Timestamp?
    public var ordersCount: Int64?
    public var totalSpend: ExactDecimal?
    public var avgOrderValue: ExactDecimal?

    public init(
        siteID: Int64,
        id: Int64,
        userID: Int64?,
        name: String?,
        username: String?,
        email: String?,
        country: String?,
        state: String?,
        city: String?,
        postcode: String?,
        dateRegisteredGMT: Timestamp?,
        dateLastActiveGMT: Timestamp?,
        ordersCount: Int64?,
        totalSpend: ExactDecimal?,
        avgOrderValue: ExactDecimal?
    ) {
        self.siteID = siteID
        self.id = id
        self.userID = userID
        self.name = name
        self.username = username
        self.email = email
        self.country = country
        self.state = state
        self.city = city
        self.postcode = postcode
        self.dateRegisteredGMT = dateRegisteredGMT
        self.dateLastActiveGMT = dateLastActiveGMT
        self.ordersCount = ordersCount
        self.totalSpend = totalSpend
        self.avgOrderValue = avgOrderValue
    }

    public init(row: Row) throws {
        var reader = RowReader(row: row, of: Self.self)
        siteID = try reader.value("siteID")
        id = try reader.value("id")
        userID = try reader.optional("userID")
        name = try reader.optional("name")
        username = try reader.optional("username")
        email = try reader.optional("email")
        country = try reader.optional("country")
        state = try reader.optional("state")
        city = try reader.optional("city")
        postcode = try reader.optional("postcode")
        dateRegisteredGMT = try reader.optional("dateRegisteredGMT")
        dateLastActiveGMT = try reader.optional("dateLastActiveGMT")
        ordersCount = try reader.optional("ordersCount")
        totalSpend = try reader.optional("totalSpend")
        avgOrderValue = try reader.optional("avgOrderValue")
    }

    public var columnValues: [(any DatabaseValueConvertible)?] {
        [
            siteID,
            id,
            userID,
            name,
            username,
            email,
            country,
            state,
            city,
            postcode,
            dateRegisteredGMT,
            dateLastActiveGMT,
            ordersCount,
            totalSpend,
            avgOrderValue,
        ]
    }

    public var keyValues: [any DatabaseValueConvertible] {
        [siteID, id]
    }

    /// The columns to ask and to sort by.
    public struct Columns: Sendable {
        public let siteID = RecordColumn<Int64>("siteID")
        public let id = RecordColumn<Int64>("id")
        public let userID = RecordColumn<Int64>("userID")
        public let name = RecordColumn<String>("name")
        public let username = RecordColumn<String>("username")
        public let email = RecordColumn<String>("email")
        public let country = RecordColumn<String>("country")
        public let state = RecordColumn<String>("state")
        public let city = RecordColumn<String>("city")
        public let postcode = RecordColumn<String>("postcode")
        public let dateRegisteredGMT = RecordColumn<Timestamp>("dateRegisteredGMT")
        public let dateLastActiveGMT = RecordColumn<Timestamp>("dateLastActiveGMT")
        public let ordersCount = RecordColumn<Int64>("ordersCount")
        public let totalSpend = RecordColumn<ExactDecimal>("totalSpend")
        public let avgOrderValue = RecordColumn<ExactDecimal>("avgOrderValue")
    }
}
