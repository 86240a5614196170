import Determinism
import GRDB
import Payments
import Testing

@testable import Storage

/// What a store site has to know of refunds, row by row.
@Suite struct RefundNotificationTests {
    private let order = OrderToPay(
        siteID: 7, siteAddress: "https://shop.example", storeName: "Corner Shop", orderID: 42, orderNumber: "A-42",
        gateway: "woocommerce-payments")

    /// A payment of the order that is taken, and that the site knows when it is `confirmed`.
    private func captured(_ journal: PaymentJournal, confirmed: Bool = true) throws -> Payment {
        let begun = try journal.begin(order, amount: try usd(1250), hostName: "simulated", at: at(1000))
        try journal.markAuthorizing(begun.attempt.id, at: at(1001))
        let payment = try journal.finish(
            begun.attempt.id, as: .captured, receipt: ReceiptDraft(kind: .sale, content: "{}"), at: at(1002)
        ).payment
        if confirmed { try confirm(payment.id, in: journal) }
        return payment
    }

    private func confirm(_ id: PaymentID, in journal: PaymentJournal) throws {
        try journal.markNotificationSent(of: id, at: at(1003))
        try journal.recordNotification(of: id, as: .confirmed, at: at(1004))
    }

    @discardableResult
    private func refund(
        _ id: PaymentID, _ amount: Int64 = 500, as state: AttemptState = .captured, in journal: PaymentJournal
    ) throws -> Int64 {
        let attempt = try journal.beginRefund(of: id, amount: try usd(amount), hostName: "simulated", at: at(2000))
            .attempt.id
        try journal.markAuthorizing(attempt, at: at(2001))
        if state == .unknown {
            try journal.markUnknown(attempt, reason: "no answer", at: at(2002))
        } else {
            try journal.finish(attempt, as: state, at: at(2002))
        }
        return attempt
    }

    private func error(_ body: () throws -> Void) -> JournalError? {
        do { try body() } catch { return error as? JournalError }
        return nil
    }

    @Test func `the commit of the refund itself makes it due, under the name that the attempt's key gives`() throws {
        let database = try TemporaryDatabase()
        let journal = try database.journal()
        let id = try captured(journal).id
        let attempt = try journal.beginRefund(of: id, amount: try usd(500), hostName: "simulated", at: at(2000))
            .attempt.id
        try journal.markAuthorizing(attempt, at: at(2001))
        #expect(try database.number("SELECT count(*) FROM siteRefund") == 0)
        let counter = CommitCounter()
        (try #require(journal.storage as? SQLiteStorageManager)).writer.add(
            transactionObserver: counter, extent: .databaseLifetime)
        try journal.finish(attempt, as: .captured, at: at(2002))
        #expect(counter.commits == 1)

        let row = try #require(try database.rows("SELECT * FROM siteRefund").first)
        let databaseID = try #require(try database.text("SELECT databaseID FROM storeIdentity"))
        #expect(row["id"] == attempt)
        #expect(row["paymentID"] == 1)
        #expect(row["amount"] == 500)
        #expect(row["currency"] == "USD")
        #expect(row["intentID"] == "re_\(databaseID)_\(attempt)")
        #expect(row["state"] == "due")
        #expect(row["tries"] == 0)
        #expect(row["lease"] == journal.lease.number)
        #expect(row["createdAt"] == 2002)
        #expect(try journal.openRefundNotifications().map(\.id) == [attempt])
        #expect(try journal.paymentWithNotification(id).refundNotifications.map(\.id) == [attempt])
    }

    @Test(arguments: [AttemptState.declined, .failed, .unknown])
    func `a refund that moved no money, or whose outcome is unknown, is not told`(_ state: AttemptState) throws {
        let journal = try TemporaryDatabase().journal()
        let id = try captured(journal).id
        let attempt = try refund(id, as: state, in: journal)
        #expect(try journal.refundNotifications(of: id).isEmpty)
        guard state == .unknown else { return }
        try journal.finish(attempt, as: .captured, at: at(2003))
        #expect(try journal.refundNotifications(of: id).map(\.state) == [.due])
    }

    @Test func `a refund of a payment without an order is not told`() throws {
        let journal = try TemporaryDatabase().journal()
        let id = try journal.capturedSale().payment.id
        try refund(id, in: journal)
        #expect(try journal.refundNotifications(of: id).isEmpty)
    }

