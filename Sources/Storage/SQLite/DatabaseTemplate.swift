public import Determinism
internal import GRDB
internal import GRDBSQLite

/// The file of an empty database of this program's schema, which the migrator made once. To copy it takes a small part of
/// the time that the migrator takes.
///
/// For those who make many databases, such as simulations. A shop's database is made once, by the migrator.
public struct DatabaseTemplate: Sendable {
    private let image: [UInt8]
    /// Where the identity stands in it.
    private let identity: Range<Int>

    /// Bytes 18 and 19 of a database file say how it is written and read; 2 stands for the write-ahead log
    /// (sqlite.org/fileformat2.html, 1.3.2).
    private static let (formatVersions, writeAheadLog) = (18..<20, [2, 2] as [UInt8])

    /// Has the migrator make a database in memory, and keeps its pages.
    ///
    /// - Throws: ``StorageError``
    public init() throws(StorageError) {
        // Every copy gets an identity of its own.
        let made = try SQLiteStorageManager(inMemoryWith: SeededRandomSource(seed: 0))
        do {
            var image = made.writer.writeWithoutTransaction { Self.pages(of: $0) }
            let text = Array(try made.read { try StoreIdentity.load(from: $0).databaseID }.utf8)
            // A text stands in its row as it is, so that another one of its length can take its place.
            let places = image.ranges(of: text)
            guard let place = places.first, places.count == 1, place.lowerBound >= Self.formatVersions.upperBound else {
                throw UnreadableRow(table: StoreIdentity.databaseTableName, column: "databaseID")
            }
            image.replaceSubrange(Self.formatVersions, with: Self.writeAheadLog)
            (self.image, identity) = (image, place)
        } catch {
            throw StorageError(error, path: ":memory:")
        }
    }

    /// Makes a database where there is no file yet, flushed and readable by its owner alone. One that is there is left as
    /// it is.
    ///
    /// - Parameters:
    ///   - path: the database file. Folders that are missing are made.
    ///   - random: where the identity of the new database comes from.
    /// - Throws: ``StorageError``
    public func copy(to path: String, random: any RandomSource) throws(StorageError) {
        var image = image
        image.replaceSubrange(identity, with: StoreIdentity(drawnFrom: random).databaseID.utf8)
        try DatabaseFile.create(at: path, image: image)
    }

    private static func pages(of database: Database) -> [UInt8] {
        var size: sqlite3_int64 = 0
        guard let pages = sqlite3_serialize(database.sqliteConnection, "main", &size, 0) else { return [] }
        defer { sqlite3_free(pages) }
        return Array(UnsafeBufferPointer(start: pages, count: Int(size)))
    }
}
