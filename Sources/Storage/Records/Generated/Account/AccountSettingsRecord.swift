// Made by Scripts/generate from Sources/Networking/Models/Account/AccountSettings.swift: change that, not this.
public import GRDB

/// What is stored of ``AccountSettings``.
public struct AccountSettingsRecord: KeyedObject {
    public static let databaseTableName = "accountSettings"
    public static let columnNames = ["userID", "tracksOptOut", "firstName", "lastName"]
    public static let keyColumnNames = ["userID"]
    public static let keyedStatements = KeyedStatements(
        table: databaseTableName, columns: columnNames, key: keyColumnNames)
    public static let relationships: [Relationship<AccountSettingsRecord>] = []
    public static let columns = Columns()

    public var userID: Int64
    public var tracksOptOut: Bool
    public var firstName: String?
    public var lastName: String?

    public init(userID: Int64, tracksOptOut: Bool, firstName: String?, lastName: String?) {
        self.userID = userID
        self.tracksOptOut = tracksOptOut
        self.firstName = firstName
        self.lastName = lastName
    }

    public init(row: Row) throws {
        var reader = RowReader(row: row, of: Self.self)
        userID = try reader.value("userID")
        tracksOptOut = try reader.value("tracksOptOut")
        firstName = try reader.optional("firstName")
        lastName = try reader.optional("lastName")
    }

    public var columnValues: [(any DatabaseValueConvertible)?] {
        [userID, tracksOptOut, firstName, lastName]
    }

    public var keyValues: [any DatabaseValueConvertible] {
        [userID]
    }

    /// The columns to ask and to sort by.
    public struct Columns: Sendable {
        public let userID = RecordColumn<Int64>("userID")
        public let tracksOptOut = RecordColumn<Bool>("tracksOptOut")
        public let firstName = RecordColumn<String>("firstName")
        public let lastName = RecordColumn<String>("lastName")
    }
}
