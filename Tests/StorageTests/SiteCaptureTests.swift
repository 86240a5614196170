import Determinism
import Foundation
import GRDB
import Testing

@testable import Storage

/// What a store site has to be told, row by row.
@Suite struct SiteCaptureTests {
    private let order = OrderToPay(
        siteID: 7, siteAddress: "https://shop.example", storeName: "Corner Shop", orderID: 42, orderNumber: "A-42",
        gateway: "woocommerce-payments")

    private func begin(_ journal: PaymentJournal) throws -> JournalEntry {
        try journal.begin(order, amount: try usd(1250), hostName: "simulated", at: at(1000))
    }

    /// A payment of the order that is taken.
    private func captured(_ journal: PaymentJournal) throws -> Storage.Payment {
        let attempt = try begin(journal).attempt.id
        try journal.markAuthorizing(attempt, at: at(1001))
        return try journal.finish(
            attempt, as: .captured, receipt: ReceiptDraft(kind: .sale, content: "{}"), at: at(1002)
        ).payment
    }

    private func refund(_ id: PaymentID, in journal: PaymentJournal) throws {
        let refund = try journal.beginRefund(of: id, amount: try usd(1250), hostName: "simulated", at: at(1003))
        try journal.markAuthorizing(refund.attempt.id, at: at(1004))
        try journal.finish(refund.attempt.id, as: .captured, at: at(1005))
    }

    private func error(_ body: () throws -> Void) -> JournalError? {
        do { try body() } catch { return error as? JournalError }
        return nil
    }

    @Test func `the approval itself makes it due, under the name that the attempt's key gives`() throws {
        let database = try TemporaryDatabase()
        let journal = try database.journal()
        let begun = try begin(journal)
        #expect(try journal.capture(of: begun.payment.id)?.state == .planned)
        #expect(try journal.openCaptures().isEmpty)
        try journal.markAuthorizing(begun.attempt.id, at: at(1001))
        #expect(try database.text("SELECT state FROM siteCapture") == "planned")
        let counter = CommitCounter()
        (try #require(journal.storage as? SQLiteStorageManager)).writer.add(
            transactionObserver: counter, extent: .databaseLifetime)
        try journal.finish(begun.attempt.id, as: .captured, at: at(1002))
        #expect(counter.commits == 1)

        let row = try #require(try database.rows("SELECT * FROM siteCapture").first)
        let databaseID = try #require(try database.text("SELECT databaseID FROM storeIdentity"))
        #expect(row["id"] == 1)
        #expect(row["attemptID"] == begun.attempt.id)
        #expect(row["siteAddress"] == "https://shop.example")
        #expect(row["storeName"] == "Corner Shop")
        #expect(row["orderNumber"] == "A-42")
        #expect(row["gateway"] == "woocommerce-payments")
        #expect(row["intentID"] == "pi_\(databaseID)_1")
        #expect(row["state"] == "due")
        #expect(row["tries"] == 0)
        #expect(row["lease"] == journal.lease.number)
        #expect(row["createdAt"] == 1000)
        #expect(row["updatedAt"] == 1002)
        #expect(try journal.openCaptures().map(\.id) == [begun.payment.id])
    }

