import Determinism
import Foundation
import GRDB
import Testing

@testable import Storage

@Suite struct ReusableDatabaseTests {
    private let folder: TemporaryDatabase
    private let database: ReusableDatabase

    init() throws {
        folder = try TemporaryDatabase()
        database = try ReusableDatabase(
            path: folder.path, template: DatabaseTemplate(), random: SeededRandomSource(seed: 1))
    }

    private func journal() throws -> PaymentJournal {
        PaymentJournal(storage: database.storage, lease: try ProcessLease(in: database.storage))
    }

    /// Every row of every table of the schema. SQLite's own has the counters of rows, of which it makes no difference
    /// whether they are zero or missing.
    private func content() throws -> [[Row]] {
        let tables = try folder.rows(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB 'sqlite_*' ORDER BY name")
        return try tables.map { try folder.rows("SELECT * FROM \"\($0["name"] as String)\"") }
    }

    @Test func `an erased database is a new one with the identity of its source`() throws {
        let new = try content()
        _ = try journal().capturedSale()
        #expect(try content() != new)
        try database.erase(random: SeededRandomSource(seed: 1))
        #expect(try content() == new)
        try database.erase(random: SeededRandomSource(seed: 2))
        #expect(try content() != new)
    }

    @Test func `it counts from the beginning again`() throws {
        let first = try journal().capturedSale()
        try database.erase(random: SeededRandomSource(seed: 2))
        let second = try journal()
        #expect(try second.payments().isEmpty)
        #expect(second.lease.number == 1)
        let again = try second.capturedSale()
        #expect(again.payment.id == first.payment.id && again.attempt.id == first.attempt.id)
        #expect(again.attempt.idempotencyKey != first.attempt.idempotencyKey)
    }

    @Test func `what is written afterwards survives a cut, and the rules of the schema hold`() throws {
        _ = try journal().capturedSale()
        try database.erase(random: SeededRandomSource(seed: 2))
        _ = try journal().capturedSale()
        #expect(try folder.afterCut().journal().payments().map(\.state) == [.captured])
        #expect(database.storage.durability == .full)
        #expect(throws: DatabaseError.self) { try folder.execute("DELETE FROM attemptTransition") }
        #expect(try folder.number("SELECT count(*) FROM attemptTransition") == 3)
        #expect(try folder.text("PRAGMA integrity_check") == "ok")
    }
}
