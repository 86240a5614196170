import Determinism
import GRDB
import Payments
import Testing

@testable import Storage

@Suite struct PrintJournalTests {
    private func record(
        _ journal: PaymentJournal, _ receipt: Receipt, _ copy: ReceiptCopy = .customer, isMarked: Bool = false,
        at moment: Int64 = 2000
    ) throws -> ReceiptPrint {
        try journal.recordPrint(
            ReceiptPrintDraft(receiptID: receipt.id, printer: "till", copy: copy, isMarked: isMarked),
            at: Timestamp(milliseconds: moment))
    }

    // MARK: What is written

    @Test func `every change of a print is a line of its own, with its time and its reasons`() throws {
        let database = try TemporaryDatabase()
        let journal = try database.journal()
        let receipt = try journal.issuedReceipt()
        let job = try journal.recordPrint(
            ReceiptPrintDraft(
                receiptID: receipt.id, printer: "till", copy: .merchant, copies: 2, medium: "80mm",
                format: "application/pdf"), at: at(4))
        try journal.updatePrint(job.id, ReceiptPrintReport(.accepted, jobID: 17), at: at(5))
        try journal.updatePrint(
            job.id,
            ReceiptPrintReport(.accepted, reasons: ["media-empty-error", "printer-stopped"], message: "No paper."),
            at: at(6))
        try journal.updatePrint(job.id, ReceiptPrintReport(.sent), at: at(7))
        try journal.updatePrint(job.id, ReceiptPrintReport(.completed), at: at(8))
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
        #expect(try journal.print(job.id).transitions == 5)
    }

    @Test func `a report without changes writes nothing`() throws {
        let journal = try TemporaryDatabase().journal()
        let job = try record(journal, try journal.issuedReceipt())
        let report = ReceiptPrintReport(.accepted, jobID: 3, reasons: ["printer-stopped"])
        let first = try journal.updatePrint(job.id, report, at: at(5))
        #expect(try journal.updatePrint(job.id, report, at: at(6)) == first)
        #expect(try journal.history(of: job).steps.count == 2)
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
        try journal.updatePrint(
            job.id, ReceiptPrintReport(.failed, message: "bad line 4761739001010010"), at: at(5))
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
    func `the database rejects inconsistent prints`(_ sql: String) throws {
        let database = try TemporaryDatabase()
        let journal = try database.journal()
        _ = try record(journal, try journal.issuedReceipt())
        #expect(throws: DatabaseError.self) { try database.execute(sql) }
    }

    // MARK: Duplicates

    private static let endings: [(reports: [ReceiptPrintReport], isDuplicate: Bool)] = [
        ([], true), ([ReceiptPrintReport(.accepted)], true), ([ReceiptPrintReport(.sent)], true),
        ([ReceiptPrintReport(.sent, isLastWord: true)], true), ([ReceiptPrintReport(.completed)], true),
        ([ReceiptPrintReport(.unknown, isLastWord: true)], true), ([ReceiptPrintReport(.failed)], true),
        ([ReceiptPrintReport(.sent), ReceiptPrintReport(.failed)], true),
        ([ReceiptPrintReport(.failed, isUnprinted: true)], false),
        ([ReceiptPrintReport(.accepted), ReceiptPrintReport(.failed, isUnprinted: true)], false),
    ]

    @Test(arguments: endings.indices)
    func `a copy is marked when there may be paper of it, and only then`(_ index: Int) throws {
        let (reports, isDuplicate) = Self.endings[index]
        let journal = try TemporaryDatabase().journal()
        let receipt = try journal.issuedReceipt()
        let first = try record(journal, receipt)
        #expect(!first.isDuplicate)
        for report in reports { try journal.updatePrint(first.id, report, at: at(5)) }
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

    @Test func `a new version of a printed receipt is a duplicate`() throws {
        let journal = try TemporaryDatabase().journal()
        let receipt = try journal.issuedReceipt()
        _ = try record(journal, receipt)
        let second = try journal.saveReceipt(
            ReceiptDraft(kind: .sale, content: #"{"note":1}"#), of: receipt.paymentID, at: at(1010))
        #expect(try record(journal, second).isDuplicate)
        #expect(try journal.prints(of: receipt).map(\.receiptID) == [receipt.id, second.id])
    }

    @Test func `a forced duplicate mark is set whatever was printed before`() throws {
        let journal = try TemporaryDatabase().journal()
        #expect(try record(journal, try journal.issuedReceipt(), isMarked: true).isDuplicate)
    }

    @Test func `of two simultaneous prints of a copy one is marked`() async throws {
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

    @Test func `open prints of an ended process are found, those of a running one are not touched`() throws {
        let database = try TemporaryDatabase()
        let storage = try database.open()
        var lease: ProcessLease? = try ProcessLease(in: storage)
        var journal: PaymentJournal? = PaymentJournal(storage: storage, lease: try #require(lease))
        let job = try record(try #require(journal), try #require(journal).issuedReceipt())
        let rescuer = try database.journal()
        #expect(try rescuer.openPrints().isEmpty)
        #expect(try rescuer.isPrintedElsewhere(job))
        #expect(try #require(journal).openPrints().map(\.id) == [job.id])
        (lease, journal) = (nil, nil)
        #expect(try rescuer.openPrints().map(\.id) == [job.id])
        #expect(try !rescuer.isPrintedElsewhere(job))
        try rescuer.updatePrint(job.id, ReceiptPrintReport(.unknown), at: at(9))
        #expect(try rescuer.openPrints().map(\.id) == [job.id])
        try rescuer.updatePrint(job.id, ReceiptPrintReport(.unknown, isLastWord: true), at: at(10))
        #expect(try rescuer.openPrints().isEmpty)
    }

    @Test func `a crash at any step keeps the last known state of the print`() throws {
        let database = try TemporaryDatabase()
        let journal = try database.journal()
        let receipt = try journal.issuedReceipt()
        func states(_ cut: TemporaryDatabase) throws -> [ReceiptPrint.State] {
            try cut.journal().openPrints().map(\.state)
        }
        #expect(try states(try database.afterCut()).isEmpty)
        let job = try record(journal, receipt)
        #expect(try states(try database.afterCut()) == [.queued])
        try journal.updatePrint(job.id, ReceiptPrintReport(.accepted, jobID: 5), at: at(5))
        #expect(try states(try database.afterCut()) == [.accepted])
        try journal.updatePrint(job.id, ReceiptPrintReport(.sent), at: at(6))
        let cut = try database.afterCut()
        #expect(try states(cut) == [.sent])
        #expect(
            try cut.journal().recordPrint(
                ReceiptPrintDraft(receiptID: receipt.id, printer: "till", copy: .customer), at: at(9)
            ).isDuplicate)
        try journal.updatePrint(job.id, ReceiptPrintReport(.completed), at: at(7))
        #expect(try states(try database.afterCut()).isEmpty)
    }

    @Test func `looking for open prints reads no table from end to end`() throws {
        let database = try TemporaryDatabase()
        _ = try database.open()
        let plan = try database.rows("EXPLAIN QUERY PLAN SELECT * FROM printJob WHERE isOpen = 1 ORDER BY id")
        #expect(plan.map { $0["detail"] as String } == ["SCAN printJob USING INDEX printJobOpen"])
    }
}