    @Test func `a payment without an order has nothing to tell`() throws {
        let journal = try TemporaryDatabase().journal()
        let id = try journal.capturedSale().payment.id
        #expect(try journal.capture(of: id) == nil)
        #expect(try journal.openCaptures().isEmpty)
        #expect(error { _ = try journal.claimCapture(of: id) } == .nothingToCapture(id))
        #expect(
            error { _ = try journal.claimCapture(of: PaymentID(rawValue: 9)) }
                == .paymentNotFound(PaymentID(rawValue: 9)))
    }

    @Test(arguments: [AttemptState.declined, .failed, .cancelled])
    func `an attempt that took nothing leaves nothing to tell`(_ state: AttemptState) throws {
        let journal = try TemporaryDatabase().journal()
        let begun = try begin(journal)
        try journal.finish(begun.attempt.id, as: state, at: at(1001))
        #expect(try journal.capture(of: begun.payment.id)?.state == .planned)
        #expect(try journal.openCaptures().isEmpty)
    }

    @Test func `an offline approval is due at once, and told when its host knows it`() throws {
        let journal = try TemporaryDatabase().journal()
        let begun = try begin(journal)
        try journal.finish(begun.attempt.id, as: .authorized, advice: "{}", at: at(1001))
        #expect(try journal.capture(of: begun.payment.id)?.state == .due)
        #expect(try journal.openCaptures().isEmpty)
        try journal.finish(begun.attempt.id, as: .captured, at: at(1002))
        #expect(try journal.openCaptures().count == 1)
    }

    @Test func `an offline approval that is taken back leaves nothing to tell, and another attempt has another name`()
        throws
    {
        let journal = try TemporaryDatabase().journal()
        let begun = try begin(journal)
        let id = begun.payment.id
        try journal.finish(begun.attempt.id, as: .authorized, advice: "{}", at: at(1001))
        let first = try #require(try journal.capture(of: id)?.intentID)
        try journal.markReversing(begun.attempt.id, reason: "refused", at: at(1002))
        try journal.finish(begun.attempt.id, as: .reversed, at: at(1003))
        #expect(try journal.capture(of: id)?.state == .planned)
        #expect(try journal.capture(of: id)?.intentID == nil)
        let again = try journal.retry(id, hostName: "simulated", at: at(1004))
        try journal.finish(again.attempt.id, as: .authorized, advice: "{}", at: at(1005))
        #expect(try #require(try journal.capture(of: id)?.intentID) != first)
    }

    @Test func `a cut at any step leaves what has to be told, and the next process takes it over`() throws {
        let database = try TemporaryDatabase()
        let journal = try database.journal()
        func open(_ cut: TemporaryDatabase) throws -> [SiteCapture] { try cut.journal().openCaptures() }
        let begun = try begin(journal)
        let id = begun.payment.id
        try journal.markAuthorizing(begun.attempt.id, at: at(1001))
        #expect(try open(try database.afterCut()).isEmpty)
        try journal.finish(begun.attempt.id, as: .captured, at: at(1002))
        #expect(try open(try database.afterCut()).map(\.state) == [.due])
        try journal.markCaptureSent(of: id, at: at(1003))
        #expect(try open(try database.afterCut()).map(\.state) == [.sent])
        try journal.settleCapture(of: id, as: .unknown, reason: "no answer", at: at(1004))
        let cut = try open(try database.afterCut())
        #expect(cut.map(\.state) == [.unknown])
        #expect(cut.map(\.lastError) == ["no answer"])
        #expect(cut.map(\.tries) == [1])
        #expect(cut.allSatisfy { $0.intentID != nil && $0.lease != journal.lease.number })
        try journal.settleCapture(of: id, as: .confirmed, orderStatus: "processing", at: at(1005))
        #expect(try open(try database.afterCut()).isEmpty)
    }

    @Test func `what a living process works on is left alone`() throws {
        let database = try TemporaryDatabase()
        let first = try database.journal()
        let id = try captured(first).id
        let second = try database.journal()
        #expect(try second.openCaptures().isEmpty)
        #expect(error { _ = try second.claimCapture(of: id) } == .captureNotOurs(id, lease: first.lease.number))
        #expect(
            error { try second.markCaptureSent(of: id, at: at(2000)) }
                == .captureNotOurs(id, lease: first.lease.number))
        #expect(try first.openCaptures().count == 1)
    }

    @Test func `of two that come at once, one takes it over`() async throws {
        let database = try TemporaryDatabase()
        _ = try captured(try database.journal())
        let journals = [try database.journal(), try database.journal(), try database.journal()]
        let taken = try await withThrowingTaskGroup(of: Int.self) { group in
            for journal in journals { group.addTask { try journal.openCaptures().count } }
            return try await group.reduce(0, +)
        }
        #expect(taken == 1)
    }

    @Test func `what is confirmed is committed with its receipt and whatever goes with it, or not at all`() throws {
        let database = try TemporaryDatabase()
        let journal = try database.journal()
        let id = try captured(journal).id
        try journal.markCaptureSent(of: id, at: at(1003))
        struct NotSaved: Error {}
        let failure = error {
            try journal.settleCapture(of: id, as: .confirmed, orderStatus: "processing", at: at(1004)) { _ in
                throw NotSaved()
            }
        }
        #expect(failure != nil)
        #expect(try journal.capture(of: id)?.state == .sent)
        #expect(try journal.capture(of: id)?.orderStatus == nil)
        let (payment, attempt) = (try journal.payment(id), try #require(try journal.attempts(of: id).first))
        try journal.settleCapture(of: id, as: .confirmed, orderStatus: "processing", at: at(1004)) { storage in
            try storage.insertNewObject(
                Receipt(
                    ReceiptDraft(kind: .unknown, content: "{}"), of: payment, attempt, version: 1, createdAt: at(1)))
        }
        let capture = try #require(try journal.capture(of: id))
        #expect(capture.state == .confirmed)
        #expect(capture.orderStatus == "processing")
        #expect(capture.receiptID == 1)
        #expect(capture.lastError == nil)
        #expect(try database.number("SELECT count(*) FROM receipt") == 2)
    }

    @Test func `no state follows another but those of the table`() throws {
        for state in SiteCaptureState.allCases where state != .planned {
            for next in SiteCaptureState.allCases {
                let journal = try TemporaryDatabase().journal()
                let id = try captured(journal).id
                if state != .due {
                    try journal.markCaptureSent(of: id, at: at(1003))
                    if state != .sent { try journal.settleCapture(of: id, as: state, at: at(1004)) }
                }
                let failure = error { try journal.settleCapture(of: id, as: next, at: at(1005)) }
                // Nothing takes a payment back behind the attempt's back.
                let isAllowed = state.successors.contains(next) && next != .planned
                #expect((failure == nil) == isAllowed, "\(state) to \(next)")
                if !isAllowed {
                    #expect(try journal.capture(of: id)?.state == state)
                }
            }
        }
    }

    @Test func `a site is not told of money that went back`() throws {
        let journal = try TemporaryDatabase().journal()
        let id = try captured(journal).id
        try refund(id, in: journal)
        #expect(error { try journal.markCaptureSent(of: id, at: at(1006)) } == .moneyWentBack(id))
        #expect(try journal.capture(of: id)?.state == .due)
        #expect(try journal.capture(of: id)?.tries == 0)
    }

    // MARK: One payment an order

    @Test func `an order has one payment at a time`() throws {
        let journal = try TemporaryDatabase().journal()
        let begun = try begin(journal)
        #expect(
            error { _ = try begin(journal) } == .orderHasPayment(order: 42, begun.payment.id, .pending))
        try journal.markAuthorizing(begun.attempt.id, at: at(1))
        try journal.markUnknown(begun.attempt.id, reason: "no answer", at: at(2))
        #expect(error { _ = try begin(journal) } == .orderHasPayment(order: 42, begun.payment.id, .unknown))
        try journal.finish(begun.attempt.id, as: .captured, at: at(3))
        #expect(error { _ = try begin(journal) } == .orderHasPayment(order: 42, begun.payment.id, .captured))
        try refund(begun.payment.id, in: journal)
        #expect(try begin(journal).payment.id.rawValue == 2)
        #expect(try journal.payments().count == 2)
    }

    @Test func `a payment that took nothing makes room for another one, and is not tried again beside it`() throws {
        let journal = try TemporaryDatabase().journal()
        let first = try begin(journal)
        try journal.finish(first.attempt.id, as: .declined, at: at(1))
        let second = try begin(journal)
        #expect(
            error { _ = try journal.retry(first.payment.id, hostName: "simulated", at: at(2)) }
                == .orderHasPayment(order: 42, second.payment.id, .pending))
        try journal.finish(second.attempt.id, as: .cancelled, at: at(3))
        #expect(try journal.retry(first.payment.id, hostName: "simulated", at: at(4)).payment.state == .pending)
    }

    @Test func `of two that begin a payment of one order at once, one does`() async throws {
        let database = try TemporaryDatabase()
        let journals = [try database.journal(), try database.journal()]
        let begun = await withTaskGroup(of: Bool.self) { group in
            for journal in journals { group.addTask { (try? begin(journal)) != nil } }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(begun == 1)
        #expect(try database.number("SELECT count(*) FROM payment") == 1)
    }

    @Test func `an order of the same number at another site is another order`() throws {
        let journal = try TemporaryDatabase().journal()
        _ = try begin(journal)
        let other = OrderToPay(
            siteID: 8, siteAddress: "https://other.example", storeName: nil, orderID: 42, orderNumber: "42",
            gateway: "woocommerce-stripe")
        #expect(try journal.begin(other, amount: try usd(100), hostName: "simulated", at: at(1)).payment.siteID == 8)
    }

    @Test func `what a site says is kept without a card number`() throws {
        let database = try TemporaryDatabase()
        let journal = try database.journal()
        let id = try captured(journal).id
        try journal.settleCapture(
            of: id, as: .refused, reason: "card 4761 7390 0101 0010 is not accepted", at: at(1003))
        #expect(
            try database.text("SELECT lastError FROM siteCapture") == "card **** **** **** 0010 is not accepted")
    }
}
