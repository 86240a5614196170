import Money
import Payments
import Testing

@testable import Storage

/// Attempts whose end a person says.
@Suite struct ClosingTests {
    private let database: TemporaryDatabase

    init() throws { database = try TemporaryDatabase() }

    private let identity = MessageIdentity(type: "0200", fields: [11: "000001", 41: "TERM0001"])

    private func sale(_ journal: PaymentJournal, heldUntil: Int64? = nil) throws -> PaymentAttempt {
        let begun = try journal.begin(
            siteID: 0, orderID: nil, amount: try usd(15_000), heldUntil: heldUntil.map(at), hostName: "iso8583",
            at: at(1000))
        try journal.markAuthorizing(begun.attempt.id, identity: identity, at: at(1001))
        return begun.attempt
    }

    private func close(
        _ journal: PaymentJournal, _ id: PaymentID, attempt: Int64? = nil, as closing: AttemptClosing,
        amount: Int64? = nil
    ) throws -> JournalEntry {
        try journal.close(
            id, attempt: attempt, as: closing, amount: try amount.map { try usd($0) }, by: "anna",
            reason: "told by the acquirer", at: at(5000))
    }

    /// Makes the database one that was restored from a backup, at a host that knows no numbers.
    private func restore(_ journal: PaymentJournal) throws {
        let question = try journal.identitiesToConfirm(hostName: "iso8583")
        try journal.replaceIdentity(question.current, by: "00000000000000aa", hostName: "", at: at(3000))
        let answer = IdentityAnswer(
            current: "00000000000000aa", numbers: [:], hostName: "iso8583", knowsNumbers: false)
        _ = try journal.confirmIdentity(answer, successor: "00000000000000bb", at: at(3001))
    }

    @Test(arguments: [
        (AttemptClosing.captured, AttemptState.captured, PaymentState.captured),
        (.reversed, .reversed, .reversed), (.failed, .failed, .failed),
    ])
    func `an open reversal ends as a person says, with the name and the reason`(
        closing: AttemptClosing, state: AttemptState, payment: PaymentState
    ) throws {
        let journal = try database.journal()
        let attempt = try sale(journal)
        try journal.markReversing(attempt.id, reason: "timeout", at: at(1002))
        let entry = try close(journal, attempt.paymentID, as: closing)
        #expect(entry.attempt.state == state && entry.payment.state == payment)
        #expect(entry.payment.errorCode == "closed_by_hand")
        let last = try journal.transitions(of: attempt.id).last
        #expect(last?.detail == "closed as \(closing.rawValue) by anna: told by the acquirer" && last?.at == at(5000))
        #expect(try journal.attemptsAwaitingHost().isEmpty)
        #expect(throws: JournalError.nothingToClose(attempt.paymentID)) {
            try close(journal, attempt.paymentID, as: closing)
        }
    }

    @Test func `a hold that has expired is closed by a person, and one that is held still is not`() throws {
        let journal = try database.journal()
        let attempts = try [4999, 5001].map { try sale(journal, heldUntil: $0) }
        for attempt in attempts { try journal.finish(attempt.id, as: .authorizedOnly, at: at(1002)) }
        #expect(try close(journal, attempts[0].paymentID, as: .captured, amount: 8000).payment.state == .captured)
        #expect(throws: JournalError.stillHeld(attempts[1].paymentID, until: at(5001))) {
            try close(journal, attempts[1].paymentID, as: .captured)
        }
    }

    @Test(arguments: ["4761.7390.0101.7015", "4761/7390/0101/7015", "4761 \u{2013} 7390 \u{2013} 0101 \u{2013} 7015"])
    func `a card number in the reason is masked, however it was typed`(number: String) throws {
        let journal = try database.journal()
        let attempt = try sale(journal)
        try journal.markReversing(attempt.id, reason: "timeout", at: at(1002))
        _ = try journal.close(
            attempt.paymentID, as: .reversed, by: "anna", reason: "card " + number, at: at(5000))
        let detail = try #require(try journal.transitions(of: attempt.id).last?.detail)
        #expect(detail.hasSuffix("7015") && !detail.contains("4761") && !detail.contains("7390"))
    }

    @Test func `a number that no open attempt has is refused with those of the open ones`() throws {
        let journal = try database.journal()
        let attempt = try sale(journal)
        try journal.markReversing(attempt.id, reason: "timeout", at: at(1002))
        #expect(throws: JournalError.severalOpen(attempt.paymentID, [attempt.id])) {
            try journal.attemptToClose(of: attempt.paymentID, attempt: 99, at: at(5000))
        }
    }

    @Test func `a hold of a backup is captured in part, or canceled`() throws {
        let journal = try database.journal()
        let attempts = try (0..<2).map { _ in try sale(journal, heldUntil: 9000) }
        for attempt in attempts { try journal.finish(attempt.id, as: .authorizedOnly, at: at(1002)) }
        // Before the restore, a capture or a cancellation ends it.
        #expect(throws: JournalError.stillHeld(attempts[0].paymentID, until: at(9000))) {
            try close(journal, attempts[0].paymentID, as: .reversed)
        }
        try restore(journal)
        #expect(throws: JournalError.self) {
            try close(journal, attempts[0].paymentID, as: .captured, amount: 15_001)
        }
        let captured = try close(journal, attempts[0].paymentID, as: .captured, amount: 8000).payment
        #expect(try captured.state == .captured && captured.standing == .captured(usd(8000)))
        let canceled = try close(journal, attempts[1].paymentID, as: .reversed).payment
        #expect(canceled.standing == .canceled && canceled.outcome == .canceled)
    }

    @Test func `of several open attempts, one is named, and another process keeps its own`() throws {
        let journal = try database.journal()
        let attempt = try sale(journal)
        try journal.finish(attempt.id, as: .captured, at: at(1002))
        let refunds = try (0..<2).map { _ in
            try journal.beginRefund(
                of: attempt.paymentID, amount: try usd(100), hostName: "iso8583", at: at(2000)
            ).attempt.id
        }
        for refund in refunds {
            try journal.markAuthorizing(refund, identity: identity, at: at(2001))
            try journal.markUnknown(refund, reason: "no answer", at: at(2002))
        }
        #expect(throws: JournalError.severalOpen(attempt.paymentID, refunds)) {
            try close(journal, attempt.paymentID, as: .captured)
        }
        let other = try database.journal()
        #expect(throws: JournalError.notOurs(attempt: refunds[0], lease: journal.lease.number)) {
            try close(other, attempt.paymentID, attempt: refunds[0], as: .captured)
        }
        journal.lease.release()
        let refunded = try close(other, attempt.paymentID, attempt: refunds[0], as: .captured).payment
        #expect(try refunded.refundedAmount == usd(100) && refunded.errorCode == nil)
        #expect(try close(other, attempt.paymentID, as: .reversed).payment.refundedAmount == usd(100))
    }

    @Test func `an attempt without a result is for recovery first`() throws {
        let journal = try database.journal()
        let attempt = try sale(journal)
        #expect(throws: JournalError.unfinished(attempt.paymentID)) {
            try close(journal, attempt.paymentID, as: .failed)
        }
    }
}
