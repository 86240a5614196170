// Made by Scripts/generate from Sources/Networking/Models/Orders/OrderNote.swift: change that, not this.
public import Determinism
public import GRDB

/// What is stored of ``OrderNote``.
public struct OrderNoteRecord: KeyedObject {
    public static let databaseTableName = "orderNote"
    public static let columnNames = ["siteID", "orderID", "id", "dateCreatedGMT", "note", "customerNote", "author"]
    public static let keyColumnNames = ["siteID", "id"]
    public static let keyedStatements = KeyedStatements(
        table: databaseTableName, columns: columnNames, key: keyColumnNames)
    public static let relationships: [Relationship<OrderNoteRecord>] = []
    public static let columns = Columns()

    public var siteID: Int64
    public var orderID: Int64
    public var id: Int64
    public var dateCreatedGMT: Timestamp?
    public var note: String
    public var customerNote: Bool
    public var author: String

    public init(
        siteID: Int64,
        orderID: Int64,
        id: Int64,
        dateCreatedGMT: Timestamp?,
        note: String,
        customerNote: Bool,
        author: String
    ) {
        self.siteID = siteID
        self.orderID = orderID
        self.id = id
        self.dateCreatedGMT = dateCreatedGMT
        self.note = note
        self.customerNote = customerNote
        self.author = author
    }

    public init(row: Row) throws {
        var reader = RowReader(row: row, of: Self.self)
        siteID = try reader.value("siteID")
        orderID = try reader.value("orderID")
        id = try reader.value("id")
        dateCreatedGMT = try reader.optional("dateCreatedGMT")
        note = try reader.value("note")
        customerNote = try reader.value("customerNote")
        author = try reader.value("author")
    }

    public var columnValues: [(any DatabaseValueConvertible)?] {
        [siteID, orderID, id, dateCreatedGMT, note, customerNote, author]
    }

    public var keyValues: [any DatabaseValueConvertible] {
        [siteID, id]
    }

    /// The columns to ask and to sort by.
    public struct Columns: Sendable {
        public let siteID = RecordColumn<Int64>("siteID")
        public let orderID = RecordColumn<Int64>("orderID")
        public let id = RecordColumn<Int64>("id")
        public let dateCreatedGMT = RecordColumn<Timestamp>("dateCreatedGMT")
        public let note = RecordColumn<String>("note")
        public let customerNote = RecordColumn<Bool>("customerNote")
        public let author = RecordColumn<String>("author")
    }
}
