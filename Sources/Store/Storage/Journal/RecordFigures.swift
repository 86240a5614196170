public import Determinism
import GRDB
public import Payments

/// Counts of the records, and how long the oldest of each queue waits, all of one moment.
public struct RecordFigures: Hashable, Sendable {
    /// A number of records that wait for something.
    public struct Queue: Hashable, Sendable {
        /// The number of records.
        public var count: Int
        /// Since when the oldest waits; nil when none does.
        public var oldest: Timestamp?

        /// Counts records; `oldest` is nil when there are none.
        public init(count: Int = 0, oldest: Timestamp? = nil) { (self.count, self.oldest) = (count, oldest) }
    }

    /// The number of payments in each state; every state is there.
    public var payments: [PaymentState: Int]
    /// Payments whose outcome is unknown, since their attempt became so.
    public var unknownPayments: Queue
    /// Attempts without a result, since they began. Those of running programs count, too.
    public var openAttempts: Queue
    /// Advices that the host does not have.
    public var advices: Queue
    /// Payments that a store has not been notified of, since they were taken.
    public var orderNotifications: Queue
    /// Refunds that a store has not been notified of, since they were made.
    public var refundNotifications: Queue
    /// Payments and refunds that a store rejects, and people decide about.
    public var rejectedNotifications: Queue
    /// Print jobs that have not ended, since they were made.
    public var prints: Queue
    /// How often the database was restored from a backup.
    public var restores: Int
    /// The attempts by what came of them, and their times.
    public var attempts: AttemptFigures

    /// Counts the records of a database.
    ///
    /// - Throws: ``StorageError``
    public init(of storage: SQLiteStorageManager) throws(StorageError) {
        do {
            self = try storage.writer.read { database in try RecordFigures(database) }
        } catch {
            throw StorageError(error, path: storage.path ?? ":memory:")
        }
    }

    private init(_ database: Database) throws {
        func queue(_ table: String, since column: String, where condition: String) throws -> Queue {
            let row = try Row.fetchOne(
                database, sql: "SELECT count(*), min(\(column)) FROM \(table) WHERE \(condition)")
            return Queue(count: row?[0] ?? 0, oldest: (row?[1] as Int64?).map { Timestamp(milliseconds: $0) })
        }
        payments = Dictionary(uniqueKeysWithValues: PaymentState.allCases.map { ($0, 0) })
        for row in try Row.fetchAll(database, sql: "SELECT state, count(*) FROM payment GROUP BY state") {
            if let state = PaymentState(rawValue: row[0]) { payments[state] = row[1] }
        }
        unknownPayments = try queue(
            """
            payment JOIN paymentAttempt AS attempt ON attempt.paymentID = payment.id
            JOIN attemptTransition AS entry ON entry.attemptID = attempt.id AND entry.state = 'unknown'
            """, since: "entry.at", where: "attempt.openState = 'unknown'")
        // A payment has one entry for each inquiry.
        unknownPayments.count =
            try Int.fetchOne(
                database, sql: "SELECT count(DISTINCT paymentID) FROM paymentAttempt WHERE openState = 'unknown'") ?? 0
        openAttempts = try queue("paymentAttempt", since: "createdAt", where: "openState IS NOT NULL")
        advices = try queue(
            "paymentAttempt", since: "updatedAt", where: "advice IS NOT NULL AND openState IS NULL")
        orderNotifications = try queue(
            "siteCapture JOIN paymentAttempt AS attempt ON attempt.id = siteCapture.attemptID",
            since: "attempt.updatedAt", where: "siteCapture.state IN ('due', 'sent', 'unknown')")
        refundNotifications = try queue(
            "siteRefund", since: "createdAt", where: "state IN ('due', 'sent', 'unknown')")
        let rejected = [
            try queue("siteCapture", since: "updatedAt", where: ReviewRule.payment),
            try queue("siteRefund", since: "updatedAt", where: ReviewRule.refund),
        ]
        rejectedNotifications = Queue(
            count: rejected.reduce(0) { $0 + $1.count }, oldest: rejected.compactMap(\.oldest).min())
        prints = try queue("printJob", since: "createdAt", where: "isOpen = 1")
        restores =
            try Int.fetchOne(database, sql: "SELECT count(*) FROM formerIdentity WHERE state = 'restored'") ?? 0
        attempts = try AttemptFigures(database)
    }
}
