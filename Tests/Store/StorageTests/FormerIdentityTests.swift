import GRDB
import Payments
import Testing

@testable import Storage

/// What the journal makes of a host's answer about the identity of the database.
@Suite struct FormerIdentityTests {
    private let successor = "00000000000000aa"
    private let database: TemporaryDatabase
    private let journal: PaymentJournal

    init() throws {
        database = try TemporaryDatabase()
        journal = try database.journal()
    }

    private func question() throws -> IdentityQuestion { try journal.identitiesToConfirm(hostName: "simulated") }

    private func answer(_ number: Int64?, about identity: String? = nil) throws -> IdentityAnswer {
        let current = try question().current
        let numbers = number.map { [identity ?? current: $0] } ?? [:]
        return IdentityAnswer(current: current, numbers: numbers, hostName: "simulated")
    }

    @Test(arguments: [nil, 0, 1, 2] as [Int64?])
    func `an answer without a later number changes nothing`(number: Int64?) throws {
        for _ in 0..<2 { _ = try journal.capturedSale() }
        let before = try question()
        #expect(try journal.confirmIdentity(try answer(number), successor: successor, at: at(5)) == [])
        #expect(try question() == before)
        #expect(try journal.formerIdentities().isEmpty)
        #expect(try journal.beginSale().attempt.id == 3)
    }

