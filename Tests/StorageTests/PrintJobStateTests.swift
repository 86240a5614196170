import Determinism
import Testing

@testable import Storage

@Suite struct PrintJobStateTests {
    /// Ways from the first state to each other one.
    private static let paths: [PrintJobState: [PrintJobState]] = [
        .queued: [], .accepted: [.accepted], .sent: [.accepted, .sent], .completed: [.accepted, .completed],
        .failed: [.failed], .unknown: [.unknown],
    ]

    @Test func `what is over stays over, and what was begun is never said not to have been`() {
        #expect(PrintJobState.allCases.filter(\.isFinal) == [.completed, .failed])
        for state in PrintJobState.allCases { #expect(!state.successors.contains(.queued)) }
        #expect(!PrintJobState.sent.successors.contains(.accepted))
    }

    @Test(arguments: PrintJobState.allCases)
    func `the journal takes exactly the transitions of the table`(_ from: PrintJobState) throws {
        let journal = try TemporaryDatabase().journal()
        for to in PrintJobState.allCases {
            let receipt = try journal.issuedReceipt()
            let id = try journal.recordPrintJob(
                PrintJobDraft(receiptID: receipt.id, printer: "till", copy: .customer), at: at(4)
            ).id
            for step in try #require(Self.paths[from]) {
                try journal.updatePrintJob(id, PrintJobReport(step), at: at(5))
            }
            let before = try journal.printJobTransitions(of: id)
            #expect(before.map(\.state) == [.queued] + (try #require(Self.paths[from])))
            // Other reasons, so that a state that is entered again is news.
            let report = PrintJobReport(to, reasons: ["printer-stopped"])
            if from.successors.contains(to) {
                #expect(try journal.updatePrintJob(id, report, at: at(6)).state == to)
                #expect(try journal.printJobTransitions(of: id).map(\.state) == before.map(\.state) + [to])
            } else {
                if from == to, from.isFinal {
                    #expect(try journal.updatePrintJob(id, report, at: at(6)).reasons == "")
                } else {
                    #expect(throws: JournalError.illegalPrintJob(id, from: from, to: to)) {
                        try journal.updatePrintJob(id, report, at: at(6))
                    }
                }
                #expect(try journal.printJobTransitions(of: id) == before)
            }
        }
    }
}

extension PaymentJournal {
    /// A sale that is paid, and its receipt.
    func issuedReceipt(
        _ minorUnits: Int64 = 1250, order: Int64? = 42, at moment: Int64 = 1000, last4: String? = nil,
        authCode: String? = nil, content: String = "{}"
    ) throws -> Receipt {
        let attempt = try beginSale(minorUnits, order: order, at: moment).attempt.id
        try markAuthorizing(attempt, at: Timestamp(milliseconds: moment + 1))
        let draft = ReceiptDraft(kind: .sale, content: content, last4: last4, authCode: authCode)
        let entry = try finish(attempt, as: .captured, receipt: draft, at: Timestamp(milliseconds: moment + 2))
        return try #require(entry.receipt)
    }
}
