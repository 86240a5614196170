import Amounts
import Determinism
import Foundation
import GRDB

@testable import Storage

/// A folder of its own for one test, and a database in it.
final class TemporaryDatabase: Sendable {
    let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("storage-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    var path: String { folder.appendingPathComponent("payments.sqlite").path }

    func open(_ durability: Durability = .full, seed: UInt64 = 1) throws -> SQLiteStorageManager {
        try SQLiteStorageManager(path: path, durability: durability, random: SeededRandomSource(seed: seed))
    }

    func journal() throws -> PaymentJournal {
        let storage = try open()
        return PaymentJournal(storage: storage, lease: try ProcessLease(in: storage))
    }

    /// What a power cut or `kill -9` would leave at this moment: the database and its write-ahead log.
    func afterCut() throws -> TemporaryDatabase {
        let copy = try TemporaryDatabase()
        for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: path + suffix) {
            try FileManager.default.copyItem(atPath: path + suffix, toPath: copy.path + suffix)
        }
        return copy
    }

    /// Reads with a connection that is not ours.
    func rows(_ sql: String) throws -> [Row] {
        try DatabaseQueue(path: path).read { try Row.fetchAll($0, sql: sql) }
    }

    func number(_ sql: String) throws -> Int {
        try DatabaseQueue(path: path).read { try Int.fetchOne($0, sql: sql) ?? -1 }
    }

    func text(_ sql: String) throws -> String? {
        try DatabaseQueue(path: path).read { try String.fetchOne($0, sql: sql) }
    }

    func execute(_ sql: String) throws {
        try DatabaseQueue(path: path).writeWithoutTransaction { try $0.execute(sql: sql) }
    }

    /// Every byte that is on the disk for this database.
    func bytes() throws -> Data {
        var bytes = Data()
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() {
            bytes += try Data(contentsOf: folder.appendingPathComponent(name))
        }
        return bytes
    }
}

func usd(_ minorUnits: Int64) throws -> Money {
    try Money(minorUnits: minorUnits, currency: Currency(code: "USD"))
}

func at(_ milliseconds: Int64) -> Timestamp { Timestamp(milliseconds: milliseconds) }

extension PaymentJournal {
    func beginSale(_ minorUnits: Int64 = 1250, order: Int64? = 42, at moment: Int64 = 1000) throws -> JournalEntry {
        try begin(
            siteID: 7, orderID: order, amount: try usd(minorUnits), hostName: "simulated",
            at: Timestamp(milliseconds: moment))
    }

    /// A sale that is paid.
    func capturedSale(_ minorUnits: Int64 = 1250) throws -> JournalEntry {
        let attempt = try beginSale(minorUnits).attempt.id
        try markAuthorizing(attempt, at: at(1001))
        return try finish(attempt, as: .captured, at: at(1002))
    }
}
