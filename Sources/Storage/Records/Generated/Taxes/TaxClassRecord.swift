// Made by Scripts/generate from Sources/Networking/Models/Taxes/TaxClass.swift: change that, not this.
public import GRDB

/// What is stored of ``TaxClass``.
public struct TaxClassRecord: KeyedObject {
    public static let databaseTableName = "taxClass"
    public static let columnNames = ["siteID", "slug", "name"]
    public static let keyColumnNames = ["siteID", "slug"]
    public static let keyedStatements = KeyedStatements(
        table: databaseTableName, columns: columnNames, key: keyColumnNames)
    public static let relationships: [Relationship<TaxClassRecord>] = []
    public static let columns = Columns()

    public var siteID: Int64
    public var slug: String
    public var name: String

    public init(siteID: Int64, slug: String, name: String) {
        self.siteID = siteID
        self.slug = slug
        self.name = name
    }

    public init(row: Row) throws {
        var reader = RowReader(row: row, of: Self.self)
        siteID = try reader.value("siteID")
        slug = try reader.value("slug")
        name = try reader.value("name")
    }

    public var columnValues: [(any DatabaseValueConvertible)?] {
        [siteID, slug, name]
    }

    public var keyValues: [any DatabaseValueConvertible] {
        [siteID, slug]
    }

    /// The columns to ask and to sort by.
    public struct Columns: Sendable {
        public let siteID = RecordColumn<Int64>("siteID")
        public let slug = RecordColumn<String>("slug")
        public let name = RecordColumn<String>("name")
    }
}
