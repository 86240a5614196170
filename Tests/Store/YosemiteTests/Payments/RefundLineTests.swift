import Fakes
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

/// What lines of an order cost.
struct RefundQuoteTests {
    private func decimal(_ text: String) throws -> ExactDecimal { try #require(ExactDecimal(text)) }

    private func line(
        _ id: Int64, _ quantity: String, _ total: String, tax: String...
    ) throws -> Networking.OrderItem {
        let taxes = try tax.enumerated().map { rate, tax in
            Networking.OrderItemTax(id: Int64(rate + 1), subtotal: nil, total: try decimal(tax))
        }
        return Networking.OrderItem.fake().copy(
            id: id, quantity: try decimal(quantity), taxes: taxes, total: try decimal(total))
    }

    /// An earlier refund of a line.
    private func refund(
        of line: Int64, _ quantity: String, _ total: String, tax: String...
    ) throws -> Networking.Refund {
        let taxes = try tax.enumerated().map { rate, tax in
            Networking.OrderItemTax(id: Int64(rate + 1), subtotal: nil, total: try decimal(tax))
        }
        let item = Networking.OrderItemMetaData(
            id: nil, key: "_refunded_item_id", value: .text(String(line)), displayKey: nil, displayValue: nil)
        return Networking.Refund.fake().copy(lineItems: [
            .fake().copy(
                quantity: try decimal(quantity), taxes: taxes, total: try decimal(total), metaData: [item])
        ])
    }

    private func quote(
        _ items: [RefundItem], _ lines: [Networking.OrderItem], after refunds: [Networking.Refund] = [],
        currency: Currency = .usDollar
    ) throws -> RefundQuote {
        let order = Networking.Order.fake().copy(
            id: 7, lineItems: lines, shippingLines: [.fake().copy(id: 90)], feeLines: [.fake().copy(id: 91)])
        return try RefundQuote(items, of: order, after: refunds, currency: currency)
    }

    private func problem(_ body: () throws -> RefundQuote) -> RefundLineProblem? {
        do {
            _ = try body()
        } catch {
            if case .refund(let problem)? = error as? CardPresentPaymentsError { return problem }
        }
        return nil
    }

    @Test func `a whole line costs its total and its taxes`() throws {
        let quote = try quote([RefundItem(line: 3)], [try line(3, "2", "20.00", tax: "1.90", "0.10")])
        #expect(quote.amount == (try usd("22.00")))
        #expect(
            quote.lines == [
                RefundedLine(
                    id: 3, quantity: 2, total: 2000, taxes: [.init(rate: 1, total: 190), .init(rate: 2, total: 10)])
            ])
    }

    @Test func `one of three pieces costs a third, and the last one what is left`() throws {
        let whole = try line(3, "3", "10.00", tax: "0.80")
        let first = try quote([RefundItem(line: 3, quantity: 1)], [whole])
        // 3.3333 and 0.2667 are 3.60, of which 0.27 is tax.
        #expect(first.amount == (try usd("3.60")))
        #expect(first.lines.map(\.total) == [333])
        #expect(first.lines.first?.taxes == [.init(rate: 1, total: 27)])
        let last = try quote(
            [RefundItem(line: 3)], [whole],
            after: [
                try refund(of: 3, "-1", "-3.33", tax: "-0.27"), try refund(of: 3, "-1", "-3.33", tax: "-0.27"),
            ])
        #expect(last.amount == (try usd("3.60")))
        #expect(last.lines == [RefundedLine(id: 3, quantity: 1, total: 334, taxes: [.init(rate: 1, total: 26)])])
    }

    @Test func `prices with taxes included come back as the customer paid them`() throws {
        // 12.00 with 19 % included, as the store keeps it.
        let quote = try quote([RefundItem(line: 3)], [try line(3, "1", "10.084034", tax: "1.915966")])
        #expect(quote.amount == (try usd("12.00")))
        #expect(quote.lines.first?.taxes.map(\.total) == [192])
        #expect(quote.lines.map(\.total) == [1008])
    }

