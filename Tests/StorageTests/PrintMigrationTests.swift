import Determinism
import GRDB
import Testing

@testable import Storage

/// What schema 8 makes of receipts and print jobs that earlier programs wrote.
@Suite struct PrintMigrationTests {
    private static let content = """
        {"amount":"12.50","currency":"USD","orderID":42,"card":{"lastFour":"0010","authorizationCode":"A1B2C3"}}
        """

    @Test func `receipts are found by what stands on them after the migration, and are counted in versions`() throws {
        let database = try ReleasedDatabase.make(
            version: 7,
            more: """
                INSERT INTO receipt (paymentID, kind, content, createdAt) VALUES
                    (1, 'sale', '\(Self.content)', 1002), (1, 'sale', '\(Self.content)', 5000),
                    (1, 'refund', '{"amount":"1e5","currency":"usd","card":{"lastFour":"12345"}}', 6000),
                    (1, 'unknown', '{"amount":"99999999999999","card":null}', 7000)
                """)
        _ = try database.open()
        let rows = try database.rows("SELECT * FROM receipt ORDER BY id")
        #expect(rows.map { $0["version"] as Int } == [1, 2, 1, 1, 1])
        // Only what was written with the attempt's last step is known to be of it.
        #expect(rows.map { $0["attemptID"] as Int? } == [1, 1, nil, nil, nil])
        #expect(rows.map { $0["orderID"] as Int? } == [42, 42, 42, 42, 42])
        #expect(rows.map { $0["amount"] as Int? } == [nil, 1250, 1250, nil, nil])
        #expect(rows.map { $0["currency"] as String? } == [nil, "USD", "USD", nil, nil])
        #expect(rows.map { $0["last4"] as String? } == [nil, "0010", "0010", nil, nil])
        #expect(rows.map { $0["authCode"] as String? } == [nil, "A1B2C3", "A1B2C3", nil, nil])
        #expect(throws: DatabaseError.self) { try database.execute("UPDATE receipt SET kind = 'refund'") }
    }

    @Test func `states are not said to be more than they were`() throws {
        let old: [(state: String, jobID: Int?)] = [
            ("submitting", nil), ("pending", 1), ("held", 2), ("processing", 3), ("stopped", 4), ("canceled", 5),
            ("aborted", 6), ("aborted", nil), ("completed", 7), ("unknown", nil),
        ]
        let values = old.map { state, job in
            "(1, 'till', \(job.map(String.init) ?? "NULL"), 'customer', 1, '\(state)', 'job-printing Busy.', 2000, 2001)"
        }
        let database = try ReleasedDatabase.make(
            version: 7,
            more: """
                INSERT INTO printJob (receiptID, printer, jobID, copy, copies, state, stateReasons, createdAt, updatedAt)
                VALUES \(values.joined(separator: ", "))
                """)
        let journal = try database.journal()
        // The first row is the released database's own.
        let jobs = try journal.printJobs(of: nil).reversed().dropFirst()
        #expect(
            jobs.map(\.state) == [
                .unknown, .accepted, .accepted, .sent, .sent, .failed, .failed, .failed, .sent, .unknown,
            ])
        // Who has a number and had not ended may still be asked about.
        #expect(jobs.map(\.isOpen) == [false, true, true, true, true, false, false, false, false, false])
        // Only what was refused certainly left no paper.
        #expect(jobs.map(\.mayBePrinted) == [true, true, true, true, true, true, true, false, true, true])
        #expect(jobs.map(\.isDuplicate) == [false, true, true, true, true, true, true, true, true, true])
        #expect(jobs.map(\.jobID) == [nil, 1, 2, 3, 4, 5, 6, nil, 7, nil])
        #expect(jobs.allSatisfy { $0.message == "job-printing Busy." && $0.format == "text/plain" })
        #expect(try journal.openPrintJobs().count == 4)
        for job in jobs {
            let steps = try journal.printJobTransitions(of: job.id)
            #expect(steps.map(\.state) == [.queued, job.state])
            #expect(steps.map(\.at.milliseconds) == [2000, 2001])
        }
        #expect(
            try journal.recordPrintJob(
                PrintJobDraft(receiptID: 1, printer: "till", copy: .customer), at: at(3000)
            ).id == 12)
    }
}
