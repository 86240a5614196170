// Made by Scripts/generate from Sources/Networking/Models/Settings/SiteSetting.swift: change that, not this.
public import GRDB

/// What is stored of ``SiteSetting``.
public struct SiteSettingRecord: KeyedObject {
    public static let databaseTableName = "siteSetting"
    public static let columnNames = ["siteID", "id", "label", "description", "type", "value", "groupID"]
    public static let keyColumnNames = ["siteID", "groupID", "id"]
    public static let keyedStatements = KeyedStatements(
        table: databaseTableName, columns: columnNames, key: keyColumnNames)
    public static let relationships: [Relationship<SiteSettingRecord>] = []
    public static let columns = Columns()

    public var siteID: Int64
    public var id: String
    public var label: String
    public var description: String
    public var type: String?
    public var value: String?
    public var groupID: String

    public init(
        siteID: Int64,
        id: String,
        label: String,
        description: String,
        type: String?,
        value: String?,
        groupID: String
    ) {
        self.siteID = siteID
        self.id = id
        self.label = label
        self.description = description
        self.type = type
        self.value = value
        self.groupID = groupID
    }

    public init(row: Row) throws {
        var reader = RowReader(row: row, of: Self.self)
        siteID = try reader.value("siteID")
        id = try reader.value("id")
        label = try reader.value("label")
        description = try reader.value("description")
        type = try reader.optional("type")
        value = try reader.optional("value")
        groupID = try reader.value("groupID")
    }

    public var columnValues: [(any DatabaseValueConvertible)?] {
        [siteID, id, label, description, type, value, groupID]
    }

    public var keyValues: [any DatabaseValueConvertible] {
        [siteID, groupID, id]
    }

    /// The columns to ask and to sort by.
    public struct Columns: Sendable {
        public let siteID = RecordColumn<Int64>("siteID")
        public let id = RecordColumn<String>("id")
        public let label = RecordColumn<String>("label")
        public let description = RecordColumn<String>("description")
        public let type = RecordColumn<String>("type")
        public let value = RecordColumn<String>("value")
        public let groupID = RecordColumn<String>("groupID")
    }
}