    @Test func `a refund waits until the site knows the payment, and is due in that commit`() throws {
        let database = try TemporaryDatabase()
        let journal = try database.journal()
        let id = try captured(journal, confirmed: false).id
        try refund(id, in: journal)
        #expect(try journal.refundNotifications(of: id).map(\.state) == [.planned])
        #expect(try journal.openRefundNotifications().isEmpty)
        #expect(try journal.paymentWithNotification(id).refundNotifications.isEmpty)
        try journal.markNotificationSent(of: id, at: at(3000))
        struct NotSaved: Error {}
        #expect(
            error { try journal.recordNotification(of: id, as: .confirmed, at: at(3001)) { _ in throw NotSaved() } }
                != nil)
        #expect(try journal.openRefundNotifications().isEmpty)
        try journal.recordNotification(of: id, as: .confirmed, at: at(3002))
        #expect(try journal.openRefundNotifications().map(\.state) == [.due])
        #expect(try database.number("SELECT updatedAt FROM siteRefund") == 3002)
    }

    @Test func `a crash at any step keeps it, and the next process takes it over`() throws {
        let database = try TemporaryDatabase()
        let journal = try database.journal()
        func open() throws -> [OrderRefundNotification] {
            try database.afterCut().journal().openRefundNotifications()
        }
        let id = try captured(journal).id
        let attempt = try refund(id, in: journal)
        #expect(try open().map(\.state) == [.due])
        try journal.markRefundNotificationSent(attempt, at: at(2003))
        #expect(try open().map(\.state) == [.sent])
        try journal.recordRefundNotification(attempt, as: .unknown, reason: "no answer", at: at(2004))
        let cut = try open()
        #expect(cut.map(\.state) == [.unknown])
        #expect(cut.map(\.lastError) == ["no answer"])
        #expect(cut.map(\.tries) == [1])
        #expect(cut.allSatisfy { $0.lease != journal.lease.number })
        try journal.recordRefundNotification(attempt, as: .confirmed, refundID: 99, at: at(2005))
        #expect(try open().isEmpty)
        let told = try #require(try journal.refundNotifications(of: id).first)
        #expect(told.refundID == 99)
        #expect(told.lastError == nil)
    }

    @Test func `refunds of running processes are not touched`() throws {
        let database = try TemporaryDatabase()
        let first = try database.journal()
        let id = try captured(first).id
        let attempt = try refund(id, in: first)
        let second = try database.journal()
        #expect(try second.openRefundNotifications().isEmpty)
        let refusal = JournalError.notificationNotOurs(id, lease: first.lease.number)
        #expect(error { _ = try second.claimRefundNotification(attempt) } == refusal)
        #expect(error { try second.markRefundNotificationSent(attempt, at: at(2003)) } == refusal)
        #expect(try first.openRefundNotifications().count == 1)
    }

    private func record(
        _ state: OrderPaymentNotification.State, of attempt: Int64, _ id: PaymentID, at milliseconds: Int64,
        in journal: PaymentJournal
    ) throws {
        if state == .accepted {
            try journal.acceptNotifications(of: id, reason: "by hand", at: at(milliseconds))
        } else {
            try journal.recordRefundNotification(attempt, as: state, refundID: 9, at: at(milliseconds))
        }
    }

    @Test func `no state follows another but those of the table`() throws {
        for state in OrderPaymentNotification.State.allCases where state != .planned {
            for next in OrderPaymentNotification.State.allCases {
                let journal = try TemporaryDatabase().journal()
                let id = try captured(journal).id
                let attempt = try refund(id, in: journal)
                if state != .due {
                    try journal.markRefundNotificationSent(attempt, at: at(2003))
                    if state != .sent { try record(state, of: attempt, id, at: 2004, in: journal) }
                }
                let failure = error { try record(next, of: attempt, id, at: 2005, in: journal) }
                #expect((failure == nil) == state.successors.contains(next), "\(state) to \(next)")
            }
        }
    }

    @Test func `a conflict needs a decision until the payment is given back or the site agrees`() throws {
        let journal = try TemporaryDatabase().journal()
        let id = try captured(journal, confirmed: false).id
        #expect(try journal.paymentsToReview().isEmpty)
        try journal.recordNotification(of: id, as: .conflict, reason: "paid otherwise", at: at(1003))
        #expect(try journal.paymentsToReview().map(\.notification?.state) == [.conflict])
        try refund(id, 500, in: journal)
        #expect(try journal.paymentsToReview().map(\.id) == [id])
        try refund(id, 750, in: journal)
        #expect(try journal.paymentsToReview().isEmpty)
    }

    @Test(arguments: [OrderPaymentNotification.State.refused, .conflict])
    func `a refund that the site does not have needs a decision`(_ state: OrderPaymentNotification.State) throws {
        let journal = try TemporaryDatabase().journal()
        let id = try captured(journal).id
        let attempt = try refund(id, 1250, in: journal)
        #expect(try journal.paymentsToReview().isEmpty)
        try journal.recordRefundNotification(attempt, as: state, reason: "no", at: at(2003))
        #expect(try journal.paymentsToReview().map(\.refundNotifications.count) == [1])
        try journal.recordRefundNotification(attempt, as: .confirmed, refundID: 9, at: at(2004))
        #expect(try journal.paymentsToReview().isEmpty)
    }

    @Test func `an acceptance is one commit, has a reason without card numbers, and is never repeated`() throws {
        let database = try TemporaryDatabase()
        let journal = try database.journal()
        let id = try captured(journal).id
        for amount in [500, 250] as [Int64] {
            try journal.recordRefundNotification(
                try refund(id, amount, in: journal), as: .refused, reason: "no", at: at(2003))
        }
        let counter = CommitCounter()
        (try #require(journal.storage as? SQLiteStorageManager)).writer.add(
            transactionObserver: counter, extent: .databaseLifetime)
        let accepted = try journal.acceptNotifications(
            of: id, reason: "card 4761 7390 0101 0010, by hand", at: at(3000))
        #expect(counter.commits == 1)
        #expect(accepted.refundNotifications.map(\.state) == [.accepted, .accepted])
        #expect(accepted.refundNotifications.map(\.lastError) == ["no", "no"])
        #expect(accepted.notification?.state == .confirmed)
        #expect(try database.text("SELECT acceptance FROM siteRefund") == "card **** **** **** 0010, by hand")
        #expect(try journal.paymentsToReview().isEmpty)
        #expect(try OpenWork(of: database.path).toReview == 0)
        #expect(
            error { try journal.acceptNotifications(of: id, reason: "again", at: at(3001)) } == .nothingToAccept(id))
        #expect(try database.afterCut().journal().refundNotifications(of: id).map(\.acceptance).count == 2)
    }

    @Test func `an acceptance in the hands of a running process is refused`() throws {
        let database = try TemporaryDatabase()
        let first = try database.journal()
        let id = try captured(first).id
        try refund(id, in: first)
        let second = try database.journal()
        #expect(
            error { try second.acceptNotifications(of: id, reason: "by hand", at: at(3000)) }
                == .notificationNotOurs(id, lease: first.lease.number))
        #expect(try first.refundNotifications(of: id).map(\.state) == [.due])
    }

    @Test func `the lines of a refund are kept with the attempt, and told`() throws {
        let database = try TemporaryDatabase()
        let journal = try database.journal()
        let id = try captured(journal).id
        let lines = [
            RefundedLine(id: 17, quantity: 1, total: 400, taxes: [.init(rate: 3, total: 80)]),
            RefundedLine(id: 18, quantity: 2, total: 20, taxes: []),
        ]
        let attempt = try journal.beginRefund(
            of: id, amount: try usd(500), lines: lines, hostName: "simulated", at: at(2000)
        ).attempt.id
        try journal.markAuthorizing(attempt, at: at(2001))
        // The process dies, and the next one finishes the refund.
        let next = try database.afterCut().journal()
        #expect(try next.attempts(of: id).last?.lines == lines)
        try journal.finish(attempt, as: .captured, at: at(2002))
        #expect(try journal.refundNotifications(of: id).map(\.lines) == [lines])
        try database.execute("UPDATE siteRefund SET lines = '{}'")
        #expect(error { _ = try journal.refundNotifications(of: id) } != nil)
    }

    @Test func `a confirmed refund names the refund of the site`() throws {
        let journal = try TemporaryDatabase().journal()
        let attempt = try refund(try captured(journal).id, in: journal)
        #expect(error { try journal.recordRefundNotification(attempt, as: .confirmed, at: at(2003)) } != nil)
    }

    @Test func `a site's error text about a refund is stored without card numbers`() throws {
        let database = try TemporaryDatabase()
        let journal = try database.journal()
        let attempt = try refund(try captured(journal).id, in: journal)
        try journal.recordRefundNotification(
            attempt, as: .refused, reason: "card 4761 7390 0101 0010 is not accepted", at: at(2003))
        #expect(try database.text("SELECT lastError FROM siteRefund") == "card **** **** **** 0010 is not accepted")
    }
}
