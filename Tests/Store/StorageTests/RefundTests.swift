import Determinism
import Money
import Payments
import Testing

@testable import Storage

@Suite struct RefundTests {
    private func makeJournal() throws -> PaymentJournal {
        let storage = try SQLiteStorageManager(inMemoryWith: SeededRandomSource(seed: 1))
        return PaymentJournal(storage: storage, lease: try ProcessLease(in: storage))
    }

    private func finishRefund(_ journal: PaymentJournal, _ entry: JournalEntry, as state: AttemptState) throws
        -> Payment
    {
        try journal.markAuthorizing(entry.attempt.id, at: at(10))
        return try journal.finish(entry.attempt.id, as: state, at: at(11)).payment
    }

    @Test func `a payment is refunded in parts and never beyond its amount`() throws {
        let journal = try makeJournal()
        let payment = try journal.capturedSale(1000).payment.id
        let first = try journal.beginRefund(of: payment, amount: try usd(400), hostName: "simulated", at: at(9))
        #expect(first.payment.state == .captured)
        #expect(try finishRefund(journal, first, as: .captured).state == .partiallyRefunded)
        #expect(throws: JournalError.refundTooLarge(payment, requested: try usd(601), available: try usd(600))) {
            try journal.beginRefund(of: payment, amount: try usd(601), hostName: "simulated", at: at(12))
        }
        let second = try journal.beginRefund(of: payment, amount: try usd(600), hostName: "simulated", at: at(13))
        let refunded = try finishRefund(journal, second, as: .captured)
        #expect(refunded.state == .refunded)
        #expect(refunded.refundedAmount == (try usd(1000)))
        #expect(throws: JournalError.notRefundable(payment, .refunded)) {
            try journal.beginRefund(of: payment, amount: try usd(1), hostName: "simulated", at: at(14))
        }
    }

    @Test(arguments: [AttemptState.created, .authorizing, .unknown])
    func `a refund with an open outcome counts as refunded`(_ state: AttemptState) throws {
        let journal = try makeJournal()
        let payment = try journal.capturedSale(1000).payment.id
        let refund = try journal.beginRefund(of: payment, amount: try usd(700), hostName: "simulated", at: at(9))
        if state != .created { try journal.markAuthorizing(refund.attempt.id, at: at(10)) }
        if state == .unknown { try journal.markUnknown(refund.attempt.id, reason: "no answer", at: at(11)) }
        #expect(throws: JournalError.refundTooLarge(payment, requested: try usd(400), available: try usd(300))) {
            try journal.beginRefund(of: payment, amount: try usd(400), hostName: "simulated", at: at(12))
        }
        #expect(try journal.payment(payment).state == .captured)
    }

    @Test func `a refund that was declined leaves all of it to refund`() throws {
        let journal = try makeJournal()
        let payment = try journal.capturedSale(1000).payment.id
        let refund = try journal.beginRefund(of: payment, amount: try usd(1000), hostName: "simulated", at: at(9))
        #expect(try finishRefund(journal, refund, as: .declined).state == .captured)
        _ = try journal.beginRefund(of: payment, amount: try usd(1000), hostName: "simulated", at: at(12))
    }

    @Test func `only captured amounts are refunded`() throws {
        let journal = try makeJournal()
        let declined = try journal.beginSale()
        try journal.finish(declined.attempt.id, as: .declined, at: at(2))
        #expect(throws: JournalError.notRefundable(declined.payment.id, .declined)) {
            try journal.beginRefund(of: declined.payment.id, amount: try usd(1), hostName: "simulated", at: at(3))
        }
        let missing = PaymentID(rawValue: 77)
        #expect(throws: JournalError.paymentNotFound(missing)) {
            try journal.beginRefund(of: missing, amount: try usd(1), hostName: "simulated", at: at(3))
        }
    }

    @Test func `a refund of zero, or in another currency, is rejected`() throws {
        let journal = try makeJournal()
        let payment = try journal.capturedSale(1000).payment.id
        #expect(throws: JournalError.notRefundable(payment, .captured)) {
            try journal.beginRefund(of: payment, amount: try usd(0), hostName: "simulated", at: at(9))
        }
        let euro = try Money(minorUnits: 100, currency: Currency(code: "EUR"))
        #expect(throws: JournalError.money(.currencyMismatch("EUR", "USD"))) {
            try journal.beginRefund(of: payment, amount: euro, hostName: "simulated", at: at(9))
        }
        #expect(try journal.attempts(of: payment).count == 1)
    }

    @Test func `a refund does not change the details of the sale`() throws {
        let journal = try makeJournal()
        let sale = try journal.beginSale(1000)
        try journal.markAuthorizing(sale.attempt.id, at: at(2))
        var card = CardDetails.read(lastFour: "0010")
        (card.authorizationCode, card.hostReference) = ("SALE01", "000000000001")
        let payment = try journal.finish(sale.attempt.id, as: .captured, details: PaymentDetails(card: card), at: at(3))
            .payment
        let refund = try journal.beginRefund(of: payment.id, amount: try usd(1000), hostName: "simulated", at: at(4))
        try journal.markAuthorizing(refund.attempt.id, at: at(5))
        (card.authorizationCode, card.hostReference) = ("REFUND", "000000000002")
        let entry = try journal.finish(refund.attempt.id, as: .captured, details: PaymentDetails(card: card), at: at(6))
        #expect(entry.payment.details == payment.details)
        #expect(entry.attempt.hostReference == "000000000002")
    }

    @Test func `refunds that race never give back more than was paid`() async throws {
        let database = try TemporaryDatabase()
        let journals = [try database.journal(), try database.journal()]
        let payment = try journals[0].capturedSale(1000).payment.id
        let begun = await withTaskGroup(of: Int.self) { group in
            for index in 0..<20 {
                group.addTask {
                    let refund = try? journals[index % 2].beginRefund(
                        of: payment, amount: try usd(300), hostName: "simulated", at: at(9))
                    return refund == nil ? 0 : 1
                }
            }
            return await group.reduce(0, +)
        }
        #expect(begun == 3)
        #expect(try database.number("SELECT sum(amount) FROM paymentAttempt WHERE kind = 'refund'") == 900)
    }
}
