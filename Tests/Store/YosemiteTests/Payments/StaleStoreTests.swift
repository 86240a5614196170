import Money
import Networking
import Payments
import SimulatedTime
import Storage
import StoreSite
import Testing

@testable import Yosemite

/// A store that shows old data, as one with a cache or a replica does, gets each refund once.
@Suite(.simulatedTime, .timeLimit(.minutes(10))) struct StaleStoreTests {
    private let store = StoreSiteNetwork()

    private static let orderPath = "GET /wc/v3/orders/*"

    /// A till that took a payment and whose store does not show what comes after.
    private func till(_ rule: String) async throws -> (TestTill, Payment) {
        let order = try await store.makeOrder()
        let till = try TestTill(store)
        let payment = try await till.pay(order: order.id)
        store.site.add(try FaultRule(rule))
        return (till, payment)
    }

    private func refundsAtStore(_ payment: Payment) async throws -> [Networking.Refund] {
        store.site.removeFaults()
        let remote = RefundsRemote(store.client(try StoreSiteNetwork.applicationPassword))
        return try await remote.loadRefunds(
            siteID: StoreSiteNetwork.siteID, orderID: try #require(payment.orderID)
        ).elements
    }

    private func notice(_ till: TestTill, _ payment: Payment) throws -> OrderRefundNotification {
        try #require(try till.journal.refundNotifications(of: payment.id).first)
    }

    @Test func `a refund that the store made and does not show is not made again`() async throws {
        let (till, payment) = try await till("\(Self.orderPath) stale")
        let after = try await till.refund(payment, "5.00")
        let notice = try #require(after.refundNotifications.first)
        // The store's own answer is what is known of it.
        #expect(notice.state == .unknown)
        #expect(notice.refundID != nil)
        #expect(notice.lastError == "the store made refund \(notice.refundID ?? 0), and does not show it yet")
        for _ in 0..<3 { _ = try await till.syncPayments(payment) }
        #expect(try self.notice(till, payment).tries == 1)
        // A store that still does not show it is not believed, and people decide.
        #expect(try self.notice(till, payment).state == .conflict)
        #expect(try self.notice(till, payment).lastError?.contains("does not have it any more") == true)
        let refunds = try await refundsAtStore(payment)
        #expect(refunds.map(\.id) == [notice.refundID])
        // As soon as the store shows it, it is confirmed.
        #expect(try await till.syncPayments(payment).confirmed.count == 1)
        #expect(try await refundsAtStore(payment).count == 1)
    }

    @Test func `a refund that the order hides and the store finds by its ID is confirmed`() async throws {
        let (till, payment) = try await till("\(Self.orderPath) first:3 stale")
        // The order before it, the order after it, and its list are old; the refund itself is there.
        let after = try await till.refund(payment, "5.00")
        #expect(after.refundNotifications.map(\.state) == [.confirmed])
        #expect(try await refundsAtStore(payment).map(\.id) == after.refundNotifications.map(\.refundID))
    }

    @Test func `an order without refunds is not believed after a request`() async throws {
        let (till, payment) = try await till("POST /wc/v3/orders/*/refunds lost-answer")
        store.site.add(try FaultRule("\(Self.orderPath)/refunds #1 503"))
        store.site.add(try FaultRule("\(Self.orderPath) first:4 stale"))
        // The response is lost, and of what the store shows only the list of refunds is new.
        #expect(try await till.refund(payment, "5.00").refundNotifications.map(\.state) == [.unknown])
        #expect(try notice(till, payment).refundID == nil)
        #expect(try await till.syncPayments(payment).confirmed.count == 1)
        #expect(try notice(till, payment).tries == 1)
        #expect(try await refundsAtStore(payment).count == 1)
    }

    @Test(arguments: ["", "/refunds"])
    func `an order and a list of refunds that contradict each other are not believed`(part: String) async throws {
        let (till, payment) = try await till("POST /wc/v3/orders/*/refunds #1 429")
        #expect(try await till.refund(payment, "5.00").refundNotifications.map(\.state) == [.due])
        // Only one of the two shows the refund of another user.
        let order = try #require(payment.orderID)
        store.site.add(try FaultRule("GET /wc/v3/orders/\(order)\(part) stale"))
        try await refundOtherwise(order)
        #expect(try await till.syncPayments().open.count == 1)
        let told = try notice(till, payment)
        #expect(told.state == .due)
        #expect(told.tries == 1)
        #expect(told.lastError?.hasPrefix("the store shows old data") == true)
        store.site.removeFaults()
        #expect(try await till.syncPayments().confirmed.count == 1)
        #expect(try await refundsAtStore(payment).count == 2)
    }

    private func refundOtherwise(_ order: Int64) async throws {
        let draft = RefundDraft(amount: try #require(ExactDecimal("1.00")))
        _ = try await RefundsRemote(store.client(try StoreSiteNetwork.applicationPassword)).createRefund(
            siteID: StoreSiteNetwork.siteID, orderID: order, draft)
    }

    @Test func `one order with old data does not keep the others from the store`() async throws {
        let till = try TestTill(store)
        try await till.connect()
        var payments: [Payment] = []
        for _ in 0..<2 {
            payments.append(try await till.collect(order: try await store.makeOrder().id))
        }
        store.site.add(try FaultRule("POST /wc/v3/orders/*/refunds first:2 429"))
        for payment in payments { _ = try await till.refund(payment, "5.00") }
        let first = try #require(payments[0].orderID)
        store.site.add(try FaultRule("GET /wc/v3/orders/\(first)/refunds stale"))
        try await refundOtherwise(first)
        let report = try await till.syncPayments()
        #expect(report.open.map(\.id) == [payments[0].id])
        #expect(report.confirmed.map(\.id) == [payments[1].id])
    }
}
