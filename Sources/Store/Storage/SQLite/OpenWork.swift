import GRDB

/// The open work of a database, as counts of payments, and what it knows of a restored backup.
///
/// Counting them takes nothing over from other processes: a payment that another process is taking counts as
/// unfinished.
public struct OpenWork: Hashable, Sendable {
    /// All payments.
    public var payments: Int
    /// The payments with an attempt that has no result yet, or with an advice that must still be sent.
    public var unfinished: Int
    /// The payments that the store of their order has not confirmed yet, refunds included.
    public var pending: Int
    /// The payments that the clerk has to decide about, because the store refused them or does not match them.
    public var toReview: Int

    /// Whether `restore` put a backup in place about which no host has answered yet.
    public var isUnconfirmedBackup = false
    /// The identity of the database with its last number, and the former ones that were restored from a backup.
    public var identities: [KnownIdentity] = []
    /// The keys of the lost payments that people have accepted.
    public var acceptedLosses: Set<String> = []

    /// An identity of the database. A payment of it with a later number is one that a restored backup lacks.
    public struct KnownIdentity: Hashable, Sendable {
        /// 16 hexadecimal digits: the beginning of the keys.
        public var databaseID: String
        /// The number of the last attempt in the database.
        public var lastNumber: Int64
        /// Whether it is the identity that the database has now.
        public var isCurrent: Bool
    }

    /// How long to wait for another process, in seconds.
    private static let busyTimeout = 0.2

    /// Takes counts of payments; what is left out is zero.
    public init(payments: Int = 0, unfinished: Int = 0, pending: Int = 0, toReview: Int = 0) {
        (self.payments, self.unfinished, self.pending, self.toReview) = (payments, unfinished, pending, toReview)
    }

    /// Counts the payments of a database. Writes nothing, migrates nothing, and creates no file.
    ///
    /// - Parameter path: the path of the database file.
    /// - Throws: ``StorageError``; ``StorageError/missing(path:)`` when there is no such file, and
    ///   ``StorageError/notReadable(path:reason:)`` when it must be migrated first, or its last changes can't be read
    ///   without creating a file.
    public init(of path: String) throws(StorageError) {
        var configuration = Configuration()
        configuration.busyMode = .timeout(Self.busyTimeout)
        let database = try ReadOnlyDatabase.openCreatingNothing(path, configuration)
        do {
            defer { try? database.close() }
            self = try database.read { database in
                func count(_ sql: String) throws -> Int { try Int.fetchOne(database, sql: sql) ?? 0 }
                var work = OpenWork(
                    payments: try count("SELECT count(*) FROM payment"), unfinished: try count(Self.unfinishedSQL),
                    pending: try count(Self.pendingSQL), toReview: try count(Self.reviewSQL))
                work.isUnconfirmedBackup = try count(Self.unconfirmedSQL) > 0
                work.identities = try Row.fetchAll(database, sql: Self.identitiesSQL).map { row in
                    KnownIdentity(databaseID: row[0], lastNumber: row[1], isCurrent: row[2])
                }
                work.acceptedLosses = try Set(
                    String.fetchAll(database, sql: "SELECT idempotencyKey FROM acceptedLoss"))
                return work
            }
        } catch {
            throw StorageError(error, path: path)
        }
    }

    private static let unfinishedSQL = """
        SELECT count(DISTINCT paymentID) FROM paymentAttempt WHERE openState IS NOT NULL OR advice IS NOT NULL
        """

    private static let unconfirmedSQL =
        "SELECT count(*) FROM formerIdentity WHERE state = 'unconfirmed' AND hostName = ''"

    private static let identitiesSQL = """
        SELECT databaseID, attempts, 1 FROM storeIdentity
        UNION ALL SELECT databaseID, lastNumber, 0 FROM formerIdentity WHERE state = 'restored' OR hostName = ''
        """

    private static let pendingSQL = """
        SELECT count(*) FROM (
            SELECT id FROM siteCapture WHERE state IN ('due', 'sent', 'unknown')
                AND attemptID IN (SELECT id FROM paymentAttempt WHERE state = 'captured')
            UNION SELECT paymentID FROM siteRefund WHERE state IN ('due', 'sent', 'unknown'))
        """

    private static let reviewSQL = "SELECT count(*) FROM payment WHERE \(ReviewRule.payments)"
}
