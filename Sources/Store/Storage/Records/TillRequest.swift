public import Determinism
public import GRDB

/// A request of a till that moves money, or closes a batch, as the terminal of this database keeps it: under the name
/// that the till's protocol has for it, and with the attempt that it made. After a restart the terminal can tell the
/// till what became of its request.
public struct TillRequest: IdentifiedObject {
    /// 1 and up, in the order in which the requests began; zero before it is stored.
    public private(set) var id: Int64 = 0
    /// The request's name among all of the terminal, at most 300 characters.
    public let name: String
    /// The protocol of the till, such as `zvt`.
    public let protocolName: String
    /// The till and what it asked for, as JSON text.
    public let request: String
    /// What the protocol needs to answer again, as JSON text. It has no card data.
    public var note: String
    /// The attempt that moved the money, or held it; nil while there is none. A capture and a release have the attempt
    /// of the hold.
    public internal(set) var attemptID: Int64?
    /// How it ended without an attempt, or before one; nil while it runs.
    public var ending: String?
    /// Whether the till has the answer.
    public var isConfirmed: Bool
    /// Whether a later reversal took it back.
    public var isTakenBack: Bool
    public let createdAt: Timestamp
    public var updatedAt: Timestamp

    public static let databaseTableName = "tillRequest"
    public static let columnNames = [
        "id", "name", "protocol", "request", "note", "attemptID", "ending", "isConfirmed", "isTakenBack", "createdAt",
        "updatedAt",
    ]
    public static let statements = RecordStatements(table: databaseTableName, columns: columnNames)

    public var objectID: Int64 { id }

    /// Describes a request that began at a moment, and that has no attempt yet.
    public init(
        name: String, protocolName: String, request: String, note: String, ending: String? = nil,
        isConfirmed: Bool = false, isTakenBack: Bool = false, at moment: Timestamp
    ) {
        (self.name, self.protocolName, self.request, self.note) = (name, protocolName, request, note)
        (self.ending, self.isConfirmed, self.isTakenBack) = (ending, isConfirmed, isTakenBack)
        (createdAt, updatedAt) = (moment, moment)
    }

    /// Whether another record with the same name is of the same request: what a till asks for never changes.
    func isSame(as other: TillRequest) -> Bool { protocolName == other.protocolName && request == other.request }

    /// Reads a row.
    ///
    /// - Throws: `UnreadableRow` for a value that does not fit its column.
    public init(row reader: inout RowReader) throws {
        id = try reader.value("id")
        (name, protocolName) = (try reader.value("name"), try reader.value("protocol"))
        (request, note) = (try reader.value("request"), try reader.value("note"))
        (attemptID, ending) = (try reader.optional("attemptID"), try reader.optional("ending"))
        (isConfirmed, isTakenBack) = (try reader.value("isConfirmed"), try reader.value("isTakenBack"))
        (createdAt, updatedAt) = (try reader.timestamp("createdAt"), try reader.timestamp("updatedAt"))
    }

    public var columnValues: [(any DatabaseValueConvertible)?] {
        [
            id == 0 ? nil : id, name, protocolName, request, note, attemptID, ending, isConfirmed, isTakenBack,
            createdAt.milliseconds, updatedAt.milliseconds,
        ]
    }

    public mutating func didInsert(rowID: Int64) { id = rowID }
}
