import Determinism
import Foundation
import GRDB
import Money
import Payments
import Testing

@testable import Storage

@Suite struct PaymentJournalTests {
    @Test func `an approved sale is in the database row by row`() throws {
        let database = try TemporaryDatabase()
        let journal = try database.journal()
        let begun = try journal.beginSale()
        let id = begun.attempt.id
        var card = CardDetails(
            brand: "visa", lastFour: "0010", entryMode: .chip, cardholderVerification: .none, aid: "A0000000031010",
            offlineDataAuthentication: .dda, offlineDataAuthenticationResult: "failed",
            offlineDataAuthenticationReason: "revoked")
        try journal.markAuthorizing(id, details: PaymentDetails(card: card), at: at(1001))
        (card.authorizationCode, card.authorizationResponseCode) = ("A1B2C3", "00")
        (card.hostReference, card.terminalVerificationResults) = ("000000000001", "0000008000")
        card.aid = nil
        let entry = try journal.finish(
            id, as: .captured, details: PaymentDetails(card: card),
            receipt: ReceiptDraft(kind: .sale, content: #"{"total":1250}"#),
            at: at(1002))

        let payment = try #require(try database.rows("SELECT * FROM payment").first)
        #expect(payment["id"] == 1)
        #expect(payment["siteID"] == 7)
        #expect(payment["orderID"] == 42)
        #expect(payment["amount"] == 1250)
        #expect(payment["currency"] == "USD")
        #expect(payment["state"] == "captured")
        #expect(payment["createdAt"] == 1000)
        #expect(payment["updatedAt"] == 1002)
        #expect(payment["last4"] == "0010")
        #expect(payment["brand"] == "visa")
        #expect(payment["aid"] == "A0000000031010")
        #expect(payment["authCode"] == "A1B2C3")
        #expect(payment["tvr"] == "0000008000")
        #expect(payment["odaMethod"] == "dda")
        #expect(payment["odaResult"] == "failed")
        #expect(payment["odaReason"] == "revoked")

        let attempt = try #require(try database.rows("SELECT * FROM paymentAttempt").first)
        #expect(attempt["state"] == "captured")
        #expect(attempt["kind"] == "sale")
        #expect(attempt["stan"] == 1)
        #expect(attempt["hostName"] == "simulated")
        #expect(attempt["hostReference"] == "000000000001")
        #expect(attempt["lease"] == journal.lease.number)
        let databaseID = try #require(try database.text("SELECT databaseID FROM storeIdentity"))
        #expect(attempt["idempotencyKey"] == "\(databaseID)-1")

        let history = try database.rows("SELECT sequence, state, at FROM attemptTransition ORDER BY sequence")
        #expect(history.map { $0["state"] as String } == ["created", "authorizing", "captured"])
        #expect(history.map { $0["at"] as Int64 } == [1000, 1001, 1002])
        #expect(try database.text("SELECT content FROM receipt") == #"{"total":1250}"#)

        #expect(try journal.payment(PaymentID(rawValue: 1)) == entry.payment)
        #expect(try journal.attempts(of: entry.payment.id) == [entry.attempt])
        #expect(try journal.receipts(of: entry.payment.id) == [try #require(entry.receipt)])
        #expect(entry.payment.id.description == "P000001")
    }

    @Test func `an approved sale takes three commits`() throws {
        let database = try TemporaryDatabase()
        let storage = try database.open()
        let journal = PaymentJournal(storage: storage, lease: try ProcessLease(in: storage))
        let counter = CommitCounter()
        storage.writer.add(transactionObserver: counter, extent: .databaseLifetime)
        _ = try journal.capturedSale()
        #expect(counter.commits == 3)
    }

    @Test func `a crash at any step leaves correct records, and the next process recovers`() throws {
        let database = try TemporaryDatabase()
        let journal = try database.journal()
        func openStates(_ cut: TemporaryDatabase) throws -> [AttemptState] {
            try cut.journal().openAttempts().map(\.state)
        }
        #expect(try openStates(try database.afterCut()).isEmpty)
        let id = try journal.beginSale().attempt.id
        #expect(try openStates(try database.afterCut()) == [.created])
        try journal.markAuthorizing(id, at: at(2))
        #expect(try openStates(try database.afterCut()) == [.authorizing])
        try journal.markUnknown(id, reason: "no answer", at: at(3))
        #expect(try openStates(try database.afterCut()) == [.unknown])
        try journal.markReversing(id, reason: "timeout", at: at(4))
        #expect(try openStates(try database.afterCut()) == [.reversing])
        try journal.markReversing(id, reason: "timeout again", at: at(5))
        #expect(try openStates(try database.afterCut()) == [.reversing])
        try journal.finish(id, as: .reversed, at: at(6))

        let end = try database.afterCut()
        #expect(try openStates(end).isEmpty)
        let recovered = try end.journal()
        #expect(try recovered.payments().map(\.state) == [.reversed])
        #expect(
            try recovered.transitions(of: id).map(\.state)
                == [.created, .authorizing, .unknown, .reversing, .reversing, .reversed])
        #expect(try recovered.transitions(of: id).map(\.detail).last(where: { $0 != nil }) == "timeout again")
    }

