public import Determinism
public import GRDB

/// The card readers that this till has used.
public struct ReaderRegister: Sendable {
    private let storage: any StorageManagerType

    /// Keeps its records in `storage`.
    public init(storage: any StorageManagerType) { self.storage = storage }

    /// Returns the readers, most recently used first.
    ///
    /// - Throws: ``StorageError``
    public func readers() throws(StorageError) -> [RememberedReader] {
        do {
            return try storage.read { try Self.readers(in: $0) }
        } catch {
            throw StorageError(error, path: path)
        }
    }

    /// Makes a reader the most recently used one. Writes nothing when it already is, so that using the same reader
    /// every day does not flush the disk.
    ///
    /// - Parameters:
    ///   - id: 1...300 characters; readers with longer IDs are not stored.
    ///   - name: truncated to 300 characters.
    ///   - moment: the current time.
    /// - Throws: ``StorageError``
    public func remember(id: String, name: String, at moment: Timestamp) throws(StorageError) {
        guard (1...300).contains(id.count), try readers().first?.id != id else { return }
        do {
            try storage.performAndSave { storage in
                let last = try Self.readers(in: storage).first
                guard last?.id != id else { return }
                let reader = RememberedReader(
                    id: id, name: String(name.prefix(300)), turn: (last?.turn ?? 0) + 1, usedAt: moment)
                if try storage.loadObject(ofType: RememberedReader.self, with: id) == nil {
                    try storage.insertNewObject(reader)
                } else {
                    try storage.updateObject(reader)
                }
            }
        } catch {
            throw StorageError(error, path: path)
        }
    }

    /// Deletes a reader, or all readers when `id` is nil.
    ///
    /// - Returns: The number of deleted readers.
    /// - Throws: ``StorageError``
    public func forget(id: String?) throws(StorageError) -> Int {
        do {
            return try storage.performAndSave { storage in
                try storage.deleteObjects(
                    ofType: RememberedReader.self,
                    matching: id.map { StoragePredicate("id = ?", $0) } ?? StoragePredicate("TRUE"))
            }
        } catch {
            throw StorageError(error, path: path)
        }
    }

    private var path: String { storage.path ?? ":memory:" }

    private static func readers(in storage: any StorageType) throws -> [RememberedReader] {
        try storage.allObjects(ofType: RememberedReader.self, matching: nil, sortedBy: "turn DESC", limit: nil)
    }
}

/// A card reader that was used before and is preferred the next time.
public struct RememberedReader: IdentifiedObject, DeletableObject {
    public static let databaseTableName = "rememberedReader"
    public static let columnNames = ["id", "name", "turn", "usedAt"]
    public static let statements = RecordStatements(table: databaseTableName, columns: columnNames)

    /// The unique ID of the reader: vendor, product and serial number or port.
    public let id: String
    /// The reader's name for people.
    public let name: String
    /// Increases with each change of reader: the largest value marks the most recently used one.
    public let turn: Int64
    /// When it became the most recently used reader.
    public let usedAt: Timestamp

    public var objectID: String { id }

    init(id: String, name: String, turn: Int64, usedAt: Timestamp) {
        (self.id, self.name, self.turn, self.usedAt) = (id, name, turn, usedAt)
    }

    /// Reads a row.
    ///
    /// - Throws: `UnreadableRow` for a value that does not fit its column.
    public init(row reader: inout RowReader) throws {
        id = try reader.value("id")
        name = try reader.value("name")
        turn = try reader.value("turn")
        usedAt = try reader.timestamp("usedAt")
    }

    public var columnValues: [(any DatabaseValueConvertible)?] {
        [id, name, turn, usedAt.milliseconds]
    }
}
