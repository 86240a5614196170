import Payments
import Testing

@testable import Storage

/// An attempt whose request goes to another host than the first one.
@Suite struct HostChangeTests {
    private let first = MessageIdentity(
        type: "0200", fields: [11: "000001", 41: "TERM0001"], destination: "a.example:1", host: "default")
    private let second = MessageIdentity(
        type: "0200", fields: [11: "000001", 41: "TERM0002"], destination: "b.example:1", host: "backup",
        passedOver: ["a.example:1"])

    @Test func `the change is in the journal with its reason, and the attempt belongs to the new host`() throws {
        let database = try TemporaryDatabase()
        let journal = try database.journal()
        let attempt = try journal.beginSale().attempt.id
        try journal.markAuthorizing(attempt, identity: first, at: at(1001))
        try journal.changeHost(of: attempt, to: second, because: "to the host backup", at: at(1002))
        // The process is killed before the request leaves: the other host gets the reversal.
        let after = try database.afterCut().journal()
        let open = try after.openAttempts()
        #expect(open.map(\.identity) == [second])
        #expect(open.map(\.state) == [.authorizing])
        #expect(try after.transitions(of: attempt).map(\.state) == [.created, .authorizing, .authorizing])
        #expect(try after.transitions(of: attempt).map(\.detail) == [nil, nil, "to the host backup"])
        let reversing = try after.markReversing(attempt, reason: "interrupted", at: at(1003)).attempt
        #expect(reversing.identity == second)
        #expect(
            try database.text("SELECT json_extract(messageIdentity, '$.passedOver[0]') FROM paymentAttempt")
                == "a.example:1")
    }

    @Test func `a host changes only while the request is about to leave, and only in its own process`() throws {
        let database = try TemporaryDatabase()
        let journal = try database.journal()
        let attempt = try journal.beginSale().attempt.id
        #expect(throws: JournalError.illegalTransition(attempt: attempt, from: .created, to: .authorizing)) {
            try journal.changeHost(of: attempt, to: second, because: "", at: at(2))
        }
        try journal.markAuthorizing(attempt, identity: first, at: at(3))
        try journal.markUnknown(attempt, reason: "no answer", at: at(4))
        #expect(throws: JournalError.illegalTransition(attempt: attempt, from: .unknown, to: .authorizing)) {
            try journal.changeHost(of: attempt, to: second, because: "", at: at(5))
        }
        #expect(throws: JournalError.attemptNotFound(9)) {
            try journal.changeHost(of: 9, to: second, because: "", at: at(6))
        }
        #expect(try journal.attempt(attempt).identity == first)
    }

    @Test func `the hosts that were not reached are known for a while`() throws {
        let journal = try TemporaryDatabase().journal()
        #expect(try journal.unreachedHosts(since: at(0)).isEmpty)
        let attempt = try journal.beginSale().attempt.id
        try journal.markAuthorizing(attempt, identity: first, at: at(1001))
        #expect(try journal.unreachedHosts(since: at(0)).isEmpty)
        try journal.changeHost(of: attempt, to: second, because: "", at: at(1002))
        #expect(try journal.unreachedHosts(since: at(1002)) == [UnreachedHost(address: "a.example:1", at: at(1002))])
        #expect(try journal.unreachedHosts(since: at(1003)).isEmpty)
    }

    @Test func `a message of one host has the same text as before there were several`() {
        let identity = MessageIdentity(type: "0200", fields: [11: "000001"], destination: "a.example:1")
        #expect(identity.text == #"{"destination":"a.example:1","fields":{"11":"000001"},"type":"0200"}"#)
        #expect(identity.going(to: "backup", passingOver: []).passedOver == nil)
    }
}