    @Test func `recovery uses the key and the trace number of the attempt`() throws {
        let database = try TemporaryDatabase()
        let begun = try database.journal().beginSale().attempt
        let cut = try database.afterCut()
        let journal = try cut.journal()
        let open = try #require(try journal.openAttempts().first)
        #expect(open.key == begun.key)
        #expect(open.stan == begun.stan)
        #expect(open.hostName == "simulated")
        try journal.finish(open.id, as: .failed, detail: "the program ended before anything was sent", at: at(9))
        #expect(try journal.openAttempts().isEmpty)
        #expect(try journal.payments().map(\.state) == [.failed])
        #expect(try journal.attempts(of: begun.paymentID).map(\.lastError).first??.isEmpty == false)
    }

    @Test func `keys and trace numbers never repeat between two journals of one database`() async throws {
        let database = try TemporaryDatabase()
        let journals = [try database.journal(), try database.journal()]
        let attempts = try await withThrowingTaskGroup(of: [PaymentAttempt].self) { group in
            for journal in journals + journals {
                group.addTask { try (0..<25).map { _ in try journal.beginSale().attempt } }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(attempts.count == 100)
        #expect(Set(attempts.map(\.key)).count == 100)
        #expect(Set(attempts.map(\.stan)) == Set(1...100))
        #expect(try database.number("SELECT count(DISTINCT idempotencyKey) FROM paymentAttempt") == 100)
    }

    @Test func `the trace number restarts after 999999`() throws {
        let database = try TemporaryDatabase()
        let journal = try database.journal()
        try database.execute("UPDATE storeIdentity SET attempts = 999997")
        let attempts = try (0..<3).map { _ in try journal.beginSale().attempt }
        #expect(attempts.map(\.stan) == [999_998, 999_999, 1])
        #expect(Set(attempts.map(\.key)).count == 3)
    }

    @Test func `a payment that took no money may be tried again, and no other`() throws {
        let storage = try SQLiteStorageManager(inMemoryWith: SeededRandomSource(seed: 1))
        let journal = PaymentJournal(storage: storage, lease: try ProcessLease(in: storage))
        let first = try journal.beginSale()
        let payment = first.payment.id
        #expect(throws: JournalError.notRetriable(payment, .pending)) {
            try journal.retry(payment, hostName: "simulated", at: at(2))
        }
        let details = PaymentDetails(card: .read(lastFour: "0010"), errorCode: "declined_by_host")
        try journal.finish(first.attempt.id, as: .declined, details: details, at: at(2))
        #expect(try journal.payment(payment).details == details)
        let second = try journal.retry(payment, hostName: "simulated", at: at(3))
        #expect(second.payment.state == .pending)
        // The error of the first one does not apply to the second.
        #expect(second.payment.details == PaymentDetails())
        #expect(second.attempt.key != first.attempt.key)
        try journal.markAuthorizing(second.attempt.id, at: at(4))
        try journal.markUnknown(second.attempt.id, reason: "no answer", at: at(5))
        #expect(throws: JournalError.notRetriable(payment, .unknown)) {
            try journal.retry(payment, hostName: "simulated", at: at(6))
        }
        try journal.finish(second.attempt.id, as: .captured, at: at(7))
        #expect(throws: JournalError.notRetriable(payment, .captured)) {
            try journal.retry(payment, hostName: "simulated", at: at(8))
        }
        #expect(try journal.payment(payment).state == .captured)
    }

    @Test func `a receipt is stored with its outcome or not at all`() throws {
        let database = try TemporaryDatabase()
        let journal = try database.journal()
        let id = try journal.beginSale().attempt.id
        try journal.markAuthorizing(id, at: at(2))
        let error = #expect(throws: JournalError.self) {
            try journal.finish(
                id, as: .captured, receipt: ReceiptDraft(kind: .sale, content: "{not json"), at: at(3))
        }
        guard case .storage(.ruleBroken)? = error else {
            Issue.record("unexpected \(String(describing: error))")
            return
        }
        #expect(try database.text("SELECT state FROM paymentAttempt") == "authorizing")
        #expect(try database.text("SELECT state FROM payment") == "pending")
        #expect(try database.number("SELECT count(*) FROM attemptTransition") == 2)
    }

    @Test func `the history can only grow`() throws {
        let database = try TemporaryDatabase()
        _ = try database.journal().beginSale()
        #expect(throws: DatabaseError.self) { try database.execute("UPDATE attemptTransition SET at = 5") }
        #expect(throws: DatabaseError.self) { try database.execute("DELETE FROM attemptTransition") }
        #expect(throws: DatabaseError.self) {
            try database.execute("PRAGMA foreign_keys = ON; DELETE FROM payment")
        }
    }

    @Test func `lists are newest first and filtered`() throws {
        let storage = try SQLiteStorageManager(inMemoryWith: SeededRandomSource(seed: 1))
        let journal = PaymentJournal(storage: storage, lease: try ProcessLease(in: storage))
        for number in Int64(1)...5 {
            let entry = try journal.beginSale(100 * number, order: number % 2 == 0 ? number : nil, at: number * 1000)
            if number > 3 { try journal.finish(entry.attempt.id, as: .canceled, at: at(number * 1000)) }
        }
        func numbers(_ filter: PaymentFilter, limit: Int? = nil) throws -> [Int64] {
            try journal.payments(matching: filter, limit: limit).map(\.id.rawValue)
        }
        #expect(try numbers(PaymentFilter()) == [5, 4, 3, 2, 1])
        #expect(try numbers(PaymentFilter(), limit: 2) == [5, 4])
        #expect(try numbers(PaymentFilter(before: PaymentID(rawValue: 4)), limit: 2) == [3, 2])
        #expect(try numbers(PaymentFilter(siteID: 7, orderID: 4)) == [4])
        #expect(try numbers(PaymentFilter(siteID: 8)) == [])
        #expect(try numbers(PaymentFilter(states: [.canceled])) == [5, 4])
        #expect(try numbers(PaymentFilter(states: [.pending], since: at(2000))) == [3, 2])
        #expect(try numbers(PaymentFilter(states: [.pending, .canceled], until: at(4000))) == [3, 2, 1])
        #expect(try numbers(PaymentFilter(amount: try usd(300))) == [3])
        #expect(try numbers(PaymentFilter(amount: try Money(minorUnits: 300, currency: Currency(code: "EUR")))) == [])
        let paid = try journal.beginSale(at: 6000).attempt.id
        try journal.markAuthorizing(
            paid, details: PaymentDetails(card: .read(lastFour: "1119")), at: at(6001))
        #expect(try numbers(PaymentFilter(lastFour: "1119")) == [6])
        #expect(try numbers(PaymentFilter(lastFour: "0000")) == [])
    }

    @Test func `a missing record is reported`() throws {
        let storage = try SQLiteStorageManager(inMemoryWith: SeededRandomSource(seed: 1))
        let journal = PaymentJournal(storage: storage, lease: try ProcessLease(in: storage))
        let missing = PaymentID(rawValue: 99)
        #expect(throws: JournalError.paymentNotFound(missing)) { try journal.payment(missing) }
        #expect(throws: JournalError.attemptNotFound(99)) { try journal.markAuthorizing(99, at: at(1)) }
        #expect(throws: JournalError.receiptNotFound(99)) { try journal.receipt(99) }
        #expect(throws: JournalError.printNotFound(99)) {
            try journal.updatePrint(99, ReceiptPrintReport(.completed), at: at(1))
        }
        #expect(throws: JournalError.receiptNotFound(99)) {
            try journal.recordPrint(ReceiptPrintDraft(receiptID: 99, printer: "till", copy: .customer), at: at(1))
        }
    }

    @Test(arguments: [
        ("P000001", 1), ("p12", 12), ("7", 7), ("P0", nil), ("", nil), ("P", nil), ("P-1", nil), ("P1x", nil),
        ("P99999999999999999999", nil), ("P１", nil),
    ])
    func `a payment's name is parsed or rejected`(_ text: String, _ number: Int64?) {
        #expect(PaymentID(text)?.rawValue == number)
    }
}

/// Counts the commits that wrote something.
final class CommitCounter: TransactionObserver {
    private(set) var commits = 0
    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
    func databaseDidChange(with event: DatabaseEvent) {}
    func databaseDidCommit(_ db: Database) { commits += 1 }
    func databaseDidRollback(_ db: Database) {}
}
