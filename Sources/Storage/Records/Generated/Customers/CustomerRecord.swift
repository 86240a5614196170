// Made by Scripts/generate from Sources/Networking/Models/Customers/Customer.swift: change that, not this.
public import Determinism
public import GRDB

/// What is stored of ``Customer``.
public struct CustomerRecord: KeyedObject {
    public static let databaseTableName = "customer"
    public static let columnNames = [
        "siteID",
        "id",
        "email",
        "username",
        "firstName",
        "lastName",
        "role",
        "isPayingCustomer",
        "dateCreatedGMT",
        "dateModifiedGMT",
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
    ]
    public static let keyColumnNames = ["siteID", "id"]
    public static let keyedStatements = KeyedStatements(
        table: databaseTableName, columns: columnNames, key: keyColumnNames)
    public static let relationships: [Relationship<CustomerRecord>] = []
    public static let columns = Columns()

    public var siteID: Int64
    public var id: Int64
    public var email: String
    public var username: String?
    public var firstName: String?
    public var lastName: String?
    public var role: String?
    public var isPayingCustomer: Bool
    public var dateCreatedGMT: Timestamp?
    public var dateModifiedGMT: Timestamp?
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

    public init(
        siteID: Int64,
        id: Int64,
        email: String,
        username: String?,
        firstName: String?,
        lastName: String?,
        role: String?,
        isPayingCustomer: Bool,
        dateCreatedGMT: Timestamp?,
        dateModifiedGMT: Timestamp?,
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
        shippingEmail: String?
    ) {
        self.siteID = siteID
        self.id = id
        self.email = email
        self.username = username
        self.firstName = firstName
        self.lastName = lastName
        self.role = role
        self.isPayingCustomer = isPayingCustomer
        self.dateCreatedGMT = dateCreatedGMT
        self.dateModifiedGMT = dateModifiedGMT
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
    }

    public init(row: Row) throws {
        var reader = RowReader(row: row, of: Self.self)
        siteID = try reader.value("siteID")
        id = try reader.value("id")
        email = try reader.value("email")
        username = try reader.optional("username")
        firstName = try reader.optional("firstName")
        lastName = try reader.optional("lastName")
        role = try reader.optional("role")
        isPayingCustomer = try reader.value("isPayingCustomer")
        dateCreatedGMT = try reader.optional("dateCreatedGMT")
        dateModifiedGMT = try reader.optional("dateModifiedGMT")
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
    }

    public var columnValues: [(any DatabaseValueConvertible)?] {
        [
            siteID,
            id,
            email,
            username,
            firstName,
            lastName,
            role,
            isPayingCustomer,
            dateCreatedGMT,
            dateModifiedGMT,
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
        ]
    }

    public var keyValues: [any DatabaseValueConvertible] {
        [siteID, id]
    }

    /// The columns to ask and to sort by.
    public struct Columns: Sendable {
        public let siteID = RecordColumn<Int64>("siteID")
        public let id = RecordColumn<Int64>("id")
        public let email = RecordColumn<String>("email")
        public let username = RecordColumn<String>("username")
        public let firstName = RecordColumn<String>("firstName")
        public let lastName = RecordColumn<String>("lastName")
        public let role = RecordColumn<String>("role")
        public let isPayingCustomer = RecordColumn<Bool>("isPayingCustomer")
        public let dateCreatedGMT = RecordColumn<Timestamp>("dateCreatedGMT")
        public let dateModifiedGMT = RecordColumn<Timestamp>("dateModifiedGMT")
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
    }
}
