// Made by Scripts/generate from Sources/Networking/Models/Shipments/ShipmentTracking.swift: change that, not this.
public import Determinism
public import GRDB

/// What is stored of ``ShipmentTracking``.
public struct ShipmentTrackingRecord: KeyedObject {
    public static let databaseTableName = "shipmentTracking"
    public static let columnNames = [
        "siteID",
        "orderID",
        "trackingID",
        "trackingNumber",
        "trackingProvider",
        "trackingLink",
        "dateShipped",
    ]
    public static let keyColumnNames = ["siteID", "orderID", "trackingID"]
    public static let keyedStatements = KeyedStatements(
        table: databaseTableName, columns: columnNames, key: keyColumnNames)
    public static let relationships: [Relationship<ShipmentTrackingRecord>] = []
    public static let columns = Columns()

    public var siteID: Int64
    public var orderID: Int64
    public var trackingID: String
    public var trackingNumber: String
    public var trackingProvider: String?
    public var trackingLink: String?
    public var dateShipped: CivilDate?

    public init(
        siteID: Int64,
        orderID: Int64,
        trackingID: String,
        trackingNumber: String,
        trackingProvider: String?,
        trackingLink: String?,
        dateShipped: CivilDate?
    ) {
        self.siteID = siteID
        self.orderID = orderID
        self.trackingID = trackingID
        self.trackingNumber = trackingNumber
        self.trackingProvider = trackingProvider
        self.trackingLink = trackingLink
        self.dateShipped = dateShipped
    }

    public init(row: Row) throws {
        var reader = RowReader(row: row, of: Self.self)
        siteID = try reader.value("siteID")
        orderID = try reader.value("orderID")
        trackingID = try reader.value("trackingID")
        trackingNumber = try reader.value("trackingNumber")
        trackingProvider = try reader.optional("trackingProvider")
        trackingLink = try reader.optional("trackingLink")
        dateShipped = try reader.optional("dateShipped")
    }

    public var columnValues: [(any DatabaseValueConvertible)?] {
        [siteID, orderID, trackingID, trackingNumber, trackingProvider, trackingLink, dateShipped]
    }

    public var keyValues: [any DatabaseValueConvertible] {
        [siteID, orderID, trackingID]
    }

    /// The columns to ask and to sort by.
    public struct Columns: Sendable {
        public let siteID = RecordColumn<Int64>("siteID")
        public let orderID = RecordColumn<Int64>("orderID")
        public let trackingID = RecordColumn<String>("trackingID")
        public let trackingNumber = RecordColumn<String>("trackingNumber")
        public let trackingProvider = RecordColumn<String>("trackingProvider")
        public let trackingLink = RecordColumn<String>("trackingLink")
        public let dateShipped = RecordColumn<CivilDate>("dateShipped")
    }
}
