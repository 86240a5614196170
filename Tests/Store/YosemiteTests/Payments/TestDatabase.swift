import Foundation

/// A temporary folder for the records of a till and the ledger of the simulated issuer.
final class TestDatabase: Sendable {
    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("till-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    var path: String { folder.appendingPathComponent("payments.sqlite").path }
    var ledgerPath: String { path + ".issuer" }

    /// The state that `kill -9` would leave at this moment.
    func afterKill() throws -> TestDatabase {
        let copy = try TestDatabase()
        for suffix in ["", "-wal", ".issuer", ".card-key"] where FileManager.default.fileExists(atPath: path + suffix) {
            try FileManager.default.copyItem(atPath: path + suffix, toPath: copy.path + suffix)
        }
        return copy
    }

    /// A backup of this database, put back while the host has gone on.
    func restored(from backup: TestDatabase) throws -> TestDatabase {
        let copy = try backup.afterKill()
        try? FileManager.default.removeItem(atPath: copy.ledgerPath)
        try FileManager.default.copyItem(atPath: ledgerPath, toPath: copy.ledgerPath)
        return copy
    }

    /// Every byte that is on the disk.
    func bytes() throws -> Data {
        var bytes = Data()
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() {
            bytes += try Data(contentsOf: folder.appendingPathComponent(name))
        }
        return bytes
    }
}
