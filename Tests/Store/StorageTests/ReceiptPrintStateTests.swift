import Determinism
import Payments
import Testing

@testable import Storage

@Suite struct ReceiptPrintStateTests {
    /// Ways from the first state to each other one.
    private static let paths: [ReceiptPrint.State: [ReceiptPrint.State]] = [
        .queued: [], .accepted: [.accepted], .sent: [.accepted, .sent], .completed: [.accepted, .completed],
        .failed: [.failed], .unknown: [.unknown],
    ]

    @Test func `final states do not change, and a started print never becomes unstarted`() {
        #expect(ReceiptPrint.State.allCases.filter(\.isFinal) == [.completed, .failed])
        for state in ReceiptPrint.State.allCases { #expect(!state.successors.contains(.queued)) }
        #expect(!ReceiptPrint.State.sent.successors.contains(.accepted))
    }

    @Test(arguments: ReceiptPrint.State.allCases)
    func `the journal takes exactly the transitions of the table`(_ from: ReceiptPrint.State) throws {
        let journal = try TemporaryDatabase().journal()
        for to in ReceiptPrint.State.allCases {
            let receipt = try journal.issuedReceipt()
            let id = try journal.recordPrint(
                ReceiptPrintDraft(receiptID: receipt.id, printer: "till", copy: .customer), at: at(4)
            ).id
            for step in try #require(Self.paths[from]) {
                try journal.updatePrint(id, ReceiptPrintReport(step), at: at(5))
            }
            let before = try journal.history(of: try journal.print(id)).steps
            #expect(before.map(\.state) == [.queued] + (try #require(Self.paths[from])))
            // Other reasons, so that a state that is entered again is news.
            let report = ReceiptPrintReport(to, reasons: ["printer-stopped"])
            if from.successors.contains(to) {
                #expect(try journal.updatePrint(id, report, at: at(6)).state == to)
                #expect(try journal.history(of: try journal.print(id)).steps.map(\.state) == before.map(\.state) + [to])
            } else {
                if from == to, from.isFinal {
                    #expect(try journal.updatePrint(id, report, at: at(6)).reasons.isEmpty)
                } else {
                    #expect(throws: JournalError.illegalPrint(id, from: from, to: to)) {
                        try journal.updatePrint(id, report, at: at(6))
                    }
                }
                #expect(try journal.history(of: try journal.print(id)).steps == before)
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
