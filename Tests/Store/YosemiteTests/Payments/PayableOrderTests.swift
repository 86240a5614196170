import Determinism
import Fakes
import Money
import Networking
import Storage
import Testing
import Text

@testable import Yosemite

/// Orders that can be paid at the till, and their evidence of a payment.
@Suite struct PayableOrderTests {
    private func decimal(_ text: String) throws -> ExactDecimal {
        let number: ExactDecimal? = ExactDecimal(text)
        return try #require(number)
    }

    private func order() throws -> Networking.Order {
        Networking.Order.fake().copy(
            id: 5, status: .pending, currency: "USD", datePaidGMT: .some(nil),
            total: try decimal("12.50"), paymentMethod: "", transactionID: .some(nil), refunds: [],
            metaData: [])
    }

    private func refusal(_ order: Networking.Order, currencies: [String] = ["usd"]) -> OrderNotPayable? {
        do throws(OrderNotPayable) {
            _ = try PayableOrder(order, currencies: currencies, expected: nil)
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [Networking.OrderStatusEnum.pending, .onHold, .processing, .failed])
    func `a pending order can be paid`(status: Networking.OrderStatusEnum) throws {
        #expect(refusal(try order().copy(status: status)) == nil)
    }

    @Test(arguments: [
        OrderStatusEnum.completed, .canceled, .refunded, .autoDraft, .custom("trash"), .custom("packed"),
    ])
    func `an order in another state cannot be paid`(status: Networking.OrderStatusEnum) throws {
        #expect(refusal(try order().copy(status: status)) == .wrongStatus(orderID: 5, status: status.rawValue))
    }

    @Test(arguments: ["", "cod", "wc-booking-gateway", "woocommerce_payments", "stripe"])
    func `an order with a replaceable payment method can be paid`(method: String) throws {
        #expect(refusal(try order().copy(paymentMethod: method)) == nil)
    }

    @Test(arguments: ["bacs", "paypal", "stripe_klarna"])
    func `an order with another payment method cannot be paid`(method: String) throws {
        #expect(refusal(try order().copy(paymentMethod: method)) == .otherMethod(orderID: 5, method: method))
    }

    @Test func `orders that are paid, refunded, free, negative, too precise, or in another currency are rejected`()
        throws
    {
        let order = try order()
        func with(total: String) throws -> OrderNotPayable? {
            refusal(order.copy(total: try decimal(total)))
        }
        #expect(refusal(order.copy(datePaidGMT: Timestamp(milliseconds: 1))) == .alreadyPaid(orderID: 5))
        #expect(refusal(order.copy(refunds: [.fake()])) == .hasRefunds(orderID: 5))
        #expect(try with(total: "0.00") == .nothingToPay(orderID: 5))
        #expect(try with(total: "-1") == .unusableTotal(orderID: 5, .negative("-1")))
        #expect(
            try with(total: "1.005")
                == .unusableTotal(orderID: 5, .tooManyDecimals("1.005", currency: "USD", allowed: 2)))
        #expect(refusal(order.copy(currency: "XYZ")) == .unusableTotal(orderID: 5, .unknownCurrency("XYZ")))
        #expect(
            refusal(order, currencies: ["eur", "gbp"])
                == .currencyNotSupported(orderID: 5, currency: "USD", supported: ["EUR", "GBP"]))
    }

    @Test func `amounts have the decimals of their currency`() throws {
        let yen = try order().copy(currency: "JPY", total: try decimal("1250.00"))
        #expect(try PayableOrder(yen, currencies: [], expected: nil).amount.minorUnits == 1250)
        let dinar = try order().copy(currency: "BHD", total: try decimal("1.250"))
        #expect(try PayableOrder(dinar, currencies: [], expected: nil).amount.minorUnits == 1250)
    }

    // MARK: An order's evidence of a payment

    private func verdict(_ order: Networking.Order) throws -> OrderVerdict {
        let storage = try SQLiteStorageManager(inMemoryWith: SeededRandomSource(seed: 1))
        let journal = PaymentJournal(storage: storage, lease: try ProcessLease(in: storage))
        let payment = try journal.begin(
            siteID: 1, orderID: 5, amount: try usd("12.50"), hostName: "simulated", at: Timestamp(milliseconds: 1)
        ).payment
        return OrderVerdict(order, payment: payment, intentID: "pi_ours")
    }

    @Test(arguments: ["transaction", "_intent_id", "_stripe_intent_id"])
    func `an order shows its payment by the intent in any field of its gateway`(place: String) throws {
        let paid = try order().copy(status: .completed, datePaidGMT: Timestamp(milliseconds: 1))
        let shown =
            place == "transaction"
            ? paid.copy(transactionID: "pi_ours")
            : paid.copy(metaData: [MetaData(id: 1, key: place, value: .text("pi_ours"))])
        #expect(try verdict(shown) == .paidByIt(remark: nil))
    }

    @Test func `an unpaid order with the intent does not show the payment`() throws {
        #expect(try verdict(try order().copy(transactionID: "pi_ours")) == .unpaid)
    }

    @Test func `a paid order with another intent, or without one, is a conflict`() throws {
        let paid = try order().copy(status: .completed, datePaidGMT: Timestamp(milliseconds: 1))
        for order in [paid, paid.copy(transactionID: "pi_ours2")] {
            guard case .conflict = try verdict(order) else {
                Issue.record("no conflict")
                continue
            }
        }
    }

    @Test func `a paid order with a changed total is paid, with a remark`() throws {
        let paid = try order().copy(
            status: .completed, datePaidGMT: Timestamp(milliseconds: 1), total: try decimal("13"),
            transactionID: "pi_ours")
        #expect(try verdict(paid) == .paidByIt(remark: "the order costs 13.00 USD by now, 12.50 USD was paid"))
    }
}
