import Amounts
import Hardware
import Networking
import Simulator
import Storage
import StoreSite
import Synchronization
import Testing

@testable import Yosemite

/// Payments of orders: the money is taken once, and the store knows it in the end, whatever goes wrong on the way.
@Suite(.timeLimit(.minutes(2))) struct OrderPaymentTests {
    private let store = StoreSiteNetwork()

    @Test func `an order is paid, at the store and here, and its receipt has its number`() async throws {
        let order = try await store.makeOrder()
        let till = try TestTill(store)
        let payment = try await till.pay(order: order.id)
        #expect(payment.outcome == .approved)
        #expect(payment.amount == (try usd("12.50")))
        #expect(payment.orderID == order.id)
        let capture = try #require(payment.capture)
        #expect(capture.state == .confirmed)
        #expect(capture.orderStatus == "completed")
        #expect(capture.tries == 1)
        #expect(capture.reason == nil)
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

    @Test func `the other gateway is told in its own place`() async throws {
        let order = try await store.makeOrder()
        let till = try TestTill(store)
        try await till.connect()
        try await till.choose("woocommerce-stripe")
        let request = OrderPaymentRequest(siteID: StoreSiteNetwork.siteID, orderID: order.id)
        let payment: Yosemite.Payment = try await till.perform { done in
            .collectOrderPayment(
                request: request, onCardReaderMessage: { till.take($0) { _ in } }, onProcessingCompletion: { _ in },
                onCompletion: done)
        }
        #expect(payment.capture?.state == .confirmed)
        #expect(payment.capture?.gateway == "woocommerce-stripe")
        #expect(store.site.ledger.map(\.gateway) == ["stripe"])
    }

    @Test func `with two gateways and none chosen nothing is begun`() async throws {
        let order = try await store.makeOrder()
        let till = try TestTill(store)
        try await till.connect()
        let request = OrderPaymentRequest(siteID: StoreSiteNetwork.siteID, orderID: order.id)
        let failure = await till.failure {
            try await till.perform { done in
                .collectOrderPayment(
                    request: request, onCardReaderMessage: { _ in }, onProcessingCompletion: { _ in },
                    onCompletion: done)
            } as Yosemite.Payment
        }
        #expect(failure == .gateway(.notChosen(["woocommerce-payments", "woocommerce-stripe"])))
        #expect(try till.journal.payments().isEmpty)
    }

    @Test func `a declined card leaves the order as it is, and another card pays it`() async throws {
        let order = try await store.makeOrder()
        let database = try TestDatabase()
        let declined = try await TestTill(store, card: "insufficient-funds") { $0.database = database }
            .pay(order: order.id)
        #expect(declined.outcome == .declined)
        #expect(declined.capture == nil)
        #expect(store.captureRequests == 0)
        let till = try TestTill(store) { $0.database = database }
        try await till.connect()
        try await till.choose("woocommerce-payments")
        #expect(try await till.retry(declined).capture?.state == .confirmed)
        #expect(store.charges(order.id).count == 1)
    }

    // MARK: Before the card

    @Test func `what cannot be paid is refused before anything is recorded`() async throws {
        let paid = try await store.makeOrder()
        try await store.payOtherwise(paid.id)
        let closed = try await store.makeOrder { $0.status = .cancelled }
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

    @Test func `an order that costs something else than was told is refused`() async throws {
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
        #expect(payment.capture?.state.isOpen == true)
        let failure = await till.failure { try await till.collect(order: order.id) }
        #expect(failure == .journal(.orderHasPayment(order: order.id, PaymentID(rawValue: 1), .captured)))
        #expect(try await till.charged() == 1250)
    }

    @Test func `without a store nothing is asked`() async throws {
        let till = try TestTill()
        try await till.connect()
        let request = OrderPaymentRequest(siteID: 7, orderID: 1)
        let failure = await till.failure {
            try await till.perform { done in
                .collectOrderPayment(
                    request: request, onCardReaderMessage: { _ in }, onProcessingCompletion: { _ in },
                    onCompletion: done)
            } as Yosemite.Payment
        }
        #expect(failure == .noStoreSite)
    }

    // MARK: Answers that do not come

    @Test(arguments: ["lost-answer", "failed-answer", "truncate:5", "wrong-types"])
    func `an answer that is lost after the store did it: one charge, and the truth`(fault: String) async throws {
        let order = try await store.makeOrder()
        store.site.add(try FaultRule("\(capturePath) #1 \(fault)"))
        let till = try TestTill(store)
        let payment = try await till.pay(order: order.id)
        #expect(payment.outcome == .approved)
        #expect(payment.capture?.state == .confirmed)
        #expect(store.captureRequests == 1)
        #expect(store.charges(order.id).count == 1)
        #expect(try await till.settle() == CaptureReport())
    }

    @Test func `with repetitions a lost answer is one charge, too`() async throws {
        let order = try await store.makeOrder()
        store.site.add(try FaultRule("\(capturePath) first:2 lost-answer"))
        let till = try TestTill(store) { $0.retries = RetryPolicy() }
        let payment = try await till.pay(order: order.id)
        #expect(payment.capture?.state == .confirmed)
        #expect(store.captureRequests == 3)
        #expect(store.charges(order.id).count == 1)
    }

    @Test(arguments: [("500", PaymentCapture.State.unknown), ("cut", .unknown), ("401", .due), ("429", .due)])
    func `a store that did not do it is told again, by the same name`(
        fault: String, state: PaymentCapture.State
    ) async throws {
        let order = try await store.makeOrder()
        store.site.add(try FaultRule("\(capturePath) #1 \(fault)"))
        let till = try TestTill(store)
        let payment = try await till.pay(order: order.id)
        #expect(payment.outcome == .approved)
        #expect(payment.capture?.state == state)
        #expect(payment.capture?.tries == 1)
        #expect(payment.capture?.reason?.isEmpty == false)
        #expect(store.charges(order.id).isEmpty)
        let settled = try #require(try await till.settle().confirmed.first)
        #expect(settled.capture?.intentID == payment.capture?.intentID)
        #expect(settled.capture?.tries == 2)
        #expect(store.charges(order.id).count == 1)
        #expect(try await till.booksAgree())
    }

    @Test func `a store that is away is not told, and told when it is back`() async throws {
        let order = try await store.makeOrder()
        store.site.add(try FaultRule("GET /wc/v3/orders/* #2 cut"))
        let till = try TestTill(store)
        let payment = try await till.pay(order: order.id)
        #expect(payment.outcome == .approved)
        #expect(payment.capture?.state == .due)
        #expect(payment.capture?.tries == 0)
        #expect(store.captureRequests == 0)
        #expect(try await till.settle().confirmed.count == 1)
        #expect(store.charges(order.id).count == 1)
    }

    @Test func `an answer and a look that are both lost leave a doubt, which the order takes away`() async throws {
        let order = try await store.makeOrder()
        store.site.add(try FaultRule("\(capturePath) #1 lost-answer"))
        store.site.add(try FaultRule("GET /wc/v3/orders/* #3 cut"))
        let till = try TestTill(store)
        #expect(try await till.pay(order: order.id).capture?.state == .unknown)
        #expect(try await till.settle().confirmed.count == 1)
        // It was there all the time.
        #expect(store.captureRequests == 1)
        #expect(store.charges(order.id).count == 1)
    }

    // MARK: Orders that change meanwhile

    @Test func `an order that was paid otherwise meanwhile is in conflict, and not charged again there`() async throws {
        let order = try await store.makeOrder()
        let till = try TestTill(store) { plan in
            plan.wrap = { [store] in
                MeddlingHost(host: $0, before: { try? await store.payOtherwise(order.id) })
            }
        }
        let payment = try await till.pay(order: order.id)
        #expect(payment.outcome == .approved)
        #expect(payment.capture?.state == .conflict)
        #expect(payment.capture?.reason?.contains("paid otherwise") == true)
        #expect(store.charges(order.id) == ["pi_other"])
        // It is not told again by itself; the money can go back.
        #expect(try await till.settle() == CaptureReport())
        #expect(try await till.refund(payment).state == "refunded")
        #expect(try await till.booksAgree())
    }

    @Test func `an order that costs something else meanwhile is in conflict`() async throws {
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
        #expect(payment.capture?.state == .conflict)
        #expect(payment.capture?.reason?.contains("13.50 USD") == true)
        #expect(store.charges(order.id).isEmpty)
    }

    @Test func `an order that is closed meanwhile is refused, and taken when it is open again`() async throws {
        let order = try await store.makeOrder()
        let till = try TestTill(store) { plan in
            plan.wrap = { [store] in
                MeddlingHost(
                    host: $0,
                    before: { _ = try? await store.changeOrder(order.id) { $0.status = .cancelled } })
            }
        }
        let payment = try await till.pay(order: order.id)
        #expect(payment.outcome == .approved)
        #expect(payment.capture?.state == .refused)
        #expect(payment.capture?.orderStatus == "cancelled")
        #expect(try await till.settle() == CaptureReport())
        #expect(try await till.settle(payment).refused.count == 1)
        try await store.changeOrder(order.id) { $0.status = .pending }
        #expect(try await till.settle(payment).confirmed.count == 1)
        #expect(store.charges(order.id).count == 1)
    }

    @Test func `an order that is deleted meanwhile is refused, and the money goes back`() async throws {
        let order = try await store.makeOrder()
        let till = try TestTill(store) { plan in
            plan.wrap = { [store] in
                MeddlingHost(host: $0, before: { try? await store.deleteOrder(order.id) })
            }
        }
        let payment = try await till.pay(order: order.id)
        #expect(payment.capture?.state == .refused)
        #expect(payment.capture?.reason == "the store has no order \(order.id) any more")
        #expect(store.captureRequests == 0)
        #expect(try await till.refund(payment).state == "refunded")
    }

    @Test func `a store is not told of money that went back before`() async throws {
        let order = try await store.makeOrder()
        store.site.add(try FaultRule("GET /wc/v3/orders/* #2 cut"))
        let till = try TestTill(store)
        let payment = try await till.pay(order: order.id)
        _ = try await till.refund(payment)
        #expect(try await till.settle().refused.first?.capture?.state == .refused)
        #expect(store.captureRequests == 0)
        #expect(try await store.order(order.id).datePaidGMT == nil)
    }

    // MARK: Cancelled, killed, and in other hands

    @Test func `a cancel while the store is told comes too late, and leaves nothing open`() async throws {
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
        #expect(payment.capture?.state == .confirmed)
        #expect(store.charges(order.id).count == 1)
        #expect(till.completions == (1, 1))
    }

    @Test func `a request that was cancelled on its way is a doubt`() async throws {
        let order = try await store.makeOrder()
        let till = try TestTill(store) {
            $0.wrapNetwork = { network in
                MeddlingNetwork(
                    network: network,
                    before: { request throws(NetworkError) in
                        if request.isCapture { throw .cancelled(wasSent: true) }
                    })
            }
        }
        #expect(try await till.pay(order: order.id).capture?.state == .unknown)
        #expect(store.charges(order.id).isEmpty)
    }

    /// Freezes everything at one moment of a payment: what is on the disk then, and what the store knows.
    private final class Freeze: Sendable {
        private let database: TestDatabase
        private let moment: Int
        private let state = Mutex<(passed: Int, copy: TestDatabase?)>((0, nil))

        init(_ database: TestDatabase, at moment: Int) { (self.database, self.moment) = (database, moment) }

        var copy: TestDatabase? { state.withLock { $0.copy } }

        func pass() throws(NetworkError) {
            let isOver = state.withLock { state in
                if state.passed == moment { state.copy = try? database.afterKill() }
                state.passed += 1
                return state.copy != nil
            }
            if isOver { throw .cannotConnect(host: "store.example", reason: "the program is gone") }
        }
    }

    @Test func `a payment that is killed at any request to the store is charged once, and the store knows it`()
        async throws
    {
        var states: [PaymentCapture.State?] = []
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
            let report = try await next.settle()
            #expect(report.open.isEmpty && report.refused.isEmpty && report.failed.isEmpty, note)
            #expect(try await next.booksAgree(), note)
            let payments: [Yosemite.Payment] = try await next.perform { .loadPayments(limit: nil, onCompletion: $0) }
            let isPaid = payments.first?.outcome == .approved
            #expect(store.charges(order.id).count == (isPaid ? 1 : 0), note)
            #expect(payments.first?.capture?.state == (isPaid ? .confirmed : nil), note)
            #expect((try await store.order(order.id).datePaidGMT != nil) == isPaid, note)
            states.append(payments.first?.capture?.state)
        }
        #expect(states.contains(nil))
        #expect(states.contains(.confirmed))
    }

    @Test func `of two programs that settle at once, one tells the store`() async throws {
        let order = try await store.makeOrder()
        store.site.add(try FaultRule("GET /wc/v3/orders/* #2 cut"))
        let database = try TestDatabase()
        let payment = try await TestTill(store) { $0.database = database }.pay(order: order.id)
        #expect(payment.capture?.state == .due)
        let copy = try database.afterKill()
        let tills = [
            try TestTill(store) { $0.database = copy }, try TestTill(store) { $0.database = copy },
            try TestTill(store) { $0.database = copy },
        ]
        let told = try await withThrowingTaskGroup(of: Int.self) { group in
            for till in tills { group.addTask { try await till.settle().confirmed.count } }
            return try await group.reduce(0, +)
        }
        #expect(told == 1)
        #expect(store.captureRequests == 1)
        #expect(store.charges(order.id).count == 1)
    }

    @Test func `one program that is asked twice at once tells the store once`() async throws {
        let order = try await store.makeOrder()
        store.site.add(try FaultRule("GET /wc/v3/orders/* #2 cut"))
        let till = try TestTill(store)
        let payment = try await till.pay(order: order.id)
        async let first = till.settle(payment)
        async let second = till.settle()
        async let third = till.settle(payment)
        _ = try await (first, second, third)
        #expect(store.captureRequests == 1)
        #expect(try await till.history(payment).payment.capture?.state == .confirmed)
    }

    @Test func `another store is never told, though it has an order of the same number`() async throws {
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
        #expect(try await till.settle().open.count == 1)
        #expect(other.requests.isEmpty)
    }
}
