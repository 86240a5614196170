import Foundation
import GRDB
import Glibc
import Testing

@testable import Storage

@Suite struct DatabaseInspectionTests {
    private let folder: String
    private var path: String { folder + "/till.sqlite" }

    init() throws {
        folder = FileManager.default.temporaryDirectory.path + "/inspection-\(UUID().uuidString.filter(\.isLetter))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    private func done() { try? FileManager.default.removeItem(atPath: folder) }

    @Test func `an inspection reports schema and free space and changes nothing`() throws {
        defer { done() }
        _ = try SQLiteStorageManager(path: path)
        let before = try Data(contentsOf: URL(fileURLWithPath: path))
        let seen = try DatabaseInspection(of: path)
        #expect(seen.schema == SchemaMigrator.current.steps.count)
        #expect(seen.schema == seen.newestSchema)
        #expect(seen.freeBytes > 0)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
    }

    @Test func `a missing database is not created`() throws {
        defer { done() }
        let seen = try DatabaseInspection(of: folder + "/a/b/till.sqlite")
        #expect(seen.schema == nil)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
    }

    @Test func `an empty file is a new database`() throws {
        defer { done() }
        try Data().write(to: URL(fileURLWithPath: path))
        #expect(try DatabaseInspection(of: path).schema == 0)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)).isEmpty)
    }

    @Test func `newer, foreign and damaged databases and other files are distinguished`() throws {
        defer { done() }
        _ = try SQLiteStorageManager(path: path)
        try DatabaseQueue(path: path).write { try $0.execute(sql: "PRAGMA user_version = 99") }
        #expect(throws: StorageError.newerSchema(path: path, found: 99, supported: SchemaMigrator.current.steps.count))
        {
            _ = try DatabaseInspection(of: path)
        }
        let foreign = folder + "/foreign.sqlite"
        try DatabaseQueue(path: foreign).write { try $0.execute(sql: "CREATE TABLE t (a)") }
        #expect(throws: StorageError.foreignDatabase(path: foreign)) { _ = try DatabaseInspection(of: foreign) }
        let text = folder + "/text"
        try Data(String(repeating: "no database ", count: 100).utf8).write(to: URL(fileURLWithPath: text))
        #expect(throws: StorageError.notADatabase(path: text)) { _ = try DatabaseInspection(of: text) }
        #expect(throws: StorageError.notADatabase(path: folder)) { _ = try DatabaseInspection(of: folder) }
        let below = text + "/till.sqlite"
        #expect(throws: StorageError.notWritable(path: text, reason: "Not a directory")) {
            _ = try DatabaseInspection(of: below)
        }
    }

    @Test func `a database with a writer is busy`() throws {
        defer { done() }
        _ = try SQLiteStorageManager(path: path)
        try DatabaseQueue(path: path).inDatabase { other in
            try other.execute(sql: "BEGIN IMMEDIATE")
            #expect(throws: StorageError.busy(path: path)) { _ = try DatabaseInspection(of: path) }
            try other.execute(sql: "ROLLBACK")
        }
        #expect(try DatabaseInspection(of: path).schema != nil)
    }

    @Test(.enabled(if: geteuid() != 0, "root may write everywhere")) func `a folder that is not writable is reported`()
        throws
    {
        defer {
            chmod(folder, 0o700)
            done()
        }
        chmod(folder, 0o500)
        #expect(throws: StorageError.notWritable(path: folder, reason: "Permission denied")) {
            _ = try DatabaseInspection(of: path)
        }
    }
}
