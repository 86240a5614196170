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

/// Orders of a store without a payment gateway: the till takes the money and completes the order, once.
@Suite(.simulatedTime, .timeLimit(.minutes(10))) struct TillCompletionTests {
    private let store = StoreSiteNetwork(hasGateways: false)

    /// Pays an order without choosing a gateway.
    private func pay(_ order: Int64, at till: TestTill) async throws -> Payment {
        try await till.connect()
        let request = OrderPaymentRequest(siteID: StoreSiteNetwork.siteID, orderID: order)
        return try await till.perform { done in
            .collectOrderPayment(
                request: request, onCardReaderMessage: { till.take($0) { _ in } }, onProcessingCompletion: { _ in },
                onCompletion: done)
        }
    }

    private var completions: Int { store.requests.filter(\.isCompletion).count }

    @Test func `an order is completed by the till, and shows our intent`() async throws {
        let order = try await store.makeOrder()
        let till = try TestTill(store)
        let payment = try await pay(order.id, at: till)
        #expect(payment.outcome == .approved)
        let capture = try #require(payment.notification)
        #expect(capture.state == .confirmed)
        #expect(capture.gateway == "till")
        #expect(capture.tries == 1)
        let paid = try await store.order(order.id)
        #expect(paid.datePaidGMT != nil)
        #expect(paid.paymentMethod == "cardpresent")
        #expect(paid.paymentMethodTitle == "Card at the till")
        #expect(paid.transactionID == capture.intentID)
        #expect(
            paid.metaData.first { $0.key == "_cardpresent_intent_id" }?.value?.textValue == capture.intentID)
        #expect(store.site.ledger.isEmpty)
        #expect(store.captureRequests == 0)
        #expect(try await till.booksAgree())
        #expect(try await till.charged() == 1250)
    }

    @Test func `its refund reaches the store`() async throws {
        let order = try await store.makeOrder()
        let till = try TestTill(store)
        let payment = try await pay(order.id, at: till)
        #expect(try await till.refund(payment).refundNotifications.map(\.state) == [.confirmed])
        #expect(try await store.order(order.id).status == .refunded)
    }

    @Test func `an order on hold is completed, too`() async throws {
        let order = try await store.makeOrder { $0.status = .onHold }
        let till = try TestTill(store)
        #expect(try await pay(order.id, at: till).notification?.state == .confirmed)
        #expect(try await store.order(order.id).datePaidGMT != nil)
    }

    @Test func `a store with gateways is completed by the till when it is configured so`() async throws {
        let store = StoreSiteNetwork()
        let order = try await store.makeOrder()
        let till = try TestTill(store) { $0.orderPayment = .till }
        let payment = try await pay(order.id, at: till)
        #expect(payment.notification?.gateway == "till")
        #expect(payment.notification?.state == .confirmed)
        #expect(store.captureRequests == 0)
        #expect(store.site.ledger.isEmpty)
    }

    @Test func `a till that wants a gateway takes no payment where there is none`() async throws {
        let order = try await store.makeOrder()
        let till = try TestTill(store) { $0.orderPayment = .gateway }
        #expect(
            await till.failure { try await pay(order.id, at: till) }
                == .gateway(.noAccount(siteID: StoreSiteNetwork.siteID)))
        #expect(try till.journal.payments().isEmpty)
    }

    @Test func `a store whose gateways can't be asked is not completed by the till`() async throws {
        let store = StoreSiteNetwork()
        let order = try await store.makeOrder()
        store.site.add(try FaultRule("GET /wc/v3/payments/accounts cut"))
        store.site.add(try FaultRule("GET /wc/v3/wc_stripe/account/summary cut"))
        let till = try TestTill(store)
        #expect(await till.failure { try await pay(order.id, at: till) } != nil)
        #expect(try till.journal.payments().isEmpty)
    }

    @Test(arguments: ["lost-answer", "failed-answer", "truncate:5", "wrong-types"])
    func `a response lost after the store's change: one completion and a correct record`(fault: String) async throws {
        let order = try await store.makeOrder()
        store.site.add(try FaultRule("POST /wc/v3/orders/* #1 \(fault)"))
        let till = try TestTill(store)
        #expect(try await pay(order.id, at: till).notification?.state == .confirmed)
        #expect(completions == 1)
        #expect(try await till.syncPayments() == OrderPaymentReport())
    }

    @Test(arguments: [("500", OrderPaymentNotification.State.unknown), ("cut", .unknown), ("401", .due), ("429", .due)])
    func `a store that lost the completion is told again with the same intent`(
        fault: String, state: OrderPaymentNotification.State
    ) async throws {
        let order = try await store.makeOrder()
        store.site.add(try FaultRule("POST /wc/v3/orders/* #1 \(fault)"))
        let till = try TestTill(store)
        let payment = try await pay(order.id, at: till)
        #expect(payment.outcome == .approved)
        #expect(payment.notification?.state == state)
        let confirmed = try #require(try await till.syncPayments().confirmed.first)
        #expect(confirmed.notification?.intentID == payment.notification?.intentID)
        #expect(confirmed.notification?.tries == 2)
        #expect(try await store.order(order.id).transactionID == payment.notification?.intentID)
    }

    @Test func `an order that was paid otherwise in the meantime is a conflict and stays as it is`() async throws {
        let store = StoreSiteNetwork()
        let order = try await store.makeOrder()
        let till = try TestTill(store) { plan in
            plan.orderPayment = .till
            plan.wrap = { [store] in
                MeddlingHost(host: $0, before: { try? await store.payOtherwise(order.id) })
            }
        }
        let payment = try await pay(order.id, at: till)
        #expect(payment.notification?.state == .conflict)
        #expect(try await store.order(order.id).transactionID == "pi_other")
        #expect(try await till.refund(payment).state == .refunded)
    }

    @Test func `a payment in the moment of the completion is a conflict, although its transaction is overwritten`()
        async throws
    {
        let store = StoreSiteNetwork()
        let order = try await store.makeOrder()
        let till = try TestTill(store) { plan in
            plan.orderPayment = .till
            plan.wrapNetwork = { [store] network in
                MeddlingNetwork(
                    network: network,
                    before: { request throws(NetworkError) in
                        if request.isCompletion { try? await store.payOtherwise(order.id) }
                    })
            }
        }
        let payment = try await pay(order.id, at: till)
        #expect(payment.notification?.state == .conflict)
        #expect(payment.notification?.lastError?.contains("pi_other") == true)
    }

    @Test func `a payment killed at any request to the store completes the order once`() async throws {
        // Accounts of two gateways, the order, the look, the completion, the look: before and after each.
        for moment in 0..<12 {
            let note: Comment = "moment \(moment)"
            let store = StoreSiteNetwork(hasGateways: false)
            let order = try await store.makeOrder()
            let database = try TestDatabase()
            let freeze = Freeze(database, at: moment)
            let till = try TestTill(store) {
                $0.database = database
                $0.wrapNetwork = { network in
                    MeddlingNetwork(
                        network: network, before: { _ throws(NetworkError) in try freeze.pass() },
                        after: { _ throws(NetworkError) in try freeze.pass() })
                }
            }
            _ = try? await pay(order.id, at: till)
            let copy = try #require(freeze.copy, note)
            let next = try TestTill(store) { $0.database = copy }
            #expect(try await next.recover().open.isEmpty, note)
            let report = try await next.syncPayments()
            #expect(report.open.isEmpty && report.refused.isEmpty && report.failed.isEmpty, note)
            #expect(try await next.booksAgree(), note)
            let isPaid = try next.journal.payments().first?.outcome == .approved
            #expect((try await store.order(order.id).datePaidGMT != nil) == isPaid, note)
            #expect(store.requests.filter(\.isCompletion).count <= 2, note)
        }
    }
}

extension HTTPRequest {
    /// Whether it completes an order.
    fileprivate var isCompletion: Bool {
        method == .post && body.map { String(decoding: $0, as: UTF8.self).contains("set_paid") } == true
    }
}
