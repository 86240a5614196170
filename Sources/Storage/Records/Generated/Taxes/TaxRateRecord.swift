// Made by Scripts/generate from Sources/Networking/Models/Taxes/TaxRate.swift: change that, not this.
public import Amounts
public import GRDB

/// What is stored of ``TaxRate``.
public struct TaxRateRecord: KeyedObject {
    public static let databaseTableName = "taxRate"
    public static let columnNames = [
        "siteID",
        "id",
        "country",
        "state",
        "postcode",
        "city",
        "postcodes",
        "cities",
        "rate",
        "name",
        "priority",
        "compound",
        "shipping",
        "order",
        "class",
    ]
    public static let keyColumnNames = ["siteID", "id"]
    public static let keyedStatements = KeyedStatements(
        table: databaseTableName, columns: columnNames, key: keyColumnNames)
    public static let relationships: [Relationship<TaxRateRecord>] = []
    public static let columns = Columns()

    public var siteID: Int64
    public var id: Int64
    public var country: String
    public var state: String
    public var postcode: String
    public var city: String
    public var postcodes: String
    public var cities: String
    public var rate: ExactDecimal
    public var name: String
    public var priority: Int64
    public var compound: Bool
    public var shipping: Bool
    public var order: Int64
    public var `class`: String

    public init(
        siteID: Int64,
        id: Int64,
        country: String,
        state: String,
        postcode: String,
        city: String,
        postcodes: String,
        cities: String,
        rate: ExactDecimal,
        name: String,
        priority: Int64,
        compound: Bool,
        shipping: Bool,
        order: Int64,
        class: String
    ) {
        self.siteID = siteID
        self.id = id
        self.country = country
        self.state = state
        self.postcode = postcode
        self.city = city
        self.postcodes = postcodes
        self.cities = cities
        self.rate = rate
        self.name = name
        self.priority = priority
        self.compound = compound
        self.shipping = shipping
        self.order = order
        self.`class` = `class`
    }

    public init(row: Row) throws {
        var reader = RowReader(row: row, of: Self.self)
        siteID = try reader.value("siteID")
        id = try reader.value("id")
        country = try reader.value("country")
        state = try reader.value("state")
        postcode = try reader.value("postcode")
        city = try reader.value("city")
        postcodes = try reader.value("postcodes")
        cities = try reader.value("cities")
        rate = try reader.value("rate")
        name = try reader.value("name")
        priority = try reader.value("priority")
        compound = try reader.value("compound")
        shipping = try reader.value("shipping")
        order = try reader.value("order")
        `class` = try reader.value("class")
    }

    public var columnValues: [(any DatabaseValueConvertible)?] {
        [
            siteID,
            id,
            country,
            state,
            postcode,
            city,
            postcodes,
            cities,
            rate,
            name,
            priority,
            compound,
            shipping,
            order,
            `class`,
        ]
    }

    public var keyValues: [any DatabaseValueConvertible] {
        [siteID, id]
    }

    /// The columns to ask and to sort by.
    public struct Columns: Sendable {
        public let siteID = RecordColumn<Int64>("siteID")
        public let id = RecordColumn<Int64>("id")
        public let country = RecordColumn<String>("country")
        public let state = RecordColumn<String>("state")
        public let postcode = RecordColumn<String>("postcode")
        public let city = RecordColumn<String>("city")
        public let postcodes = RecordColumn<String>("postcodes")
        public let cities = RecordColumn<String>("cities")
        public let rate = RecordColumn<ExactDecimal>("rate")
        public let name = RecordColumn<String>("name")
        public let priority = RecordColumn<Int64>("priority")
        public let compound = RecordColumn<Bool>("compound")
        public let shipping = RecordColumn<Bool>("shipping")
        public let order = RecordColumn<Int64>("order")
        public let `class` = RecordColumn<String>("class")
    }
}
