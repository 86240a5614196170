internal import GRDB

/// The newest payments, for somebody who is typing: nothing is written, made or brought to a newer schema, and nobody is
/// waited for.
public enum RecentPayments {
    /// How long another program may hold the database, in seconds.
    private static let patience = 0.2

    /// - Parameters:
    ///   - path: the database file.
    ///   - limit: the most payments.
    /// - Returns: the names of payments, newest first.
    /// - Throws: ``StorageError`` when the file is missing, is not ours or cannot be read now.
    public static func ids(in path: String, limit: Int) throws(StorageError) -> [PaymentID] {
        do {
            var configuration = Configuration()
            configuration.readonly = true
            configuration.busyMode = .timeout(patience)
            configuration.prepareDatabase { database in
                try SchemaMigrator.current.checkOwnership(of: database, path: path)
            }
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            defer { try? queue.close() }
            return try queue.read { database in
                try PaymentID.fetchAll(
                    database, sql: "SELECT id FROM payment ORDER BY id DESC LIMIT ?", arguments: [max(0, limit)])
            }
        } catch {
            throw StorageError(error, path: path)
        }
    }
}