    @Test func `a later number gives the database a new identity, and its numbers go on after it`() throws {
        let first = try journal.capturedSale()
        let old = try question().current
        let found = try #require(
            try journal.confirmIdentity(try answer(3), successor: successor, at: at(5)))
        #expect(found.map(\.databaseID) == [old])
        #expect(found.map(\.successor) == [successor])
        #expect(found.map(\.state) == [.restored])
        #expect(found.map(\.lastNumber) == [1])
        #expect(found.map(\.hostNumber) == [3])
        #expect(try journal.formerIdentities() == found)
        let next = try journal.beginSale()
        #expect(next.attempt.key == IdempotencyKey(identity: successor, number: 4))
        #expect(next.attempt.stan == 4)
        #expect(next.payment.name == "P000004")
        #expect(try journal.attempts(of: first.payment.id).map(\.key) == [IdempotencyKey(identity: old, number: 1)])
        // Two receipts for each number that was used elsewhere.
        let receipt = try journal.finish(
            next.attempt.id, as: .failed, receipt: ReceiptDraft(kind: .sale, content: "{}"), at: at(6)
        ).receipt
        #expect(receipt?.id == 5)
    }

    @Test func `an answer about an identity that was replaced since is asked for again`() throws {
        let late = try answer(3)
        _ = try journal.confirmIdentity(late, successor: successor, at: at(5))
        #expect(try journal.confirmIdentity(late, successor: "00000000000000bb", at: at(6)) == nil)
        #expect(try question().current == successor)
    }

    @Test func `a number of an attempt from which nothing was sent shows that the database was restored`() throws {
        let attempt = try journal.beginSale().attempt.id
        let answer = try answer(1)
        let other = try database.afterCut()
        let found = try journal.confirmIdentity(answer, successor: successor, at: at(5))
        #expect(found?.map(\.lastNumber) == [1])
        #expect(try journal.restoredThrough() == attempt)
        let sent = try other.journal()
        try other.execute("UPDATE paymentAttempt SET state = 'authorizing'")
        #expect(try sent.confirmIdentity(answer, successor: successor, at: at(5)) == [])
    }

    @Test func `a change that the database refuses leaves everything as it was`() throws {
        _ = try journal.capturedSale()
        let before = try question()
        #expect(throws: JournalError.self) {
            try journal.confirmIdentity(try answer(3), successor: "not an identity", at: at(5))
        }
        #expect(throws: JournalError.self) {
            try journal.replaceIdentity(before.current, by: "short", hostName: "simulated", at: at(5))
        }
        #expect(try question() == before)
        #expect(try journal.formerIdentities().isEmpty)
        #expect(try journal.beginSale().payment.name == "P000002")
    }

    @Test func `a host's nonsense does not use up the numbers`() throws {
        _ = try journal.confirmIdentity(try answer(.max), successor: successor, at: at(5))
        #expect(try journal.beginSale().attempt.id == 1_000_000)
    }

    @Test func `the identity of a moment stays the same`() throws {
        let old = try question().current
        try journal.replaceIdentity(old, by: successor, hostName: "simulated", at: at(5))
        #expect(try journal.databaseID(at: at(4)) == old)
        #expect(try journal.databaseID(at: at(5)) == successor)
    }

    @Test func `an identity is left while the host is silent, and asked about later`() throws {
        _ = try journal.capturedSale()
        let old = try question().current
        try journal.replaceIdentity(old, by: successor, hostName: "simulated", at: at(5))
        try journal.replaceIdentity(old, by: "00000000000000bb", hostName: "simulated", at: at(6))
        #expect(try journal.beginSale().attempt.key == IdempotencyKey(identity: successor, number: 2))
        let question = try question()
        #expect(question.unconfirmed == [old])
        #expect(question.taken == [old, successor])
        #expect(try journal.identitiesToConfirm(hostName: "another").unconfirmed.isEmpty)
        #expect(try journal.restoredThrough() == 0)
        let found = try journal.confirmIdentity(try answer(1, about: old), successor: "00000000000000bb", at: at(7))
        #expect(found == [])
        #expect(try journal.formerIdentities().map(\.state) == [.confirmed])
        #expect(try self.question().current == successor)
    }

    @Test func `an identity that was left turns out to be restored`() throws {
        _ = try journal.capturedSale()
        let old = try question().current
        try journal.replaceIdentity(old, by: successor, hostName: "simulated", at: at(5))
        _ = try journal.beginSale()
        let found = try journal.confirmIdentity(try answer(7, about: old), successor: "00000000000000bb", at: at(7))
        #expect(found?.map(\.databaseID) == [old])
        #expect(try journal.formerIdentities().map(\.state) == [.restored])
        #expect(try question().current == successor)
        #expect(try journal.restoredThrough() == 1)
        let next = try journal.beginSale()
        #expect(next.attempt.key == IdempotencyKey(identity: successor, number: 8))
        #expect(next.payment.name == "P000008")
    }

    @Test func `an identity that was left turns out to be restored by an attempt that was sent elsewhere`() throws {
        _ = try journal.beginSale()
        let old = try question().current
        try journal.replaceIdentity(old, by: successor, hostName: "simulated", at: at(5))
        let found = try journal.confirmIdentity(try answer(1, about: old), successor: "00000000000000bb", at: at(7))
        #expect(found?.map(\.databaseID) == [old])
        #expect(try journal.restoredThrough() == 1)
    }

    @Test func `a payment of the backup is not retried, because it may have been since`() throws {
        let declined = try journal.beginSale()
        try journal.markAuthorizing(declined.attempt.id, at: at(1001))
        try journal.finish(declined.attempt.id, as: .declined, at: at(1002))
        _ = try journal.confirmIdentity(try answer(2), successor: successor, at: at(5))
        #expect(throws: JournalError.notRetriable(declined.payment.id, .declined)) {
            try journal.retry(declined.payment.id, hostName: "simulated", at: at(1003))
        }
        let later = try journal.beginSale(order: 43)
        try journal.finish(later.attempt.id, as: .failed, at: at(1004))
        #expect(try journal.retry(later.payment.id, hostName: "simulated", at: at(1005)).attempt.id == 4)
    }

    @Test func `a key tells its number to its own identity only`() {
        let key = IdempotencyKey(identity: successor, number: 12)
        #expect(key.rawValue == "00000000000000aa-12")
        #expect(key.number(of: successor) == 12)
        #expect(key.number(of: "00000000000000a") == nil)
        for text in ["", "x", successor, successor + "-", successor + "-1x", successor + "--1", successor + "-+1"] {
            #expect(IdempotencyKey(rawValue: text).number(of: successor) == nil)
        }
        #expect(IdempotencyKey(rawValue: successor + "-99999999999999999999").number(of: successor) == nil)
    }
}
