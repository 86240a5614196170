import Determinism
import GRDB
import Money
import Payments
import Testing

@testable import Storage

/// Pre-authorizations in the journal: held, then captured once or given free.
@Suite struct PreauthorizationTests {
    private let database: TemporaryDatabase

    init() throws { database = try TemporaryDatabase() }

    private let identity = MessageIdentity(type: "0100", fields: [11: "000001", 12: "120000", 13: "0102"])

    /// A payment of 150.00 that is held.
    private func hold(_ journal: PaymentJournal) throws -> JournalEntry {
        let begun = try journal.begin(
            siteID: 0, orderID: nil, amount: try usd(15_000), heldUntil: at(9000), hostName: "iso8583", at: at(1000))
        try journal.markAuthorizing(begun.attempt.id, identity: identity, at: at(1001))
        var card = CardDetails.read(lastFour: "0010")
        (card.hostReference, card.authorizationCode) = ("632701000004", "A1B2C3")
        return try journal.finish(
            begun.attempt.id, as: .authorizedOnly, details: PaymentDetails(card: card), at: at(1002))
    }

    @Test func `a pre-authorization is held with its expiry, and nothing about it is open`() throws {
        let journal = try database.journal()
        let held = try hold(journal)
        #expect(held.payment.state == .authorized && held.payment.outcome == .approved)
        #expect(held.payment.standing == .held)
        #expect(
            held.payment.preauthorization == Preauthorization(authorized: try usd(15_000), expiresAt: at(9000)))
        #expect(try journal.openAttempts().isEmpty)
        #expect(try journal.attemptsAwaitingHost().isEmpty)
        #expect(try database.text("SELECT state FROM paymentAttempt") == "authorizedOnly")
        // Later messages name the host's answer.
        #expect(held.attempt.identity == identity.answered(reference: "632701000004", authorizationCode: "A1B2C3"))
        #expect(throws: JournalError.notRefundable(held.payment.id, .authorized)) {
            try journal.beginRefund(
                of: held.payment.id, amount: try usd(100), hostName: "iso8583", at: at(1003))
        }
    }

    @Test func `a capture is in the journal, with a trace number of its own, before it is sent`() throws {
        let journal = try database.journal()
        let id = try hold(journal).payment.id
        let begun = try journal.beginCapture(of: id, amount: try usd(8000), advice: "{}", at: at(2000))
        #expect(begun.attempt.state == .authorized && begun.attempt.advice == "{}")
        #expect(begun.attempt.completion == CompletionMessage(stan: 2))
        #expect(try begun.payment.amount == usd(8000) && begun.payment.standing == .captured(usd(8000)))
        #expect(begun.payment.preauthorization?.authorized == (try usd(15_000)))
        let completion = MessageIdentity(type: "0220", fields: [11: "000002"])
        #expect(try journal.keepIdentity(completion, for: begun.attempt.id, isCompletion: true) == completion)
        // A process that starts later has it.
        let copy = try database.afterCut()
        let later = try copy.journal()
        let attempt = try #require(try later.openAttempts().first)
        #expect(attempt.completion == CompletionMessage(stan: 2, identity: completion))
        #expect(attempt.identity?[37] == "632701000004")
        try later.finish(attempt.id, as: .captured, at: at(3000))
        #expect(try later.payment(id).state == .captured)
        #expect(try later.beginSale().attempt.stan == 3)
    }

    @Test func `an amount is captured once, and never more than is held`() throws {
        let journal = try database.journal()
        let id = try hold(journal).payment.id
        #expect(
            throws: JournalError.captureTooLarge(id, requested: try usd(15_001), authorized: try usd(15_000))
        ) { try journal.beginCapture(of: id, amount: try usd(15_001), advice: "{}", at: at(2000)) }
        let begun = try journal.beginCapture(of: id, amount: nil, advice: "{}", at: at(2000))
        for _ in 0..<2 {
            #expect(throws: JournalError.notCapturable(id, .captured(try usd(15_000)))) {
                try journal.beginCapture(of: id, amount: nil, advice: "{}", at: at(2001))
            }
            #expect(throws: JournalError.notCapturable(id, .captured(try usd(15_000)))) {
                try journal.beginCancellation(of: id, at: at(2001))
            }
            if try journal.attempt(begun.attempt.id).state == .authorized {
                try journal.finish(begun.attempt.id, as: .captured, at: at(2002))
            }
        }
        let refund = try journal.beginRefund(of: id, amount: try usd(15_000), hostName: "iso8583", at: at(2003))
        #expect(refund.payment.state == .captured)
    }

    @Test func `a canceled pre-authorization is reversed, and stays so`() throws {
        let journal = try database.journal()
        let id = try hold(journal).payment.id
        let begun = try journal.beginCancellation(of: id, at: at(2000))
        #expect(begun.attempt.state == .reversing && begun.payment.standing == .open)
        #expect(try journal.openAttempts().map(\.id) == [begun.attempt.id])
        let done = try journal.finish(begun.attempt.id, as: .reversed, at: at(2001)).payment
        #expect(done.outcome == .canceled && done.standing == .canceled)
        #expect(throws: JournalError.notCapturable(id, .canceled)) {
            try journal.beginCapture(of: id, amount: nil, advice: "{}", at: at(2002))
        }
        #expect(throws: JournalError.notCapturable(id, .canceled)) {
            try journal.beginCancellation(of: id, at: at(2002))
        }
    }

    @Test func `any process can capture what an ended one has authorized, and one alone does`() throws {
        let journal = try database.journal()
        let id = try hold(journal).payment.id
        let other = try database.journal()
        let begun = try other.beginCapture(of: id, amount: nil, advice: "{}", at: at(2000))
        #expect(throws: JournalError.notCapturable(id, .captured(try usd(15_000)))) {
            try journal.beginCapture(of: id, amount: nil, advice: "{}", at: at(2000))
        }
        #expect(throws: JournalError.self) { try journal.finish(begun.attempt.id, as: .captured, at: at(2001)) }
        try other.finish(begun.attempt.id, as: .captured, at: at(2001))
    }

    @Test func `a payment that was approved in part keeps what was asked for`() throws {
        let journal = try database.journal()
        let begun = try journal.beginSale(1250, order: nil)
        try journal.markAuthorizing(begun.attempt.id, at: at(1001))
        let part = try journal.finish(begun.attempt.id, as: .captured, amount: try usd(1000), at: at(1002))
        #expect(try part.payment.amount == usd(1000) && part.payment.requestedAmount == usd(1250))
        #expect(part.attempt.amount == (try usd(1000)))
        #expect(try journal.payment(part.payment.id) == part.payment)
        #expect(part.payment.standing == .none)
    }

    @Test func `a database of the schema before keeps its rows and takes pre-authorizations`() throws {
        let place = try #require(SchemaMigrator.current.steps.firstIndex { $0.sql.contains("authorizedOnly") })
        let old = try ReleasedDatabase.make(version: place)
        let before = try old.rows("SELECT * FROM attemptTransition")
        let journal = try old.journal()
        #expect(try old.text("PRAGMA integrity_check") == "ok")
        #expect(try old.rows("PRAGMA foreign_key_check").isEmpty)
        #expect(try old.rows("SELECT * FROM attemptTransition") == before)
        let payment = try journal.payment(PaymentID(rawValue: 1))
        #expect(payment.preauthorization == nil && payment.requestedAmount == nil)
        #expect(try hold(journal).attempt.state == .authorizedOnly)
        // The old states are the only others.
        #expect(throws: (any Error).self) { try old.execute("UPDATE paymentAttempt SET state = 'held'") }
    }
}
