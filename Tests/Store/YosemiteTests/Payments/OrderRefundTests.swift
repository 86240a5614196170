import Money
import Networking
import Payments
import SimulatedTime
import Simulator
import Storage
import StoreSite
import Testing
import Text

@testable import Yosemite

private let refundPath = "POST /wc/v3/orders/*/refunds"

extension HTTPRequest {
    /// Whether it creates a refund.
    fileprivate var isRefund: Bool {
        method == .post && PercentEncoding.decode(address.query ?? "").contains("/refunds")
    }
}

extension StoreSiteNetwork {
    fileprivate var refundRequests: Int { requests.filter(\.isRefund).count }

    /// The refunds of an order at the store, as they are there.
    fileprivate func refunds(_ order: Int64) async throws -> [Networking.Refund] {
        try await RefundsRemote(client(try Self.applicationPassword)).loadRefunds(
            siteID: Self.siteID, orderID: order
        ).elements
    }

    /// Refunds a part of an order like another user.
    fileprivate func refundOtherwise(_ order: Int64, _ amount: String, reason: String = "") async throws {
        let draft = RefundDraft(amount: try #require(ExactDecimal(amount)), reason: reason)
        _ = try await RefundsRemote(client(try Self.applicationPassword)).createRefund(
            siteID: Self.siteID, orderID: order, draft)
    }
}

/// Refunds of payments of orders: the store has each of them once in the end, despite any fault.
@Suite(.simulatedTime, .timeLimit(.minutes(10))) struct OrderRefundTests {
    private let store = StoreSiteNetwork()

    @Test func `a refund at the till becomes one refund of the order`() async throws {
        let order = try await store.makeOrder()
        let till = try TestTill(store)
        let payment = try await till.pay(order: order.id)
        let after = try await till.refund(payment, "5.00")
        let notice = try #require(after.refundNotifications.first)
        #expect(notice.state == .confirmed)
        #expect(notice.tries == 1)
        #expect(notice.lastError == nil)
        let refunds = try await store.refunds(order.id)
        #expect(refunds.map(\.amount.description) == ["5.00"])
        #expect(refunds.map(\.id) == [notice.refundID])
        #expect(refunds.first?.refundedPayment == false)
        #expect(refunds.first?.reason == "Refund at the till: P000001 (\(notice.intentID))")
        #expect(refunds.first?.metaData.map(\.key) == ["_cardpresent_refund_id"])
        // It is stored here in the same commit, with the order that shows it.
        let kept = try till.storage.read { try $0.models(Networking.Refund.self) }
        #expect(kept == refunds)
        let cached = try till.storage.read { storage in
            try storage.model(Networking.Order.self) { $0.siteID == StoreSiteNetwork.siteID && $0.id == order.id }
        }
        #expect(cached?.refunds.map(\.id) == refunds.map(\.id))
        #expect(try await till.booksAgree())

        let whole = try await till.refund(payment)
        #expect(whole.state == .refunded)
        #expect(whole.refundNotifications.map(\.state) == [.confirmed, .confirmed])
        #expect(try await store.order(order.id).status == .refunded)
        #expect(try await store.refunds(order.id).map(\.amount.description).sorted() == ["5.00", "7.50"])
        #expect(try await till.syncPayments() == OrderPaymentReport())
    }

    @Test(arguments: [("503", OrderPaymentNotification.State.unknown), ("cut", .unknown), ("401", .due), ("429", .due)])
    func `a store that lost the refund is told again under the same name`(
        fault: String, state: OrderPaymentNotification.State
    ) async throws {
        let order = try await store.makeOrder()
        let till = try TestTill(store)
        let payment = try await till.pay(order: order.id)
        store.site.add(try FaultRule("\(refundPath) #1 \(fault)"))
        let after = try await till.refund(payment, "5.00")
        #expect(after.refundedAmount == (try usd("5.00")))
        #expect(after.refundNotifications.map(\.state) == [state])
        #expect(after.refundNotifications.first?.lastError?.isEmpty == false)
        #expect(try await store.refunds(order.id).isEmpty)
        if state == .unknown {
            // The store may have made it, and show older data.
            #expect(try await till.syncPayments().open.count == 1)
            #expect(store.refundRequests == 1)
            try await till.clock.sleep(for: .seconds(60))
        }
        let report = try await till.syncPayments()
        let told = try #require(report.confirmed.first?.refundNotifications.first)
        #expect(told.intentID == after.refundNotifications.first?.intentID)
        #expect(told.tries == 2)
        #expect(try await store.refunds(order.id).map(\.amount.description) == ["5.00"])
        #expect(try await till.booksAgree())
    }

    @Test(arguments: ["lost-answer", "failed-answer", "truncate:5", "wrong-types"])
    func `a response lost after the store's change: one refund and a correct record`(fault: String) async throws {
        let order = try await store.makeOrder()
        let till = try TestTill(store)
        let payment = try await till.pay(order: order.id)
        store.site.add(try FaultRule("\(refundPath) #1 \(fault)"))
        let after = try await till.refund(payment, "5.00")
        #expect(after.refundNotifications.map(\.state) == [.confirmed])
        #expect(store.refundRequests == 1)
        #expect(try await store.refunds(order.id).count == 1)
    }

    @Test func `a store that lost its answer and shows old data for a minute has one refund`() async throws {
        let order = try await store.makeOrder()
        let till = try TestTill(store)
        let payment = try await till.pay(order: order.id)
        store.site.add(try FaultRule("\(refundPath) #1 lost-answer"))
        store.site.add(try FaultRule("GET /wc/v3/orders/* always stale"))
        let after = try await till.refund(payment, "5.00")
        #expect(after.refundNotifications.map(\.state) == [.unknown])
        for _ in 0..<3 {
            try await till.clock.sleep(for: .seconds(15))
            #expect(try await till.syncPayments().open.count == 1)
        }
        store.site.removeFaults()
        #expect(try await till.syncPayments().confirmed.count == 1)
        #expect(store.refundRequests == 1)
        #expect(try await store.refunds(order.id).map(\.amount.description) == ["5.00"])
    }

    @Test func `an unreachable store is told when it is back`() async throws {
        let order = try await store.makeOrder()
        let till = try TestTill(store)
        let payment = try await till.pay(order: order.id)
        store.site.add(try FaultRule("GET /wc/v3/orders/* #1 cut"))
        let after = try await till.refund(payment, "5.00")
        #expect(after.refundNotifications.map(\.state) == [.due])
        #expect(store.refundRequests == 0)
        #expect(try await till.syncPayments().confirmed.count == 1)
        #expect(try await store.refunds(order.id).count == 1)
    }

    @Test func `a refund before the store knows the payment is told after it`() async throws {
        let order = try await store.makeOrder()
        store.site.add(try FaultRule("\(capturePath) #1 429"))
        let till = try TestTill(store)
        let payment = try await till.pay(order: order.id)
        #expect(payment.notification?.state == .due)
        let after = try await till.refund(payment, "5.00")
        #expect(after.refundNotifications.isEmpty)
        #expect(store.refundRequests == 0)
        let report = try await till.syncPayments()
        #expect(report.confirmed.first?.notification?.state == .confirmed)
        #expect(report.confirmed.first?.refundNotifications.map(\.state) == [.confirmed])
        #expect(try await store.refunds(order.id).count == 1)
    }

    @Test func `a payment that was given back before the store knew of it needs no refund there`() async throws {
        let order = try await store.makeOrder()
        store.site.add(try FaultRule("\(capturePath) #1 429"))
        let till = try TestTill(store)
        let payment = try await till.pay(order: order.id)
        _ = try await till.refund(payment)
        #expect(try await till.syncPayments().settled.first?.notification?.state == .refused)
        #expect(store.refundRequests == 0)
        #expect(try till.journal.refundNotifications(of: payment.id).map(\.state) == [.planned])
    }

    @Test func `an order that was refunded otherwise is a conflict and not refunded again`() async throws {
        let order = try await store.makeOrder()
        let till = try TestTill(store)
        let payment = try await till.pay(order: order.id)
        try await store.refundOtherwise(order.id, "10.00")
        let after = try await till.refund(payment, "5.00")
        #expect(after.refundNotifications.map(\.state) == [.conflict])
        #expect(after.refundNotifications.first?.lastError?.contains("was refunded otherwise") == true)
        #expect(store.refundRequests == 1)
        // The clerk decides; the report counts it when it is asked for.
        #expect(try await till.syncPayments() == OrderPaymentReport())
        #expect(try await till.syncPayments(payment).refused.count == 1)
        let other = try #require(try await store.refunds(order.id).first)
        try await store.deleteRefund(other.id, of: order.id)
        #expect(try await till.syncPayments(payment).confirmed.count == 1)
        #expect(try await store.refunds(order.id).map(\.amount.description) == ["5.00"])
    }

    @Test func `a refund of another amount under our name is a conflict`() async throws {
        let order = try await store.makeOrder()
        let till = try TestTill(store)
        let payment = try await till.pay(order: order.id)
        store.site.add(try FaultRule("\(refundPath) #1 429"))
        let name = try #require(try await till.refund(payment, "5.00").refundNotifications.first?.intentID)
        try await store.refundOtherwise(order.id, "4.00", reason: "By hand (\(name))")
        let report = try await till.syncPayments()
        #expect(report.refused.first?.refundNotifications.map(\.state) == [.conflict])
        #expect(try await store.refunds(order.id).map(\.amount.description) == ["4.00"])
    }

    @Test func `a refund whose metadata the store lost is recognized by its reason`() async throws {
        let order = try await store.makeOrder()
        let till = try TestTill(store)
        let payment = try await till.pay(order: order.id)
        store.site.add(try FaultRule("\(refundPath) #1 429"))
        let name = try #require(try await till.refund(payment, "5.00").refundNotifications.first?.intentID)
        try await store.refundOtherwise(order.id, "5.00", reason: "Refund at the till: P000001 (\(name))")
        #expect(try await till.syncPayments().confirmed.count == 1)
        #expect(try await store.refunds(order.id).count == 1)
    }

    @Test func `an order that was deleted in the meantime refuses the refund`() async throws {
        let order = try await store.makeOrder()
        let till = try TestTill(store)
        let payment = try await till.pay(order: order.id)
        try await store.deleteOrder(order.id)
        let after = try await till.refund(payment)
        #expect(after.state == .refunded)
        #expect(after.refundNotifications.map(\.state) == [.refused])
        #expect(after.refundNotifications.first?.lastError == "the store has no order \(order.id) any more")
    }

    @Test func `a refund that only recovery finds at the host reaches the store`() async throws {
        let order = try await store.makeOrder()
        let database = try TestDatabase()
        let till = try TestTill(store) { $0.database = database }
        let payment = try await till.pay(order: order.id)
        let attempt = try till.journal.beginRefund(
            of: payment.id, amount: try usd("5.00"), hostName: till.issuer.name, at: till.clock.now()
        ).attempt
        try till.journal.markAuthorizing(attempt.id, at: till.clock.now())
        _ = try await till.issuer.refund(
            HostRefundRequest(
                key: attempt.key, original: try #require(try till.journal.attempts(of: payment.id).first?.key),
                stan: attempt.stan, amount: attempt.amount))
        let copy = try database.afterKill()
        let next = try TestTill(store) { $0.database = copy }
        #expect(try await next.recover().finished.count == 1)
        #expect(try await next.syncPayments().confirmed.first?.refundNotifications.map(\.state) == [.confirmed])
        #expect(try await store.refunds(order.id).map(\.amount.description) == ["5.00"])
    }

    @Test func `a refund killed at any request to the store is there once in the end`() async throws {
        // The order, the request, the order, its refunds: before and after each.
        for moment in 0..<8 {
            let note: Comment = "moment \(moment)"
            let store = StoreSiteNetwork()
            let order = try await store.makeOrder()
            let database = try TestDatabase()
            let payment = try await TestTill(store) { $0.database = database }.pay(order: order.id)
            let sold = try database.afterKill()
            let freeze = Freeze(sold, at: moment)
            let till = try TestTill(store) {
                $0.database = sold
                $0.wrapNetwork = { network in
                    MeddlingNetwork(
                        network: network, before: { _ throws(NetworkError) in try freeze.pass() },
                        after: { _ throws(NetworkError) in try freeze.pass() })
                }
            }
            _ = try? await till.refund(payment, "5.00")
            let copy = try #require(freeze.copy, note)
            let next = try TestTill(store) { $0.database = copy }
            _ = try await next.recover()
            try await next.clock.sleep(for: .seconds(120))
            let report = try await next.syncPayments()
            #expect(report.open.isEmpty && report.refused.isEmpty && report.failed.isEmpty, note)
            #expect(try await store.refunds(order.id).map(\.amount.description) == ["5.00"], note)
            #expect(try next.journal.refundNotifications(of: payment.id).map(\.state) == [.confirmed], note)
        }
    }

    @Test func `of two programs that sync at once, one tells the store of the refund`() async throws {
        let order = try await store.makeOrder()
        let database = try TestDatabase()
        let till = try TestTill(store) { $0.database = database }
        let payment = try await till.pay(order: order.id)
        store.site.add(try FaultRule("\(refundPath) #1 429"))
        _ = try await till.refund(payment, "5.00")
        let copy = try database.afterKill()
        let tills = [
            try TestTill(store) { $0.database = copy }, try TestTill(store) { $0.database = copy },
            try TestTill(store) { $0.database = copy },
        ]
        let told = try await withThrowingTaskGroup(of: Int.self) { group in
            for till in tills { group.addTask { try await till.syncPayments().confirmed.count } }
            return try await group.reduce(0, +)
        }
        #expect(told == 1)
        #expect(try await store.refunds(order.id).count == 1)
    }
}
