import Money
import Networking
import Payments
import SimulatedTime
import Storage
import StoreSite
import Testing

@testable import Yosemite

/// What people decide about: errors change no decision, and a decision ends it.
@Suite(.simulatedTime, .timeLimit(.minutes(10))) struct NotificationReviewTests {
    private let store = StoreSiteNetwork()

    /// A payment whose order was paid in another way.
    private func conflict() async throws -> (TestTill, Payment) {
        let order = try await store.makeOrder()
        let till = try TestTill(store) { plan in
            plan.wrap = { [store] in
                MeddlingHost(host: $0, before: { try? await store.payOtherwise(order.id) })
            }
        }
        return (till, try await till.pay(order: order.id))
    }

    /// A refund of an order that was deleted.
    private func refusedRefund() async throws -> (TestTill, Payment) {
        let order = try await store.makeOrder()
        let till = try TestTill(store)
        let payment = try await till.pay(order: order.id)
        try await store.deleteOrder(order.id)
        return (till, try await till.refund(payment, "5.00"))
    }

    private func accept(_ payment: Payment, at till: TestTill) async throws -> Payment {
        try await till.perform {
            .acceptOrderPayment(paymentID: payment.id, reason: "booked by hand", onCompletion: $0)
        }
    }

    private func toReview(_ till: TestTill) async throws -> [PaymentID] {
        let payments: [Payment] = try await till.perform { .loadPaymentsToReview(onCompletion: $0) }
        return payments.map(\.id)
    }

    // MARK: Errors

    @Test(arguments: ["401", "cut", "500"])
    func `an error changes no conflict of a payment, and is reported beside it`(fault: String) async throws {
        let (till, payment) = try await conflict()
        let before = try #require(try till.journal.notification(of: payment.id))
        #expect(before.state == .conflict)
        store.site.add(try FaultRule("GET /wc/v3/orders/* \(fault)"))
        let report = try await till.syncPayments(payment)
        #expect(report.refused.map(\.notification) == [before])
        #expect(report.unread.map(\.payment) == [payment.id])
        #expect(report.unread.first?.reason.isEmpty == false)
        #expect(try till.journal.notification(of: payment.id) == before)
    }

    @Test func `a request that has no effect changes no conflict of a payment`() async throws {
        let order = try await store.makeOrder()
        let till = try TestTill(store) { plan in
            plan.wrap = { [store] in
                MeddlingHost(
                    host: $0,
                    before: { _ = try? await store.changeOrder(order.id) { $0.status = .canceled } })
            }
        }
        let payment = try await till.pay(order: order.id)
        let reason = try #require(try till.journal.notification(of: payment.id)?.lastError)
        try await store.changeOrder(order.id) { $0.status = .pending }
        store.site.add(try FaultRule("\(capturePath) #1 401"))
        let report = try await till.syncPayments(payment)
        #expect(report.refused.map(\.notification?.state) == [.refused])
        #expect(report.refused.map(\.notification?.lastError) == [reason])
        #expect(report.unread.count == 1)
        #expect(try await till.syncPayments(payment).confirmed.count == 1)
    }

    @Test(arguments: ["401", "cut", "500"])
    func `an error changes no refusal of a refund, and is reported beside it`(fault: String) async throws {
        let (till, payment) = try await refusedRefund()
        let before = try till.journal.refundNotifications(of: payment.id)
        #expect(before.map(\.state) == [.refused])
        store.site.add(try FaultRule("GET /wc/v3/orders/* \(fault)"))
        let report = try await till.syncPayments(payment)
        #expect(report.refused.map(\.refundNotifications) == [before])
        #expect(report.unread.map(\.payment) == [payment.id])
        #expect(try till.journal.refundNotifications(of: payment.id) == before)
    }

    @Test func `a request that has no effect changes no conflict of a refund`() async throws {
        let order = try await store.makeOrder()
        let till = try TestTill(store)
        let payment = try await till.pay(order: order.id)
        let remote = RefundsRemote(store.client(try StoreSiteNetwork.applicationPassword))
        let other = try await remote.createRefund(
            siteID: StoreSiteNetwork.siteID, orderID: order.id,
            RefundDraft(amount: try #require(ExactDecimal("10.00"))))
        let reason = try #require(try await till.refund(payment, "5.00").refundNotifications.first?.lastError)
        try await store.deleteRefund(other.id, of: order.id)
        store.site.add(try FaultRule("POST /wc/v3/orders/*/refunds #1 401"))
        let report = try await till.syncPayments(payment)
        #expect(report.refused.first?.refundNotifications.map(\.state) == [.conflict])
        #expect(report.refused.first?.refundNotifications.map(\.lastError) == [reason])
        #expect(report.unread.count == 1)
        #expect(try await till.syncPayments(payment).confirmed.count == 1)
    }

    // MARK: Decisions

    @Test func `an accepted refund is final, and the store is not asked about it any more`() async throws {
        let (till, payment) = try await refusedRefund()
        #expect(try await toReview(till) == [payment.id])
        let accepted = try await accept(payment, at: till)
        #expect(accepted.refundNotifications.map(\.state) == [.accepted])
        #expect(accepted.refundNotifications.map(\.acceptance) == ["booked by hand"])
        #expect(accepted.refundNotifications.first?.lastError?.contains("has no order") == true)
        #expect(accepted.notification?.state == .confirmed)
        #expect(try await toReview(till).isEmpty)
        let requests = store.requests.count
        #expect(try await till.syncPayments() == OrderPaymentReport())
        let report = try await till.syncPayments(payment)
        #expect(report.settled.map(\.id) == [payment.id])
        #expect(!report.wasSiteAsked)
        #expect(store.requests.count == requests)
        #expect(
            await till.failure { try await accept(payment, at: till) } == .journal(.nothingToAccept(payment.id)))
    }

    @Test func `an accepted payment needs no review, and its later refund is not sent`() async throws {
        let (till, payment) = try await conflict()
        #expect(try await accept(payment, at: till).notification?.state == .accepted)
        #expect(try await toReview(till).isEmpty)
        #expect(try await till.syncPayments(payment).settled.count == 1)
        #expect(try await till.refund(payment, "5.00").refundNotifications.isEmpty)
        #expect(try await toReview(till).isEmpty)
    }

    @Test func `a store that is gone for good can be accepted, too`() async throws {
        let order = try await store.makeOrder()
        store.site.add(try FaultRule("GET /wc/v3/orders/* from:2 cut"))
        let till = try TestTill(store)
        let payment = try await till.pay(order: order.id)
        #expect(payment.notification?.state == .due)
        #expect(try await till.syncPayments().open.count == 1)
        #expect(try await accept(payment, at: till).notification?.state == .accepted)
        #expect(try await till.syncPayments() == OrderPaymentReport())
    }

    @Test func `a confirmed payment has nothing to accept`() async throws {
        let till = try TestTill(store)
        let payment = try await till.pay(order: try await store.makeOrder().id)
        #expect(
            await till.failure { try await accept(payment, at: till) } == .journal(.nothingToAccept(payment.id)))
    }

    // MARK: One rule

    @Test func `a payment that was given back needs no decision, whoever asks`() async throws {
        let (till, payment) = try await conflict()
        #expect(try await till.syncPayments(payment).refused.count == 1)
        #expect(try await till.refund(payment).state == .refunded)
        #expect(try await toReview(till).isEmpty)
        let report = try await till.syncPayments(payment)
        #expect(report.refused.isEmpty)
        #expect(report.settled.map(\.id) == [payment.id])
        #expect(try RecordFigures(of: till.storage).rejectedNotifications.count == 0)
    }

    @Test func `a report says whether the store was asked`() async throws {
        let till = try TestTill(store)
        let payment = try await till.pay(order: try await store.makeOrder().id)
        #expect(try await till.syncPayments(payment).wasSiteAsked == false)
        store.site.add(try FaultRule("POST /wc/v3/orders/*/refunds #1 429"))
        _ = try await till.refund(payment, "5.00")
        #expect(try await till.syncPayments().wasSiteAsked)
    }
}
