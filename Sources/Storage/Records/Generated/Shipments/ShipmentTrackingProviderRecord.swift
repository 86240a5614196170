// Made by Scripts/generate from Sources/Networking/Models/Shipments/ShipmentTrackingProvider.swift: change that, not this.
public import GRDB

/// What is stored of ``ShipmentTrackingProvider``.
public struct ShipmentTrackingProviderRecord: ChildObject {
    public static let databaseTableName = "shipmentTrackingProvider"
    public static let columnNames = ["name", "url"]
    public static let statements = RecordStatements(table: databaseTableName, columns: columnNames)

    public var name: String
    public var url: String

    public init(name: String, url: String) {
        self.name = name
        self.url = url
    }

    public init(row: Row) throws {
        var reader = RowReader(row: row, of: Self.self)
        name = try reader.value("name")
        url = try reader.value("url")
    }

    public var columnValues: [(any DatabaseValueConvertible)?] {
        [name, url]
    }
}
