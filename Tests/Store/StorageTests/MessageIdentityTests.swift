import Payments
import Testing

@testable import Storage

@Suite struct StoredMessageIdentityTests {
    private let identity = MessageIdentity(
        type: "0200", fields: [4: "000000001250", 7: "0102120000", 11: "000001", 22: "\u{0}\u{FF}é", 41: "TERM 1  "])

    @Test func `the identity of a message is written with the state, and read back byte for byte`() throws {
        let database = try TemporaryDatabase()
        let journal = try database.journal()
        let begun = try journal.beginSale().attempt
        #expect(begun.identity == nil)
        #expect(try journal.markAuthorizing(begun.id, identity: identity, at: at(2)).attempt.identity == identity)
        #expect(try journal.attempt(begun.id).identity == identity)
        #expect(try journal.openAttempts().map(\.identity) == [identity])
        // A later step keeps it.
        #expect(try journal.markReversing(begun.id, reason: "timeout", at: at(3)).attempt.identity == identity)
        #expect(
            try database.text("SELECT json_extract(messageIdentity, '$.fields.7') FROM paymentAttempt") == "0102120000")
    }

    @Test func `an attempt keeps its first identity`() throws {
        let journal = try TemporaryDatabase().journal()
        let attempt = try journal.beginSale().attempt.id
        #expect(try journal.keepIdentity(identity, for: attempt) == identity)
        let other = MessageIdentity(type: "0220", fields: [11: "000002"])
        #expect(try journal.keepIdentity(other, for: attempt) == identity)
        #expect(throws: JournalError.attemptNotFound(9)) { try journal.keepIdentity(other, for: 9) }
        #expect(throws: JournalError.attemptNotFound(9)) { try journal.attempt(9) }
    }

    @Test func `what waits for the host is listed, and stays with its process`() throws {
        let database = try TemporaryDatabase()
        let journal = try database.journal()
        let open = try journal.beginSale().attempt.id
        let done = try journal.capturedSale()
        #expect(try journal.attemptsAwaitingHost().map(\.id) == [open])
        let advised = try #require(try journal.attempts(of: done.payment.id).first).id
        try journal.keepAdvice("{}", for: advised)
        #expect(try PaymentJournal(reading: journal.storage).attemptsAwaitingHost().map(\.id) == [open, advised])
    }

    @Test func `a damaged identity is an error of its column`() throws {
        let database = try TemporaryDatabase()
        let journal = try database.journal()
        _ = try journal.beginSale()
        try database.execute("UPDATE paymentAttempt SET messageIdentity = '{}'")
        #expect(throws: JournalError.self) { try journal.openAttempts() }
        #expect(throws: (any Error).self) { try database.execute("UPDATE paymentAttempt SET messageIdentity = 'x'") }
    }
}
