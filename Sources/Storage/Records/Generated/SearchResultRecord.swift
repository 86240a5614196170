// Made by Scripts/generate from Sources/Yosemite/Models/SearchResult.swift: change that, not this.
public import GRDB

/// What is stored of ``SearchResult``.
public struct SearchResultRecord: KeyedObject {
    public static let databaseTableName = "searchResult"
    public static let columnNames = ["siteID", "entity", "keyword", "position", "elementID"]
    public static let keyColumnNames = ["siteID", "entity", "keyword", "position"]
    public static let keyedStatements = KeyedStatements(
        table: databaseTableName, columns: columnNames, key: keyColumnNames)
    public static let relationships: [Relationship<SearchResultRecord>] = []
    public static let columns = Columns()

    public var siteID: Int64
    public var entity: String
    public var keyword: String
    public var position: Int64
    public var elementID: Int64

    public init(siteID: Int64, entity: String, keyword: String, position: Int64, elementID: Int64) {
        self.siteID = siteID
        self.entity = entity
        self.keyword = keyword
        self.position = position
        self.elementID = elementID
    }

    public init(row: Row) throws {
        var reader = RowReader(row: row, of: Self.self)
        siteID = try reader.value("siteID")
        entity = try reader.value("entity")
        keyword = try reader.value("keyword")
        position = try reader.value("position")
        elementID = try reader.value("elementID")
    }

    public var columnValues: [(any DatabaseValueConvertible)?] {
        [siteID, entity, keyword, position, elementID]
    }

    public var keyValues: [any DatabaseValueConvertible] {
        [siteID, entity, keyword, position]
    }

    /// The columns to ask and to sort by.
    public struct Columns: Sendable {
        public let siteID = RecordColumn<Int64>("siteID")
        public let entity = RecordColumn<String>("entity")
        public let keyword = RecordColumn<String>("keyword")
        public let position = RecordColumn<Int64>("position")
        public let elementID = RecordColumn<Int64>("elementID")
    }
}
