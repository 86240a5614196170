// Made by Scripts/generate from Sources/Networking/Models/Notifications/Note.swift: change that, not this.
public import Determinism
public import GRDB

/// What is stored of ``Note``.
public struct NoteRecord: KeyedObject {
    public static let databaseTableName = "note"
    public static let columnNames = [
        "id",
        "noteHash",
        "read",
        "icon",
        "noticon",
        "timestamp",
        "type",
        "subtype",
        "url",
        "title",
        "subject",
        "header",
        "body",
        "meta",
        "deleteInProgress",
    ]
    public static let keyColumnNames = ["id"]
    public static let keyedStatements = KeyedStatements(
        table: databaseTableName, columns: columnNames, key: keyColumnNames)
    public static let relationships: [Relationship<NoteRecord>] = []
    public static let columns = Columns()

    public var id: Int64
    public var noteHash: Int64
    public var read: Bool
    public var icon: String?
    public var noticon: String?
    public var timestamp: Timestamp
    public var type: String
    public var subtype: String?
    public var url: String?
    public var title: String?
    public var subject: String
    public var header: String
    public var body: String
    public var meta: String?
    public var deleteInProgress: Bool

    public init(
        id: Int64,
        noteHash: Int64,
        read: Bool,
        icon: String?,
        noticon: String?,
        timestamp: Timestamp,
        type: String,
        subtype: String?,
        url: String?,
        title: String?,
        subject: String,
        header: String,
        body: String,
        meta: String?,
        deleteInProgress: Bool
    ) {
        self.id = id
        self.noteHash = noteHash
        self.read = read
        self.icon = icon
        self.noticon = noticon
        self.timestamp = timestamp
        self.type = type
        self.subtype = subtype
        self.url = url
        self.title = title
        self.subject = subject
        self.header = header
        self.body = body
        self.meta = meta
        self.deleteInProgress = deleteInProgress
    }

    public init(row: Row) throws {
        var reader = RowReader(row: row, of: Self.self)
        id = try reader.value("id")
        noteHash = try reader.value("noteHash")
        read = try reader.value("read")
        icon = try reader.optional("icon")
        noticon = try reader.optional("noticon")
        timestamp = try reader.value("timestamp")
        type = try reader.value("type")
        subtype = try reader.optional("subtype")
        url = try reader.optional("url")
        title = try reader.optional("title")
        subject = try reader.value("subject")
        header = try reader.value("header")
        body = try reader.value("body")
        meta = try reader.optional("meta")
        deleteInProgress = try reader.value("deleteInProgress")
    }

    public var columnValues: [(any DatabaseValueConvertible)?] {
        [
            id,
            noteHash,
            read,
            icon,
            noticon,
            timestamp,
            type,
            subtype,
            url,
            title,
            subject,
            header,
            body,
            meta,
            deleteInProgress,
        ]
    }

    public var keyValues: [any DatabaseValueConvertible] {
        [id]
    }

    /// The columns to ask and to sort by.
    public struct Columns: Sendable {
        public let id = RecordColumn<Int64>("id")
        public let noteHash = RecordColumn<Int64>("noteHash")
        public let read = RecordColumn<Bool>("read")
        public let icon = RecordColumn<String>("icon")
        public let noticon = RecordColumn<String>("noticon")
        public let timestamp = RecordColumn<Timestamp>("timestamp")
        public let type = RecordColumn<String>("type")
        public let subtype = RecordColumn<String>("subtype")
        public let url = RecordColumn<String>("url")
        public let title = RecordColumn<String>("title")
        public let subject = RecordColumn<String>("subject")
        public let header = RecordColumn<String>("header")
        public let body = RecordColumn<String>("body")
        public let meta = RecordColumn<String>("meta")
        public let deleteInProgress = RecordColumn<Bool>("deleteInProgress")
    }
}
