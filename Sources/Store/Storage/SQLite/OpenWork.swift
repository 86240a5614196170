internal import GRDB

/// What the payments of a database still need, as counts of payments.
///
/// Counting them takes nothing over from other processes: a payment that another process is taking counts as unfinished.
public struct OpenWork: Hashable, Sendable {
    /// All payments.
    public var payments: Int
    /// The payments with an attempt that has no result yet, or with an advice that must still be sent.
    public var unfinished: Int
    /// The payments that the store of their order has not confirmed yet, refunds included.
    public var pending: Int
    /// The payments that the clerk has to decide about, because the store refused them or does not match them.
    public var toReview: Int

    /// How long to wait for another process, in seconds.
    private static let busyTimeout = 0.2

    public init(payments: Int = 0, unfinished: Int = 0, pending: Int = 0, toReview: Int = 0) {
        (self.payments, self.unfinished, self.pending, self.toReview) = (payments, unfinished, pending, toReview)
    }

    /// Counts the payments of a database. Writes nothing, migrates nothing, and creates no file.
    ///
    /// - Parameter path: the path of the database file.
    /// - Throws: ``StorageError``; ``StorageError/missing(path:)`` when there is no such file, and
    ///   ``StorageError/notReadable(path:reason:)`` when it must be migrated first, or its last changes can't be read without
    ///   creating a file.
    public init(of path: String) throws(StorageError) {
        var configuration = Configuration()
        configuration.busyMode = .timeout(Self.busyTimeout)
        let database = try ReadOnlyDatabase.openCreatingNothing(path, configuration)
        do {
            defer { try? database.close() }
            self = try database.read { database in
                func count(_ sql: String) throws -> Int { try Int.fetchOne(database, sql: sql) ?? 0 }
                return OpenWork(
                    payments: try count("SELECT count(*) FROM payment"), unfinished: try count(Self.unfinishedSQL),
                    pending: try count(Self.pendingSQL), toReview: try count(Self.reviewSQL))
            }
        } catch {
            throw StorageError(error, path: path)
        }
    }

    private static let unfinishedSQL = """
        SELECT count(DISTINCT paymentID) FROM paymentAttempt WHERE openState IS NOT NULL OR advice IS NOT NULL
        """

    private static let pendingSQL = """
        SELECT count(*) FROM (
            SELECT id FROM siteCapture WHERE state IN ('due', 'sent', 'unknown')
                AND attemptID IN (SELECT id FROM paymentAttempt WHERE state = 'captured')
            UNION SELECT paymentID FROM siteRefund WHERE state IN ('due', 'sent', 'unknown'))
        """

    private static let reviewSQL = """
        SELECT count(*) FROM payment
        WHERE (state <> 'refunded' AND id IN (SELECT id FROM siteCapture WHERE state IN ('refused', 'conflict')))
            OR id IN (SELECT paymentID FROM siteRefund WHERE state IN ('refused', 'conflict'))
        """
}
