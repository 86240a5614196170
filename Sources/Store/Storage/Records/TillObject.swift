public import Determinism
public import GRDB

/// An object of a till's protocol that the terminal of this database keeps for the next start, such as a payment that a
/// till has planned, or an address for messages. It moves no money, and can be deleted.
public struct TillObject: IdentifiedObject, DeletableObject {
    /// 1 and up, in the order of creation; zero before it is stored.
    public private(set) var id: Int64 = 0
    /// The object's name among all of the terminal, at most 300 characters.
    public let name: String
    /// The protocol of the till, such as `stripe`.
    public let protocolName: String
    /// The kind of object in the words of the protocol, at most 40 characters.
    public let kind: String
    /// The object as JSON text. It has no card data.
    public internal(set) var contents: String
    public let createdAt: Timestamp
    public internal(set) var updatedAt: Timestamp

    public static let databaseTableName = "tillObject"
    public static let columnNames = ["id", "name", "protocol", "kind", "contents", "createdAt", "updatedAt"]
    public static let statements = RecordStatements(table: databaseTableName, columns: columnNames)

    public var objectID: Int64 { id }

    /// Describes an object as it is at a moment.
    public init(name: String, protocolName: String, kind: String, contents: String, at moment: Timestamp) {
        (self.name, self.protocolName, self.kind, self.contents) = (name, protocolName, kind, contents)
        (createdAt, updatedAt) = (moment, moment)
    }

    /// Reads a row.
    ///
    /// - Throws: `UnreadableRow` for a value that does not fit its column.
    public init(row reader: inout RowReader) throws {
        id = try reader.value("id")
        (name, protocolName) = (try reader.value("name"), try reader.value("protocol"))
        (kind, contents) = (try reader.value("kind"), try reader.value("contents"))
        (createdAt, updatedAt) = (try reader.timestamp("createdAt"), try reader.timestamp("updatedAt"))
    }

    public var columnValues: [(any DatabaseValueConvertible)?] {
        [id == 0 ? nil : id, name, protocolName, kind, contents, createdAt.milliseconds, updatedAt.milliseconds]
    }

    public mutating func didInsert(rowID: Int64) { id = rowID }
}
