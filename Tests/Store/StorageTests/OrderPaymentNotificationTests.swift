import Determinism
import Foundation
import GRDB
import Payments
import Testing

@testable import Storage

/// The notifications of a store site, row by row.
@Suite struct SiteCaptureTests {
    private let order = OrderToPay(
        siteID: 7, siteAddress: "https://shop.example", storeName: "Corner Shop", orderID: 42, orderNumber: "A-42",
        gateway: "woocommerce-payments")

    private func begin(_ journal: PaymentJournal) throws -> JournalEntry {
        try journal.begin(order, amount: try usd(1250), hostName: "simulated", at: at(1000))
    }

    /// A payment of the order that is taken.
    private func captured(_ journal: PaymentJournal) throws -> Payment {
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
        #expect(try journal.notification(of: begun.payment.id)?.state == .planned)
        #expect(try journal.openNotifications().isEmpty)
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
        #expect(try journal.openNotifications().map(\.id) == [begun.payment.id])
    }

    @Test func `a payment without an order has no notification`() throws {
        let journal = try TemporaryDatabase().journal()
        let id = try journal.capturedSale().payment.id
        #expect(try journal.notification(of: id) == nil)
        #expect(try journal.openNotifications().isEmpty)
        #expect(error { _ = try journal.claimNotification(of: id) } == .nothingToNotify(id))
        #expect(
            error { _ = try journal.claimNotification(of: PaymentID(rawValue: 9)) }
                == .paymentNotFound(PaymentID(rawValue: 9)))
    }

    @Test(arguments: [AttemptState.declined, .failed, .canceled])
    func `an attempt without a charge has no notification`(_ state: AttemptState) throws {
        let journal = try TemporaryDatabase().journal()
        let begun = try begin(journal)
        try journal.finish(begun.attempt.id, as: state, at: at(1001))
        #expect(try journal.notification(of: begun.payment.id)?.state == .planned)
        #expect(try journal.openNotifications().isEmpty)
    }

    @Test func `the notification of an offline approval is due at once, and sent after the advice`() throws {
        let journal = try TemporaryDatabase().journal()
        let begun = try begin(journal)
        try journal.finish(begun.attempt.id, as: .authorized, advice: "{}", at: at(1001))
        #expect(try journal.notification(of: begun.payment.id)?.state == .due)
        #expect(try journal.openNotifications().isEmpty)
        try journal.finish(begun.attempt.id, as: .captured, at: at(1002))
        #expect(try journal.openNotifications().count == 1)
    }

    @Test func `a reversed offline approval has no notification, and another attempt has another intent`()
        throws
    {
        let journal = try TemporaryDatabase().journal()
        let begun = try begin(journal)
        let id = begun.payment.id
        try journal.finish(begun.attempt.id, as: .authorized, advice: "{}", at: at(1001))
        let first = try #require(try journal.notification(of: id)?.intentID)
        try journal.markReversing(begun.attempt.id, reason: "refused", at: at(1002))
        try journal.finish(begun.attempt.id, as: .reversed, at: at(1003))
        #expect(try journal.notification(of: id)?.state == .planned)
        #expect(try journal.notification(of: id)?.intentID == nil)
        let again = try journal.retry(id, hostName: "simulated", at: at(1004))
        try journal.finish(again.attempt.id, as: .authorized, advice: "{}", at: at(1005))
        #expect(try #require(try journal.notification(of: id)?.intentID) != first)
    }

    @Test func `a crash at any step keeps the notification, and the next process takes it over`() throws {
        let database = try TemporaryDatabase()
        let journal = try database.journal()
        func open(_ cut: TemporaryDatabase) throws -> [OrderPaymentNotification] {
            try cut.journal().openNotifications()
        }
        let begun = try begin(journal)
        let id = begun.payment.id
        try journal.markAuthorizing(begun.attempt.id, at: at(1001))
        #expect(try open(try database.afterCut()).isEmpty)
        try journal.finish(begun.attempt.id, as: .captured, at: at(1002))
        #expect(try open(try database.afterCut()).map(\.state) == [.due])
        try journal.markNotificationSent(of: id, at: at(1003))
        #expect(try open(try database.afterCut()).map(\.state) == [.sent])
        try journal.recordNotification(of: id, as: .unknown, reason: "no answer", at: at(1004))
        let cut = try open(try database.afterCut())
        #expect(cut.map(\.state) == [.unknown])
        #expect(cut.map(\.lastError) == ["no answer"])
        #expect(cut.map(\.tries) == [1])
        #expect(cut.allSatisfy { $0.intentID != nil && $0.lease != journal.lease.number })
        try journal.recordNotification(of: id, as: .confirmed, orderStatus: "processing", at: at(1005))
        #expect(try open(try database.afterCut()).isEmpty)
    }

    @Test func `notifications of running processes are not touched`() throws {
        let database = try TemporaryDatabase()
        let first = try database.journal()
        let id = try captured(first).id
        let second = try database.journal()
        #expect(try second.openNotifications().isEmpty)
        #expect(
            error { _ = try second.claimNotification(of: id) } == .notificationNotOurs(id, lease: first.lease.number))
        #expect(
            error { try second.markNotificationSent(of: id, at: at(2000)) }
                == .notificationNotOurs(id, lease: first.lease.number))
        #expect(try first.openNotifications().count == 1)
    }

    @Test func `of two simultaneous processes one takes it over`() async throws {
        let database = try TemporaryDatabase()
        _ = try captured(try database.journal())
        let journals = [try database.journal(), try database.journal(), try database.journal()]
        let taken = try await withThrowingTaskGroup(of: Int.self) { group in
            for journal in journals { group.addTask { try journal.openNotifications().count } }
            return try await group.reduce(0, +)
        }
        #expect(taken == 1)
    }

    @Test func `a confirmation is committed with its receipt and additional data, or not at all`() throws {
        let database = try TemporaryDatabase()
        let journal = try database.journal()
        let id = try captured(journal).id
        try journal.markNotificationSent(of: id, at: at(1003))
        struct NotSaved: Error {}
        let failure = error {
            try journal.recordNotification(of: id, as: .confirmed, orderStatus: "processing", at: at(1004)) { _ in
                throw NotSaved()
            }
        }
        #expect(failure != nil)
        #expect(try journal.notification(of: id)?.state == .sent)
        #expect(try journal.notification(of: id)?.orderStatus == nil)
        let (payment, attempt) = (try journal.payment(id), try #require(try journal.attempts(of: id).first))
        try journal.recordNotification(of: id, as: .confirmed, orderStatus: "processing", at: at(1004)) { storage in
            try storage.insertNewObject(
                Receipt(
                    ReceiptDraft(kind: .unknown, content: "{}"), of: payment, attempt, version: 1, createdAt: at(1)))
        }
        let capture = try #require(try journal.notification(of: id))
        #expect(capture.state == .confirmed)
        #expect(capture.orderStatus == "processing")
        #expect(capture.receiptID == 1)
        #expect(capture.lastError == nil)
        #expect(try database.number("SELECT count(*) FROM receipt") == 2)
    }

    private func record(
        _ state: OrderPaymentNotification.State, of id: PaymentID, at milliseconds: Int64, in journal: PaymentJournal
    ) throws {
        if state == .accepted {
            try journal.acceptNotifications(of: id, reason: "by hand", at: at(milliseconds))
        } else {
            try journal.recordNotification(of: id, as: state, at: at(milliseconds))
        }
    }

    @Test func `no state follows another but those of the table`() throws {
        for state in OrderPaymentNotification.State.allCases where state != .planned {
            for next in OrderPaymentNotification.State.allCases {
                let journal = try TemporaryDatabase().journal()
                let id = try captured(journal).id
                if state != .due {
                    try journal.markNotificationSent(of: id, at: at(1003))
                    if state != .sent { try record(state, of: id, at: 1004, in: journal) }
                }
                let failure = error { try record(next, of: id, at: 1005, in: journal) }
                // Nothing takes a payment back behind the attempt's back.
                let isAllowed = state.successors.contains(next) && next != .planned
                #expect((failure == nil) == isAllowed, "\(state) to \(next)")
                if !isAllowed {
                    #expect(try journal.notification(of: id)?.state == state)
                }
            }
        }
    }

    @Test func `a site is not notified of a refunded payment`() throws {
        let journal = try TemporaryDatabase().journal()
        let id = try captured(journal).id
        try refund(id, in: journal)
        #expect(error { try journal.markNotificationSent(of: id, at: at(1006)) } == .refundedBeforeNotification(id))
        #expect(try journal.notification(of: id)?.state == .due)
        #expect(try journal.notification(of: id)?.tries == 0)
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

    @Test func `a failed payment allows another one, and is not retried in parallel`() throws {
        let journal = try TemporaryDatabase().journal()
        let first = try begin(journal)
        try journal.finish(first.attempt.id, as: .declined, at: at(1))
        let second = try begin(journal)
        #expect(
            error { _ = try journal.retry(first.payment.id, hostName: "simulated", at: at(2)) }
                == .orderHasPayment(order: 42, second.payment.id, .pending))
        try journal.finish(second.attempt.id, as: .canceled, at: at(3))
        #expect(try journal.retry(first.payment.id, hostName: "simulated", at: at(4)).payment.state == .pending)
    }

    @Test func `of two simultaneous payments of an order one starts`() async throws {
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

    @Test func `a site's error text is stored without card numbers`() throws {
        let database = try TemporaryDatabase()
        let journal = try database.journal()
        let id = try captured(journal).id
        try journal.recordNotification(
            of: id, as: .refused, reason: "card 4761 7390 0101 0010 is not accepted", at: at(1003))
        #expect(
            try database.text("SELECT lastError FROM siteCapture") == "card **** **** **** 0010 is not accepted")
    }
}
