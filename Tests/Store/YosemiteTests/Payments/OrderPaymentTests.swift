import Hardware
import Money
import Networking
import Payments
import SimulatedTime
import Simulator
import Storage
import StoreSite
import Testing

@testable import Yosemite

/// Payments of orders: the money is taken once, and the store is updated in the end, despite any fault.
@Suite(.simulatedTime, .timeLimit(.minutes(10))) struct OrderPaymentTests {
    private let store = StoreSiteNetwork()

    @Test func `an order is paid at the store and here, and the receipt has its number`() async throws {
        let order = try await store.makeOrder()
        let till = try TestTill(store)
        let payment = try await till.pay(order: order.id)
        #expect(payment.outcome == .approved)
        #expect(payment.amount == (try usd("12.50")))
        #expect(payment.orderID == order.id)
        let capture = try #require(payment.notification)
        #expect(capture.state == .confirmed)
        #expect(capture.orderStatus == "completed")
        #expect(capture.tries == 1)
        #expect(capture.lastError == nil)
        #expect(capture.orderNumber == order.number)
        #expect(capture.receiptID != nil)
        #expect(store.charges(order.id) == [capture.intentID])
        #expect(store.site.ledger.map(\.amount) == [1250])
        #expect(try await store.order(order.id).datePaidGMT != nil)

        let kept = try till.storage.read { storage in
            try storage.model(Networking.Order.self) { $0.siteID == StoreSiteNetwork.siteID && $0.id == order.id }
        }
        #expect(kept?.status == .completed)
        #expect(kept?.transactionID == capture.intentID)
        let receipt = try await till.receipt { .loadReceipt(paymentID: payment.id, onCompletion: $0) } as StoredReceipt
        #expect(receipt.id == capture.receiptID)
        #expect(receipt.content.store == "Corner Shop Online")
        #expect(receipt.content.orderNumber == order.number)
        let request = store.requests.first { $0.isCapture }
        #expect(request?.headers["Idempotency-Key"] == capture.intentID)
        #expect(try await till.booksAgree())
    }

    @Test func `the other gateway is notified at its own route`() async throws {
        let order = try await store.makeOrder()
        let till = try TestTill(store)
        try await till.connect()
        try await till.choose("woocommerce-stripe")
        let request = OrderPaymentRequest(siteID: StoreSiteNetwork.siteID, orderID: order.id)
        let payment: Payment = try await till.perform { done in
            .collectOrderPayment(
                request: request, onCardReaderMessage: { till.take($0) { _ in } }, onProcessingCompletion: { _ in },
                onCompletion: done)
        }
        #expect(payment.notification?.state == .confirmed)
        #expect(payment.notification?.gateway == "woocommerce-stripe")
        #expect(store.site.ledger.map(\.gateway) == ["stripe"])
    }

    @Test func `with two gateways and none selected no payment starts`() async throws {
        let order = try await store.makeOrder()
        let till = try TestTill(store)
        try await till.connect()
        let request = OrderPaymentRequest(siteID: StoreSiteNetwork.siteID, orderID: order.id)
        let failure = await till.failure {
            try await till.perform { done in
                .collectOrderPayment(
                    request: request, onCardReaderMessage: { _ in }, onProcessingCompletion: { _ in },
                    onCompletion: done)
            } as Payment
        }
        #expect(failure == .gateway(.notChosen(["woocommerce-payments", "woocommerce-stripe"])))
        #expect(try till.journal.payments().isEmpty)
    }

    @Test func `a declined card leaves the order unpaid, and another card pays it`() async throws {
        let order = try await store.makeOrder()
        let database = try TestDatabase()
        let declined = try await TestTill(store, card: "insufficient-funds") { $0.database = database }
            .pay(order: order.id)
        #expect(declined.outcome == .declined)
        #expect(declined.notification == nil)
        #expect(store.captureRequests == 0)
        let till = try TestTill(store) { $0.database = database }
        try await till.connect()
        try await till.choose("woocommerce-payments")
        #expect(try await till.retry(declined).notification?.state == .confirmed)
        #expect(store.charges(order.id).count == 1)
    }

    // MARK: Before the card

    @Test func `an order that cannot be paid is rejected before anything is recorded`() async throws {
        let paid = try await store.makeOrder()
        try await store.payOtherwise(paid.id)
        let closed = try await store.makeOrder { $0.status = .canceled }
        let free = try await store.makeOrder("0")
        let till = try TestTill(store)
        try await till.connect()
        #expect(await till.failure { try await till.collect(order: paid.id) } == .order(.alreadyPaid(orderID: paid.id)))
        #expect(
            await till.failure { try await till.collect(order: closed.id) }
                == .order(.wrongStatus(orderID: closed.id, status: "cancelled")))
        #expect(
            await till.failure { try await till.collect(order: free.id) } == .order(.nothingToPay(orderID: free.id)))
        #expect(
            await till.failure { try await till.collect(order: 999_999) }
                == .site(.notFound(entity: "order", id: "999999")))
        #expect(try till.journal.payments().isEmpty)
        #expect(try await till.issuer.ledger().entries.isEmpty)
    }

    @Test func `an order with another total than expected is rejected`() async throws {
        let order = try await store.makeOrder("15.00")
        let till = try TestTill(store)
        try await till.connect()
        let failure = await till.failure { try await till.collect(order: order.id, expected: try usd("12.50")) }
        #expect(
            failure == .order(.totalChanged(orderID: order.id, from: try usd("12.50"), to: try usd("15.00"))))
        #expect(try till.journal.payments().isEmpty)
        let quote: OrderQuote = try await till.perform {
            .quoteOrder(siteID: StoreSiteNetwork.siteID, orderID: order.id, onCompletion: $0)
        }
        #expect(quote.amount == (try usd("15.00")))
        #expect(quote.keptAmount == (try usd("15.00")))
    }

    @Test func `an order is not paid twice from here`() async throws {
        let order = try await store.makeOrder()
        store.site.add(try FaultRule("\(capturePath) 503"))
        let till = try TestTill(store)
        let payment = try await till.pay(order: order.id)
        #expect(payment.outcome == .approved)
        #expect(payment.notification?.state.isOpen == true)
        let failure = await till.failure { try await till.collect(order: order.id) }
        #expect(failure == .journal(.orderHasPayment(order: order.id, PaymentID(rawValue: 1), .captured)))
        #expect(try await till.charged() == 1250)
    }

    @Test func `without a store there are no requests`() async throws {
        let till = try TestTill()
        try await till.connect()
        let request = OrderPaymentRequest(siteID: 7, orderID: 1)
        let failure = await till.failure {
            try await till.perform { done in
                .collectOrderPayment(
                    request: request, onCardReaderMessage: { _ in }, onProcessingCompletion: { _ in },
                    onCompletion: done)
            } as Payment
        }
        #expect(failure == .noStoreSite)
    }

    // MARK: Answers that do not come

    @Test(arguments: ["lost-answer", "failed-answer", "truncate:5", "wrong-types"])
    func `a response lost after the store's change: one charge and a correct record`(fault: String) async throws {
        let order = try await store.makeOrder()
        store.site.add(try FaultRule("\(capturePath) #1 \(fault)"))
        let till = try TestTill(store)
        let payment = try await till.pay(order: order.id)
        #expect(payment.outcome == .approved)
        #expect(payment.notification?.state == .confirmed)
        #expect(store.captureRequests == 1)
        #expect(store.charges(order.id).count == 1)
        #expect(try await till.syncPayments() == OrderPaymentReport())
    }

    @Test func `with retries a lost response also results in one charge`() async throws {
        let order = try await store.makeOrder()
        store.site.add(try FaultRule("\(capturePath) first:2 lost-answer"))
        let till = try TestTill(store) { $0.retries = RetryPolicy() }
        let payment = try await till.pay(order: order.id)
        #expect(payment.notification?.state == .confirmed)
        #expect(store.captureRequests == 3)
        #expect(store.charges(order.id).count == 1)
    }

    @Test(arguments: [("500", OrderPaymentNotification.State.unknown), ("cut", .unknown), ("401", .due), ("429", .due)])
    func `a store that lost the notification is notified again with the same intent`(
        fault: String, state: OrderPaymentNotification.State
    ) async throws {
        let order = try await store.makeOrder()
        store.site.add(try FaultRule("\(capturePath) #1 \(fault)"))
        let till = try TestTill(store)
        let payment = try await till.pay(order: order.id)
        #expect(payment.outcome == .approved)
        #expect(payment.notification?.state == state)
        #expect(payment.notification?.tries == 1)
        #expect(payment.notification?.lastError?.isEmpty == false)
        #expect(store.charges(order.id).isEmpty)
        let confirmed = try #require(try await till.syncPayments().confirmed.first)
        #expect(confirmed.notification?.intentID == payment.notification?.intentID)
        #expect(confirmed.notification?.tries == 2)
        #expect(store.charges(order.id).count == 1)
        #expect(try await till.booksAgree())
    }

    @Test func `an unreachable store is notified when it is back`() async throws {
        let order = try await store.makeOrder()
        store.site.add(try FaultRule("GET /wc/v3/orders/* #2 cut"))
        let till = try TestTill(store)
        let payment = try await till.pay(order: order.id)
        #expect(payment.outcome == .approved)
        #expect(payment.notification?.state == .due)
        #expect(payment.notification?.tries == 0)
        #expect(store.captureRequests == 0)
        #expect(try await till.syncPayments().confirmed.count == 1)
        #expect(store.charges(order.id).count == 1)
    }

    @Test func `after two lost responses the outcome is unknown until the order is fetched`() async throws {
        let order = try await store.makeOrder()
        store.site.add(try FaultRule("\(capturePath) #1 lost-answer"))
        store.site.add(try FaultRule("GET /wc/v3/orders/* #3 cut"))
        let till = try TestTill(store)
        #expect(try await till.pay(order: order.id).notification?.state == .unknown)
        #expect(try await till.syncPayments().confirmed.count == 1)
        // It was there all the time.
        #expect(store.captureRequests == 1)
        #expect(store.charges(order.id).count == 1)
    }

    // MARK: Orders that change meanwhile

    @Test func `an order that was paid otherwise in the meantime is a conflict and is not charged again`() async throws
    {
        let order = try await store.makeOrder()
        let till = try TestTill(store) { plan in
            plan.wrap = { [store] in
                MeddlingHost(host: $0, before: { try? await store.payOtherwise(order.id) })
            }
        }
        let payment = try await till.pay(order: order.id)
        #expect(payment.outcome == .approved)
        #expect(payment.notification?.state == .conflict)
        #expect(payment.notification?.lastError?.contains("paid otherwise") == true)
        #expect(store.charges(order.id) == ["pi_other"])
        // There is no automatic retry; the payment can be refunded.
        #expect(try await till.syncPayments() == OrderPaymentReport())
        #expect(try await till.refund(payment).state == .refunded)
        #expect(try await till.booksAgree())
    }

    @Test func `an order whose total has changed in the meantime is a conflict`() async throws {
        let order = try await store.makeOrder()
        let more = try #require(ExactDecimal("1.00"))
        let till = try TestTill(store) { plan in
            plan.wrap = { [store] in
                MeddlingHost(
                    host: $0,
                    before: {
                        _ = try? await store.changeOrder(order.id) {
                            $0.fees = [OrderChanges.Fee(name: "More", total: more, isTaxed: false)]
                        }
                    })
            }
        }
        let payment = try await till.pay(order: order.id)
        #expect(payment.notification?.state == .conflict)
        #expect(payment.notification?.lastError?.contains("13.50 USD") == true)
        #expect(store.charges(order.id).isEmpty)
    }

    @Test func `an order that was closed in the meantime is refused, and accepted when it is open again`() async throws
    {
        let order = try await store.makeOrder()
        let till = try TestTill(store) { plan in
            plan.wrap = { [store] in
                MeddlingHost(
                    host: $0,
                    before: { _ = try? await store.changeOrder(order.id) { $0.status = .canceled } })
            }
        }
        let payment = try await till.pay(order: order.id)
        #expect(payment.outcome == .approved)
        #expect(payment.notification?.state == .refused)
        #expect(payment.notification?.orderStatus == "cancelled")
        #expect(try await till.syncPayments() == OrderPaymentReport())
        #expect(try await till.syncPayments(payment).refused.count == 1)
        try await store.changeOrder(order.id) { $0.status = .pending }
        #expect(try await till.syncPayments(payment).confirmed.count == 1)
        #expect(store.charges(order.id).count == 1)
    }

    @Test func `an order that was deleted in the meantime is refused, and the payment is refunded`() async throws {
        let order = try await store.makeOrder()
        let till = try TestTill(store) { plan in
            plan.wrap = { [store] in
                MeddlingHost(host: $0, before: { try? await store.deleteOrder(order.id) })
            }
        }
        let payment = try await till.pay(order: order.id)
        #expect(payment.notification?.state == .refused)
        #expect(payment.notification?.lastError == "the store has no order \(order.id) any more")
        #expect(store.captureRequests == 0)
        #expect(try await till.refund(payment).state == .refunded)
    }

    @Test func `a store is not notified of a refunded payment`() async throws {
        let order = try await store.makeOrder()
        store.site.add(try FaultRule("GET /wc/v3/orders/* #2 cut"))
        let till = try TestTill(store)
        let payment = try await till.pay(order: order.id)
        _ = try await till.refund(payment)
        #expect(try await till.syncPayments().settled.first?.notification?.state == .refused)
        #expect(store.captureRequests == 0)
        #expect(try await store.order(order.id).datePaidGMT == nil)
    }

    // MARK: Canceled, killed, and in other hands

    @Test func `canceling during the notification is too late and leaves nothing open`() async throws {
        let order = try await store.makeOrder()
        let later = Later<TestTill>()
        let till = try TestTill(store) {
            $0.wrapNetwork = { network in
                MeddlingNetwork(
                    network: network,
                    before: { request throws(NetworkError) in
                        if request.isCapture { later.take()?.beginCancel() }
                    })
            }
        }
        later.value = till
        let payment = try await till.pay(order: order.id)
        await till.endCancel()
        #expect(payment.outcome == .approved)
        #expect(payment.notification?.state == .confirmed)
        #expect(store.charges(order.id).count == 1)
        #expect(till.completions == (1, 1))
    }

    @Test func `a canceled request has an unknown outcome`() async throws {
        let order = try await store.makeOrder()
        let till = try TestTill(store) {
            $0.wrapNetwork = { network in
                MeddlingNetwork(
                    network: network,
                    before: { request throws(NetworkError) in
                        if request.isCapture { throw .canceled(wasSent: true) }
                    })
            }
        }
        #expect(try await till.pay(order: order.id).notification?.state == .unknown)
        #expect(store.charges(order.id).isEmpty)
    }

    @Test func `a payment killed at any request to the store is charged once, and the store is updated`()
        async throws
    {
        var states: [OrderPaymentNotification.State?] = []
        // Accounts of two gateways, the order, the look, the capture, the look: before and after each.
        for moment in 0..<12 {
            let note: Comment = "moment \(moment)"
            let store = StoreSiteNetwork()
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
            _ = try? await till.pay(order: order.id)
            let copy = try #require(freeze.copy, note)
            let next = try TestTill(store) { $0.database = copy }
            #expect(try await next.recover().open.isEmpty, note)
            let report = try await next.syncPayments()
            #expect(report.open.isEmpty && report.refused.isEmpty && report.failed.isEmpty, note)
            #expect(try await next.booksAgree(), note)
            let payments: [Payment] = try await next.perform { .loadPayments(limit: nil, onCompletion: $0) }
            let isPaid = payments.first?.outcome == .approved
            #expect(store.charges(order.id).count == (isPaid ? 1 : 0), note)
            #expect(payments.first?.notification?.state == (isPaid ? .confirmed : nil), note)
            #expect((try await store.order(order.id).datePaidGMT != nil) == isPaid, note)
            states.append(payments.first?.notification?.state)
        }
        #expect(states.contains(nil))
        #expect(states.contains(.confirmed))
    }

    @Test func `of two programs that sync at once, one notifies the store`() async throws {
        let order = try await store.makeOrder()
        store.site.add(try FaultRule("GET /wc/v3/orders/* #2 cut"))
        let database = try TestDatabase()
        let payment = try await TestTill(store) { $0.database = database }.pay(order: order.id)
        #expect(payment.notification?.state == .due)
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
        #expect(store.captureRequests == 1)
        #expect(store.charges(order.id).count == 1)
    }

    @Test func `two simultaneous requests of one program notify the store once`() async throws {
        let order = try await store.makeOrder()
        store.site.add(try FaultRule("GET /wc/v3/orders/* #2 cut"))
        let till = try TestTill(store)
        let payment = try await till.pay(order: order.id)
        async let first = till.syncPayments(payment)
        async let second = till.syncPayments()
        async let third = till.syncPayments(payment)
        _ = try await (first, second, third)
        #expect(store.captureRequests == 1)
        #expect(try await till.history(payment).payment.notification?.state == .confirmed)
    }

    @Test func `another store with the same order number is never notified`() async throws {
        let order = try await store.makeOrder()
        store.site.add(try FaultRule("GET /wc/v3/orders/* #2 cut"))
        let database = try TestDatabase()
        _ = try await TestTill(store) { $0.database = database }.pay(order: order.id)
        let other = StoreSiteNetwork()
        let copy = try database.afterKill()
        let till = try TestTill(other) {
            $0.database = copy
            $0.storeAddress = "http://other.example"
        }
        #expect(try await till.syncPayments().open.count == 1)
        #expect(other.requests.isEmpty)
    }
}