    @Test func `amounts of a currency without decimals are whole`() throws {
        let yen = try Currency(code: "JPY")
        let quote = try quote(
            [RefundItem(line: 3, quantity: 1)], [try line(3, "2", "999", tax: "100")], currency: yen)
        #expect(quote.amount.minorUnits == 550)
        #expect(quote.lines.first?.taxes.map(\.total) == [50])
    }

    @Test func `several lines add up`() throws {
        let quote = try quote(
            [RefundItem(line: 4, quantity: 1), RefundItem(line: 3)],
            [try line(3, "1", "5.00"), try line(4, "2", "3.00", tax: "0.30")])
        #expect(quote.amount == (try usd("6.65")))
        #expect(quote.lines.map(\.id) == [4, 3])
    }

    @Test func `lines that cannot be refunded are named`() throws {
        let lines = [try line(3, "2", "20.00"), try line(4, "1.5", "3.00")]
        #expect(
            problem { try quote([RefundItem(line: 5)], lines) } == .unknownLine(5, order: 7, known: [3, 4]))
        #expect(problem { try quote([RefundItem(line: 90)], lines) } == .notAProduct(90))
        #expect(problem { try quote([RefundItem(line: 91)], lines) } == .notAProduct(91))
        #expect(problem { try quote([RefundItem(line: 4)], lines) } == .notInPieces(4))
        #expect(
            problem { try quote([RefundItem(line: 3), RefundItem(line: 3)], lines) } == .namedTwice(3))
        #expect(
            problem { try quote([RefundItem(line: 3, quantity: 3)], lines) }
                == .tooMany(3, requested: 3, left: 2))
        let earlier = [try refund(of: 3, "-2", "-20.00")]
        #expect(problem { try quote([RefundItem(line: 3)], lines, after: earlier) } == .nothingLeft(3))
        let byAmount = [try refund(of: 3, "0", "-20.00")]
        #expect(problem { try quote([RefundItem(line: 3)], lines, after: byAmount) } == .nothingLeft(3))
        let huge = [try line(3, "1", "99999999999999999999999999")]
        #expect(problem { try quote([RefundItem(line: 3)], huge) } == .unusableAmount(3))
    }
}

