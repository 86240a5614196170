// Made by Scripts/generate from Sources/Networking/Models/Account/Account.swift: change that, not this.
public import GRDB

/// What is stored of ``Account``.
public struct AccountRecord: KeyedObject {
    public static let databaseTableName = "account"
    public static let columnNames = ["id", "displayName", "email", "username", "avatarURL"]
    public static let keyColumnNames = ["id"]
    public static let keyedStatements = KeyedStatements(
        table: databaseTableName, columns: columnNames, key: keyColumnNames)
    public static let relationships: [Relationship<AccountRecord>] = []
    public static let columns = Columns()

    public var id: Int64
    public var displayName: String
    public var email: String
    public var username: String
    public var avatarURL: String?

    public init(id: Int64, displayName: String, email: String, username: String, avatarURL: String?) {
        self.id = id
        self.displayName = displayName
        self.email = email
        self.username = username
        self.avatarURL = avatarURL
    }

    public init(row: Row) throws {
        var reader = RowReader(row: row, of: Self.self)
        id = try reader.value("id")
        displayName = try reader.value("displayName")
        email = try reader.value("email")
        username = try reader.value("username")
        avatarURL = try reader.optional("avatarURL")
    }

    public var columnValues: [(any DatabaseValueConvertible)?] {
        [id, displayName, email, username, avatarURL]
    }

    public var keyValues: [any DatabaseValueConvertible] {
        [id]
    }

    /// The columns to ask and to sort by.
    public struct Columns: Sendable {
        public let id = RecordColumn<Int64>("id")
        public let displayName = RecordColumn<String>("displayName")
        public let email = RecordColumn<String>("email")
        public let username = RecordColumn<String>("username")
        public let avatarURL = RecordColumn<String>("avatarURL")
    }
}
