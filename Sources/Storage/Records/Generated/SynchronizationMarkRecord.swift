// Made by Scripts/generate from Sources/Yosemite/Models/SynchronizationMark.swift: change that, not this.
public import Determinism
public import GRDB

/// What is stored of ``SynchronizationMark``.
public struct SynchronizationMarkRecord: KeyedObject {
    public static let databaseTableName = "synchronizationMark"
    public static let columnNames = ["siteID", "entity", "synchronizedAt", "modifiedUpTo"]
    public static let keyColumnNames = ["siteID", "entity"]
    public static let keyedStatements = KeyedStatements(
        table: databaseTableName, columns: columnNames, key: keyColumnNames)
    public static let relationships: [Relationship<SynchronizationMarkRecord>] = []
    public static let columns = Columns()

    public var siteID: Int64
    public var entity: String
    public var synchronizedAt: Timestamp
    public var modifiedUpTo: Timestamp?

    public init(siteID: Int64, entity: String, synchronizedAt: Timestamp, modifiedUpTo: Timestamp?) {
        self.siteID = siteID
        self.entity = entity
        self.synchronizedAt = synchronizedAt
        self.modifiedUpTo = modifiedUpTo
    }

    public init(row: Row) throws {
        var reader = RowReader(row: row, of: Self.self)
        siteID = try reader.value("siteID")
        entity = try reader.value("entity")
        synchronizedAt = try reader.value("synchronizedAt")
        modifiedUpTo = try reader.optional("modifiedUpTo")
    }

    public var columnValues: [(any DatabaseValueConvertible)?] {
        [siteID, entity, synchronizedAt, modifiedUpTo]
    }

    public var keyValues: [any DatabaseValueConvertible] {
        [siteID, entity]
    }

    /// The columns to ask and to sort by.
    public struct Columns: Sendable {
        public let siteID = RecordColumn<Int64>("siteID")
        public let entity = RecordColumn<String>("entity")
        public let synchronizedAt = RecordColumn<Timestamp>("synchronizedAt")
        public let modifiedUpTo = RecordColumn<Timestamp>("modifiedUpTo")
    }
}