/// Refunds that name lines of the order, from the till to the store.
@Suite(.simulatedTime, .timeLimit(.minutes(10))) struct RefundLineTests {
    private let store = StoreSiteNetwork()

    /// Makes an order of two pieces of a product.
    private func makeOrder() async throws -> Networking.Order {
        let remote = OrdersRemote(store.client(try StoreSiteNetwork.applicationPassword))
        let others = try await remote.loadOrders(siteID: StoreSiteNetwork.siteID, page: PageRequest())
        let product = try #require(others.elements.flatMap(\.lineItems).compactMap(\.productID).first { $0 > 0 })
        let total = try #require(ExactDecimal("20.00"))
        return try await store.makeOrder("2.50") { changes in
            var item = OrderChanges.Item(productID: product, quantity: ExactDecimal(coefficient: 2))
            (item.subtotal, item.total) = (total, total)
            changes.items = [item]
        }
    }

    /// An order of two pieces of a product, paid at the till.
    private func paid() async throws -> (TestTill, Payment, Networking.OrderItem) {
        let order = try await makeOrder()
        let till = try TestTill(store)
        let payment = try await till.pay(order: order.id)
        return (till, payment, try #require(order.lineItems.first))
    }

    private func quote(_ payment: Payment, _ items: [RefundItem], at till: TestTill) async throws -> RefundQuote {
        try await till.perform { .quoteRefund(paymentID: payment.id, items: items, onCompletion: $0) }
    }

    private func refund(
        _ payment: Payment, _ quote: RefundQuote, amount: Money? = nil, at till: TestTill
    ) async throws -> Payment {
        try await till.perform {
            .refundPayment(paymentID: payment.id, amount: amount, lines: quote.lines, onCompletion: $0)
        }
    }

    private func refunds(_ payment: Payment) async throws -> [Networking.Refund] {
        try await RefundsRemote(store.client(try StoreSiteNetwork.applicationPassword)).loadRefunds(
            siteID: StoreSiteNetwork.siteID, orderID: try #require(payment.orderID)
        ).elements
    }

    @Test func `a piece that comes back becomes a line of the store's refund`() async throws {
        let (till, payment, item) = try await paid()
        let quote = try await quote(payment, [RefundItem(line: item.id, quantity: 1)], at: till)
        let after = try await refund(payment, quote, at: till)
        #expect(after.refundedAmount == quote.amount)
        #expect(after.refundNotifications.map(\.state) == [.confirmed])
        #expect(after.refundNotifications.map(\.lines) == [quote.lines])
        let made = try #require(try await refunds(payment).first)
        #expect(made.lineItems.map(\.refundedItemID) == [item.id])
        #expect(made.lineItems.map(\.quantity) == [ExactDecimal(coefficient: -1)])
        #expect(made.amount == ExactDecimal(coefficient: Int128(quote.amount.minorUnits), scale: 2))
        let line = try #require(made.lineItems.first)
        #expect(line.total.adding(line.totalTax)?.negated == made.amount)
        #expect(try await till.booksAgree())

        // The other piece is what is left, whatever was rounded.
        let rest = try await self.quote(payment, [RefundItem(line: item.id)], at: till)
        #expect(rest.lines.map(\.quantity) == [1])
        let all = try #require(item.total.adding(item.totalTax)?.rounded(to: .usDollar))
        #expect(
            ExactDecimal(coefficient: Int128(rest.amount.minorUnits + quote.amount.minorUnits), scale: 2) == all)
        _ = try await refund(payment, rest, at: till)
        #expect(
            await till.failure { try await self.quote(payment, [RefundItem(line: item.id)], at: till) }
                == .refund(.nothingLeft(item.id)))
    }

    @Test func `the lines survive a store that is down, and a killed till`() async throws {
        let database = try TestDatabase()
        let order = try await makeOrder()
        let line = try #require(order.lineItems.first?.id)
        let till = try TestTill(store) { $0.database = database }
        let payment = try await till.pay(order: order.id)
        let quote = try await quote(payment, [RefundItem(line: line)], at: till)
        // The till dies while the host works.
        let attempt = try till.journal.beginRefund(
            of: payment.id, amount: quote.amount, lines: quote.lines, hostName: till.issuer.name, at: till.clock.now()
        ).attempt
        try till.journal.markAuthorizing(attempt.id, at: till.clock.now())
        _ = try await till.issuer.refund(
            HostRefundRequest(
                key: attempt.key, original: try #require(try till.journal.attempts(of: payment.id).first?.key),
                stan: attempt.stan, amount: attempt.amount))
        let next = try TestTill(store) { $0.database = try database.afterKill() }
        #expect(try await next.recover().finished.count == 1)
        #expect(try await next.syncPayments().confirmed.first?.refundNotifications.map(\.lines) == [quote.lines])
        #expect(try await refunds(payment).first?.lineItems.map(\.refundedItemID) == [line])
    }

    @Test func `an amount that the lines do not cost is refused before anything is sent`() async throws {
        let (till, payment, item) = try await paid()
        let quote = try await quote(payment, [RefundItem(line: item.id)], at: till)
        let other = try usd("1.00")
        #expect(
            await till.failure { try await refund(payment, quote, amount: other, at: till) }
                == .refund(.otherAmount(other, lines: quote.amount)))
        #expect(try await refunds(payment).isEmpty)
        #expect(try till.journal.attempts(of: payment.id).count == 1)
    }

    @Test func `a payment without an order has no lines`() async throws {
        let till = try TestTill(store)
        let payment = try await till.pay("12.50")
        #expect(
            await till.failure { try await quote(payment, [RefundItem(line: 1)], at: till) }
                == .refund(.noOrder(payment.id)))
    }
}
