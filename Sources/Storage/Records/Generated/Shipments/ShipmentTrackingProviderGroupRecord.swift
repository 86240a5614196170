// Made by Scripts/generate from Sources/Networking/Models/Shipments/ShipmentTrackingProviderGroup.swift: change that, not this.
public import GRDB

/// What is stored of ``ShipmentTrackingProviderGroup``.
public struct ShipmentTrackingProviderGroupRecord: KeyedObject {
    public static let databaseTableName = "shipmentTrackingProviderGroup"
    public static let columnNames = ["siteID", "name"]
    public static let keyColumnNames = ["siteID", "name"]
    public static let keyedStatements = KeyedStatements(
        table: databaseTableName, columns: columnNames, key: keyColumnNames)
    public static let relationships: [Relationship<ShipmentTrackingProviderGroupRecord>] = [Relationship(\.providers)]
    public static let columns = Columns()

    public var siteID: Int64
    public var name: String
    public var providers: [ShipmentTrackingProviderRecord]

    public init(siteID: Int64, name: String, providers: [ShipmentTrackingProviderRecord]) {
        self.siteID = siteID
        self.name = name
        self.providers = providers
    }

    public init(row: Row) throws {
        var reader = RowReader(row: row, of: Self.self)
        siteID = try reader.value("siteID")
        name = try reader.value("name")
        providers = []
    }

    public var columnValues: [(any DatabaseValueConvertible)?] {
        [siteID, name]
    }

    public var keyValues: [any DatabaseValueConvertible] {
        [siteID, name]
    }

    /// The columns to ask and to sort by.
    public struct Columns: Sendable {
        public let siteID = RecordColumn<Int64>("siteID")
        public let name = RecordColumn<String>("name")
    }
}
