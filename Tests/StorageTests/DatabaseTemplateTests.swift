import Determinism
import Foundation
import GRDB
import Testing

@testable import Storage

@Suite struct DatabaseTemplateTests {
    @Test func `a copy is what the migrator makes, the identity from the same source`() throws {
        let (copied, migrated) = (try TemporaryDatabase(), try TemporaryDatabase())
        try DatabaseTemplate().copy(to: copied.path, random: SeededRandomSource(seed: 5))
        _ = try copied.open(seed: 6)
        _ = try migrated.open(seed: 5)
        for sql in [
            "SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY type, name", "SELECT * FROM storeIdentity",
            "SELECT * FROM pragma_user_version, pragma_application_id, pragma_page_size, pragma_encoding",
        ] {
            #expect(try copied.rows(sql) == migrated.rows(sql))
        }
        #expect(try copied.text("PRAGMA integrity_check") == "ok")
    }

    @Test func `a copy keeps a write-ahead log and takes payments`() throws {
        let database = try TemporaryDatabase()
        try DatabaseTemplate().copy(to: database.path, random: SeededRandomSource(seed: 5))
        #expect(try database.text("PRAGMA journal_mode") == "wal")
        let journal = try database.journal()
        #expect(try journal.capturedSale().payment.state == .captured)
        #expect(try database.afterCut().journal().payments().map(\.state) == [.captured])
    }

    @Test func `two copies have different identities`() throws {
        let template = try DatabaseTemplate()
        let identities = try (1...2).map { seed in
            let database = try TemporaryDatabase()
            try template.copy(to: database.path, random: SeededRandomSource(seed: UInt64(seed)))
            return try database.text("SELECT databaseID FROM storeIdentity")
        }
        #expect(Set(identities).count == 2)
        #expect(identities.allSatisfy { $0?.count == 16 })
    }

    @Test func `a database that is there is left as it is`() throws {
        let database = try TemporaryDatabase()
        _ = try database.journal().capturedSale()
        let before = try database.bytes()
        try DatabaseTemplate().copy(to: database.path, random: SeededRandomSource(seed: 5))
        #expect(try database.bytes() == before)
    }

    @Test func `only its owner can read a copy`() throws {
        let database = try TemporaryDatabase()
        try DatabaseTemplate().copy(to: database.path, random: SeededRandomSource(seed: 5))
        let attributes = try FileManager.default.attributesOfItem(atPath: database.path)
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
    }

    @Test func `where nothing can be written, the error names the place, and nothing is there`() throws {
        let database = try TemporaryDatabase()
        let path = database.path + "/below/payments.sqlite"
        #expect(FileManager.default.createFile(atPath: database.path, contents: nil))
        #expect {
            try DatabaseTemplate().copy(to: path, random: SeededRandomSource(seed: 5))
        } throws: { error in
            guard case StorageError.notWritable(let place, _)? = error as? StorageError else { return false }
            return place == path
        }
        #expect(try database.bytes().isEmpty)
    }
}
