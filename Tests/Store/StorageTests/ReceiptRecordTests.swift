import Determinism
import GRDB
import Money
import Payments
import Testing

@testable import Storage

@Suite struct ReceiptRecordTests {
    @Test func `a receipt is issued once, and never changed or taken`() throws {
        let database = try TemporaryDatabase()
        _ = try database.journal().issuedReceipt()
        for sql in [
            "UPDATE receipt SET content = '{\"amount\":\"0.01\"}'", "UPDATE receipt SET last4 = '9999'",
            "UPDATE receipt SET id = 9", "DELETE FROM receipt",
            "INSERT OR REPLACE INTO receipt (id, paymentID, kind, content, createdAt) VALUES (1, 1, 'sale', '[]', 1)",
        ] {
            #expect(throws: DatabaseError.self, "\(sql)") {
                try database.execute("PRAGMA recursive_triggers = ON; " + sql)
            }
        }
        #expect(try database.text("SELECT content FROM receipt") == "{}")
    }

    @Test func `a corrected receipt is a new version of its kind`() throws {
        let database = try TemporaryDatabase()
        let journal = try database.journal()
        let first = try journal.issuedReceipt()
        #expect(first.version == 1)
        let second = try journal.saveReceipt(
            ReceiptDraft(kind: .sale, content: #"{"v":2}"#), of: first.paymentID, at: at(2000))
        #expect((second.version, second.attemptID) == (2, first.attemptID))
        let other = try journal.saveReceipt(
            ReceiptDraft(kind: .reversal, content: "{}"), of: first.paymentID, at: at(2001))
        #expect((other.version, other.attemptID) == (1, first.attemptID))
        #expect(try journal.receipts(of: first.paymentID).map(\.id) == [other.id, second.id, first.id])
        #expect(try journal.receipt(first.id) == first)
        #expect(throws: JournalError.paymentNotFound(PaymentID(rawValue: 99))) {
            try journal.saveReceipt(
                ReceiptDraft(kind: .sale, content: "{}"), of: PaymentID(rawValue: 99), at: at(2002))
        }
    }

    @Test func `two refunds of a payment are two receipts, each with a first version`() throws {
        let journal = try TemporaryDatabase().journal()
        let payment = try journal.issuedReceipt().paymentID
        for amount in [Int64(300), 200] {
            let refund = try journal.beginRefund(of: payment, amount: try usd(amount), hostName: "h", at: at(3000))
            try journal.markAuthorizing(refund.attempt.id, at: at(3001))
            let entry = try journal.finish(
                refund.attempt.id, as: .captured, receipt: ReceiptDraft(kind: .refund, content: "{}"), at: at(3002))
            #expect(entry.receipt?.version == 1)
            #expect(entry.receipt?.amount == amount)
        }
        #expect(try journal.receipts(of: payment).count == 3)
    }

    @Test func `receipts are found by what stands on them`() throws {
        let journal = try TemporaryDatabase().journal()
        let first = try journal.issuedReceipt(1250, order: 42, at: 1000, last4: "0010", authCode: "A1B2C3")
        let second = try journal.issuedReceipt(1250, order: nil, at: 2000, last4: "1119", authCode: "123456")
        let third = try journal.issuedReceipt(99, order: 43, at: 3000, last4: "0010")
        func found(_ filter: ReceiptQuery, limit: Int? = nil) throws -> [Int64] {
            var query = filter
            query.limit = limit
            return try journal.receipts(matching: query).map(\.id)
        }
        #expect(try found(ReceiptQuery()) == [third.id, second.id, first.id])
        #expect(try found(ReceiptQuery(), limit: 2) == [third.id, second.id])
        #expect(try found(ReceiptQuery(paymentID: second.paymentID)) == [second.id])
        #expect(try found(ReceiptQuery(orderID: 42)) == [first.id])
        #expect(try found(ReceiptQuery(lastFour: "0010")) == [third.id, first.id])
        #expect(try found(ReceiptQuery(amount: try usd(1250))) == [second.id, first.id])
        #expect(
            try found(ReceiptQuery(amount: try Money(minorUnits: 1250, currency: Currency(code: "EUR")))) == [])
        #expect(try found(ReceiptQuery(authorizationCode: "a1b2c3")) == [first.id])
        #expect(try found(ReceiptQuery(authorizationCode: "%")) == [])
        // A receipt is issued two milliseconds after its payment began.
        #expect(try found(ReceiptQuery(since: at(2002))) == [third.id, second.id])
        #expect(try found(ReceiptQuery(before: at(2002))) == [first.id])
        #expect(try found(ReceiptQuery(since: at(1002), before: at(1003))) == [first.id])
        #expect(try found(ReceiptQuery(lastFour: "0010", amount: try usd(99))) == [third.id])
        #expect(try found(ReceiptQuery(orderID: 43, lastFour: "1119")) == [])
    }

    @Test(arguments: [
        "paymentID = 1", "orderID = 42", "createdAt >= 1 AND createdAt < 2", "last4 = '0010'",
        "amount = 1250 AND currency = 'USD'", "authCode = 'a1'",
    ])
    func `no filter reads every receipt`(_ condition: String) throws {
        let database = try TemporaryDatabase()
        _ = try database.open()
        let plan = try database.rows("EXPLAIN QUERY PLAN SELECT * FROM receipt WHERE \(condition)")
        #expect(plan.allSatisfy { ($0["detail"] as String).hasPrefix("SEARCH receipt USING INDEX") })
    }

    @Test(arguments: ["4761739001010010", "010", "001O"])
    func `the last four digits of a receipt are four digits and nothing else`(_ text: String) throws {
        let database = try TemporaryDatabase()
        let journal = try database.journal()
        #expect(throws: JournalError.self) { try journal.issuedReceipt(last4: text) }
        #expect(try database.number("SELECT count(*) FROM receipt") == 0)
        #expect(try database.text("SELECT state FROM paymentAttempt") == "authorizing")
    }
}
