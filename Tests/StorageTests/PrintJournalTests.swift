import Determinism
import GRDB
import Testing

@testable import Storage

@Suite struct PrintJournalTests {
    private func record(
        _ journal: PaymentJournal, _ receipt: Receipt, _ copy: PrintJob.Copy = .customer, isMarked: Bool = false,
        at moment: Int64 = 2000
    ) throws -> PrintJob {
        try journal.recordPrintJob(
            PrintJobDraft(receiptID: receipt.id, printer: "till", copy: copy, isMarked: isMarked),
            at: Timestamp(milliseconds: moment))
    }

    // MARK: What is written

    @Test func `every change of a print is a line of its own, with its time and its reasons`() throws {
        let database = try TemporaryDatabase()
        let journal = try database.journal()
        let receipt = try journal.issuedReceipt()
        let job = try journal.recordPrintJob(
            PrintJobDraft(
                receiptID: receipt.id, printer: "till", copy: .merchant, copies: 2, medium: "80mm",
                format: "application/pdf"), at: at(4))
        try journal.updatePrintJob(job.id, PrintJobReport(.accepted, jobID: 17), at: at(5))
        try journal.updatePrintJob(
            job.id, PrintJobReport(.accepted, reasons: ["media-empty-error", "printer-stopped"], message: "No paper."),
            at: at(6))
        try journal.updatePrintJob(job.id, PrintJobReport(.sent), at: at(7))
        try journal.updatePrintJob(job.id, PrintJobReport(.completed), at: at(8))
        let lines = try database.rows("SELECT * FROM printJobTransition ORDER BY sequence")
        #expect(lines.map { $0["sequence"] as Int } == [1, 2, 3, 4, 5])
        #expect(
            lines.map { $0["state"] as String } == ["queued", "accepted", "accepted", "sent", "completed"])
        #expect(lines.map { $0["at"] as Int } == [4, 5, 6, 7, 8])
        #expect(lines.map { $0["reasons"] as String } == ["", "", "media-empty-error printer-stopped", "", ""])
        #expect(lines.map { $0["message"] as String? } == [nil, nil, "No paper.", nil, nil])
        let row = try #require(try database.rows("SELECT * FROM printJob").first)
        #expect(row["jobID"] == 17)
        #expect(row["copies"] == 2)
        #expect(row["medium"] == "80mm")
        #expect(row["format"] == "application/pdf")
        #expect(row["isOpen"] == 0)
        #expect(row["updatedAt"] == 8)
        #expect(try journal.printJob(job.id).transitions == 5)
    }

    @Test func `what says nothing new writes nothing`() throws {
        let journal = try TemporaryDatabase().journal()
        let job = try record(journal, try journal.issuedReceipt())
        let report = PrintJobReport(.accepted, jobID: 3, reasons: ["printer-stopped"])
        let first = try journal.updatePrintJob(job.id, report, at: at(5))
        #expect(try journal.updatePrintJob(job.id, report, at: at(6)) == first)
        #expect(try journal.printJobTransitions(of: job.id).count == 2)
    }

    @Test func `the history of a print can only grow`() throws {
        let database = try TemporaryDatabase()
        let journal = try database.journal()
        _ = try record(journal, try journal.issuedReceipt())
        #expect(throws: DatabaseError.self) { try database.execute("UPDATE printJobTransition SET at = 5") }
        #expect(throws: DatabaseError.self) { try database.execute("DELETE FROM printJobTransition") }
        #expect(throws: DatabaseError.self) {
            try database.execute("PRAGMA foreign_keys = ON; DELETE FROM printJob")
        }
    }

    @Test func `a card number in a printer's words is masked before it reaches the disk`() throws {
        let database = try TemporaryDatabase()
        let journal = try database.journal()
        let job = try record(journal, try journal.issuedReceipt())
        try journal.updatePrintJob(
            job.id, PrintJobReport(.failed, message: "bad line 4761739001010010"), at: at(5))
        #expect(try database.text("SELECT message FROM printJob") == "bad line ************0010")
        #expect(
            try database.text("SELECT message FROM printJobTransition WHERE sequence = 2")
                == "bad line ************0010")
    }

    @Test(arguments: [
        "UPDATE printJob SET state = 'printed'", "UPDATE printJob SET mayBePrinted = 0",
        "UPDATE printJob SET state = 'completed'", "UPDATE printJob SET copies = 0", "UPDATE printJob SET jobID = 0",
        "UPDATE printJob SET copy = 'both'",
    ])
    func `the database refuses what makes no sense of a print`(_ sql: String) throws {
        let database = try TemporaryDatabase()
        let journal = try database.journal()
        _ = try record(journal, try journal.issuedReceipt())
        #expect(throws: DatabaseError.self) { try database.execute(sql) }
    }

    // MARK: Duplicates

    private static let endings: [(reports: [PrintJobReport], isDuplicate: Bool)] = [
        ([], true), ([PrintJobReport(.accepted)], true), ([PrintJobReport(.sent)], true),
        ([PrintJobReport(.sent, isLastWord: true)], true), ([PrintJobReport(.completed)], true),
        ([PrintJobReport(.unknown, isLastWord: true)], true), ([PrintJobReport(.failed)], true),
        ([PrintJobReport(.sent), PrintJobReport(.failed)], true),
        ([PrintJobReport(.failed, isUnprinted: true)], false),
        ([PrintJobReport(.accepted), PrintJobReport(.failed, isUnprinted: true)], false),
    ]

    @Test(arguments: endings.indices)
    func `a copy is marked when there may be paper of it, and only then`(_ index: Int) throws {
        let (reports, isDuplicate) = Self.endings[index]
        let journal = try TemporaryDatabase().journal()
        let receipt = try journal.issuedReceipt()
        let first = try record(journal, receipt)
        #expect(!first.isDuplicate)
        for report in reports { try journal.updatePrintJob(first.id, report, at: at(5)) }
        #expect(try record(journal, receipt).isDuplicate == isDuplicate)
    }

    @Test func `the other copy, and another payment's receipt, are no duplicates`() throws {
        let journal = try TemporaryDatabase().journal()
        let receipt = try journal.issuedReceipt()
        _ = try record(journal, receipt)
        #expect(try !record(journal, receipt, .merchant).isDuplicate)
        #expect(try !record(journal, try journal.issuedReceipt(order: 43)).isDuplicate)
        #expect(try record(journal, receipt).isDuplicate)
    }

    @Test func `a new version of what is on paper is a duplicate`() throws {
        let journal = try TemporaryDatabase().journal()
        let receipt = try journal.issuedReceipt()
        _ = try record(journal, receipt)
        let second = try journal.saveReceipt(
            ReceiptDraft(kind: .sale, content: #"{"note":1}"#), of: receipt.paymentID, at: at(1010))
        #expect(try record(journal, second).isDuplicate)
        #expect(try journal.printJobs(of: receipt).map(\.receiptID) == [receipt.id, second.id])
    }

    @Test func `what has to be marked is marked whatever came before`() throws {
        let journal = try TemporaryDatabase().journal()
        #expect(try record(journal, try journal.issuedReceipt(), isMarked: true).isDuplicate)
    }

    @Test func `of two tills that print a copy at the same time one marks it`() async throws {
        let database = try TemporaryDatabase()
        let journals = [try database.journal(), try database.journal()]
        let receipt = try journals[0].issuedReceipt()
        let marks = try await withThrowingTaskGroup(of: Bool.self) { group in
            for journal in journals { group.addTask { try self.record(journal, receipt).isDuplicate } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(marks.sorted { !$0 && $1 } == [false, true])
    }

    // MARK: After a crash

    @Test func `open prints of a dead process are found, those of a living one are left alone`() throws {
        let database = try TemporaryDatabase()
        let storage = try database.open()
        var lease: ProcessLease? = try ProcessLease(in: storage)
        var journal: PaymentJournal? = PaymentJournal(storage: storage, lease: try #require(lease))
        let job = try record(try #require(journal), try #require(journal).issuedReceipt())
        let rescuer = try database.journal()
        #expect(try rescuer.openPrintJobs().isEmpty)
        #expect(try rescuer.isBeingPrinted(job))
        #expect(try #require(journal).openPrintJobs().map(\.id) == [job.id])
        (lease, journal) = (nil, nil)
        #expect(try rescuer.openPrintJobs().map(\.id) == [job.id])
        #expect(try !rescuer.isBeingPrinted(job))
        try rescuer.updatePrintJob(job.id, PrintJobReport(.unknown), at: at(9))
        #expect(try rescuer.openPrintJobs().map(\.id) == [job.id])
        try rescuer.updatePrintJob(job.id, PrintJobReport(.unknown, isLastWord: true), at: at(10))
        #expect(try rescuer.openPrintJobs().isEmpty)
    }

    @Test func `a cut at any step leaves behind how far the print was seen to come`() throws {
        let database = try TemporaryDatabase()
        let journal = try database.journal()
        let receipt = try journal.issuedReceipt()
        func states(_ cut: TemporaryDatabase) throws -> [PrintJobState] {
            try cut.journal().openPrintJobs().map(\.state)
        }
        #expect(try states(try database.afterCut()).isEmpty)
        let job = try record(journal, receipt)
        #expect(try states(try database.afterCut()) == [.queued])
        try journal.updatePrintJob(job.id, PrintJobReport(.accepted, jobID: 5), at: at(5))
        #expect(try states(try database.afterCut()) == [.accepted])
        try journal.updatePrintJob(job.id, PrintJobReport(.sent), at: at(6))
        let cut = try database.afterCut()
        #expect(try states(cut) == [.sent])
        #expect(
            try cut.journal().recordPrintJob(
                PrintJobDraft(receiptID: receipt.id, printer: "till", copy: .customer), at: at(9)
            ).isDuplicate)
        try journal.updatePrintJob(job.id, PrintJobReport(.completed), at: at(7))
        #expect(try states(try database.afterCut()).isEmpty)
    }

    @Test func `looking for open prints reads no table from end to end`() throws {
        let database = try TemporaryDatabase()
        _ = try database.open()
        let plan = try database.rows("EXPLAIN QUERY PLAN SELECT * FROM printJob WHERE isOpen = 1 ORDER BY id")
        #expect(plan.map { $0["detail"] as String } == ["SCAN printJob USING INDEX printJobOpen"])
    }
}
