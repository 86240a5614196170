import Determinism
import Money
import Payments
import Testing

@testable import Storage

/// Increments of pre-authorizations in the journal.
@Suite struct IncrementTests {
    private let database: TemporaryDatabase

    init() throws { database = try TemporaryDatabase() }

    private let identity = MessageIdentity(type: "0100", fields: [11: "000001", 12: "120000", 13: "0102"])

    /// A payment of 150.00 that is held until 9000.
    private func hold(_ journal: PaymentJournal) throws -> PaymentID {
        let begun = try journal.begin(
            siteID: 0, orderID: nil, amount: try usd(15_000), heldUntil: at(9000), hostName: "iso8583", at: at(1000))
        try journal.markAuthorizing(begun.attempt.id, identity: identity, at: at(1001))
        return try journal.finish(
            begun.attempt.id, as: .authorizedOnly, details: PaymentDetails(card: .read(lastFour: "0010")), at: at(1002)
        ).payment.id
    }

    private func begin(
        _ journal: PaymentJournal, _ id: PaymentID, _ amount: Int64 = 2000, at moment: Int64 = 2000
    ) throws -> PaymentAttempt {
        try journal.beginIncrement(of: id, amount: try usd(amount), hostName: "iso8583", at: at(moment)).entry.attempt
    }

    private func raise(
        _ journal: PaymentJournal, _ id: PaymentID, _ amount: Int64, until: Int64? = nil
    ) throws -> Payment {
        let attempt = try begin(journal, id, amount)
        try journal.markAuthorizing(attempt.id, at: at(2001))
        return try journal.finish(attempt.id, as: .authorizedOnly, heldUntil: until.map(at), at: at(2002)).payment
    }

    @Test func `an increment is in the journal before it is sent, and raises nothing before it is approved`() throws {
        let journal = try database.journal()
        let id = try hold(journal)
        let attempt = try begin(journal, id)
        #expect(attempt.kind == .increment && attempt.state == .created && attempt.stan == 2)
        #expect(try journal.payment(id).amount == usd(15_000))
        #expect(try database.text("SELECT kind FROM paymentAttempt WHERE id = 2") == "increment")
        try journal.markAuthorizing(attempt.id, at: at(2001))
        #expect(try journal.payment(id).amount == usd(15_000))
        let raised = try journal.finish(attempt.id, as: .authorizedOnly, at: at(2002)).payment
        #expect(try raised.amount == usd(17_000) && raised.state == .authorized && raised.standing == .held)
        #expect(
            raised.preauthorization
                == Preauthorization(
                    authorized: try usd(17_000), expiresAt: at(9000),
                    increments: [HoldIncrement(amount: try usd(2000), approvedAt: at(2002))]))
        #expect(try journal.payment(id) == raised)
        #expect(try journal.attempt(1).amount == usd(17_000))
        #expect(try journal.isRaised(id))
        #expect(try journal.openAttempts().isEmpty && journal.attemptsAwaitingHost().isEmpty)
    }

    @Test func `several increments add up, and the sum is captured once`() throws {
        let journal = try database.journal()
        let id = try hold(journal)
        _ = try raise(journal, id, 2000)
        let raised = try raise(journal, id, 3000)
        #expect(raised.preauthorization?.increments.map(\.amount.minorUnits) == [2000, 3000])
        #expect(
            throws: JournalError.captureTooLarge(id, requested: try usd(20_001), authorized: try usd(20_000))
        ) { try journal.beginCapture(of: id, amount: try usd(20_001), advice: "{}", at: at(3000)) }
        let begun = try journal.beginCapture(of: id, amount: nil, advice: "{}", at: at(3000))
        #expect(try begun.attempt.id == 1 && begun.payment.amount == usd(20_000))
        #expect(throws: JournalError.notCapturable(id, .captured(try usd(20_000)))) { try begin(journal, id) }
        // Nothing of an increment is settled.
        let place = SettlementPlace(hostName: "iso8583", destination: "host:1", terminal: "T")
        try journal.finish(begun.attempt.id, as: .captured, at: at(3001))
        #expect(try journal.attemptsWithoutBatch(at: place).map(\.id) == [1])
    }

    @Test(arguments: [AttemptState.declined, .failed, .reversed, .unknown])
    func `an increment that is not approved leaves what is held as it was`(state: AttemptState) throws {
        let journal = try database.journal()
        let id = try hold(journal)
        let before = try journal.payment(id)
        let attempt = try begin(journal, id)
        try journal.markAuthorizing(attempt.id, at: at(2001))
        if state == .reversed { try journal.markReversing(attempt.id, reason: "timeout", at: at(2002)) }
        if state == .unknown {
            try journal.markUnknown(attempt.id, reason: "no answer", at: at(2003))
            #expect(throws: JournalError.incrementOpen(id)) { try begin(journal, id) }
        } else {
            try journal.finish(attempt.id, as: state, at: at(2003))
            #expect(try begin(journal, id).state == .created)
        }
        var after = try journal.payment(id)
        after.updatedAt = before.updatedAt
        #expect(after == before)
        #expect(try !journal.isRaised(id))
    }

    @Test func `two processes raise one after the other, and a running increment stops a capture`() throws {
        let (one, other) = (try database.journal(), try database.journal())
        let id = try hold(one)
        let attempt = try begin(one, id)
        #expect(throws: JournalError.incrementOpen(id)) { try begin(other, id) }
        #expect(throws: JournalError.incrementOpen(id)) {
            try other.beginCapture(of: id, amount: nil, advice: "{}", at: at(2001))
        }
        #expect(throws: JournalError.incrementOpen(id)) { try other.beginCancellation(of: id, at: at(2001)) }
        #expect(try other.openAttempts().isEmpty)
        try one.markAuthorizing(attempt.id, at: at(2001))
        try one.finish(attempt.id, as: .authorizedOnly, at: at(2002))
        #expect(try raise(other, id, 1000).amount == usd(18_000))
        #expect(try other.beginCapture(of: id, amount: nil, advice: "{}", at: at(3000)).payment.amount == usd(18_000))
    }

    @Test func `what a killed process began is found, and stops no capture`() throws {
        let journal = try database.journal()
        let id = try hold(journal)
        _ = try begin(journal, id)
        let copy = try database.afterCut()
        let later = try copy.journal()
        #expect(try later.openAttempts().map(\.kind) == [.increment])
        let begun = try later.beginCapture(of: id, amount: nil, advice: "{}", at: at(3000))
        #expect(try begun.payment.amount == usd(15_000))
        // An approval that comes to light later changes nothing of the capture.
        let attempt = try #require(try later.openAttempts().first { $0.kind == .increment })
        try later.markAuthorizing(attempt.id, at: at(3001))
        let payment = try later.finish(attempt.id, as: .authorizedOnly, at: at(3002)).payment
        #expect(try payment.amount == usd(15_000) && payment.preauthorization?.increments.isEmpty == true)
    }

    @Test func `an expired hold is not raised, and an increment renews one only when it is asked to`() throws {
        let journal = try database.journal()
        let id = try hold(journal)
        #expect(throws: JournalError.holdExpired(id, at(9000))) { try begin(journal, id, at: 9000) }
        #expect(try raise(journal, id, 2000).preauthorization?.expiresAt == at(9000))
        #expect(try raise(journal, id, 2000, until: 20_000).preauthorization?.expiresAt == at(20_000))
        #expect(try begin(journal, id, at: 9000).state == .created)
    }

    @Test func `another attempt holds as long as the one before, and has no increments`() throws {
        let journal = try database.journal()
        let id = try hold(journal)
        _ = try raise(journal, id, 2000)
        let canceled = try journal.beginCancellation(of: id, at: at(3000)).attempt
        try journal.finish(canceled.id, as: .reversed, at: at(3001))
        let again = try journal.retry(id, hostName: "iso8583", at: at(50_000))
        #expect(
            again.payment.preauthorization == Preauthorization(authorized: try usd(17_000), expiresAt: at(58_000)))
        try journal.markAuthorizing(again.attempt.id, identity: identity, at: at(50_001))
        let held = try journal.finish(again.attempt.id, as: .authorizedOnly, at: at(50_002)).payment
        #expect(held.preauthorization?.expiresAt == at(58_000) && held.preauthorization?.increments == [])
        #expect(try !journal.isRaised(id))
        #expect(try raise(journal, id, 500).preauthorization?.increments.map(\.amount) == [usd(500)])
    }

    @Test func `nothing, too much, and another currency are refused`() throws {
        let journal = try database.journal()
        let id = try hold(journal)
        #expect(throws: JournalError.notCapturable(id, .held)) { try begin(journal, id, 0) }
        #expect(throws: JournalError.self) { try begin(journal, id, Money.maximumMinorUnits) }
        let euros = try Money(minorUnits: 100, currency: Currency(code: "EUR"))
        #expect(throws: JournalError.money(.currencyMismatch("USD", "EUR"))) {
            try journal.beginIncrement(of: id, amount: euros, hostName: "iso8583", at: at(2000))
        }
        let sale = try journal.beginSale()
        #expect(throws: JournalError.notCapturable(sale.payment.id, .none)) { try begin(journal, sale.payment.id) }
        #expect(try database.number("SELECT count(*) FROM paymentAttempt WHERE kind = 'increment'") == 0)
    }

    @Test func `a database of the schema before keeps its rows and takes increments`() throws {
        let place = try #require(SchemaMigrator.current.steps.firstIndex { $0.sql.contains("''increment''") })
        let old = try ReleasedDatabase.make(version: place)
        let before = try old.rows("SELECT * FROM attemptTransition")
        let journal = try old.journal()
        #expect(try old.text("PRAGMA integrity_check") == "ok")
        #expect(try old.rows("PRAGMA foreign_key_check").isEmpty)
        #expect(try old.rows("SELECT * FROM attemptTransition") == before)
        let id = try hold(journal)
        #expect(try raise(journal, id, 2000).amount == usd(17_000))
        #expect(throws: (any Error).self) { try old.execute("UPDATE paymentAttempt SET kind = 'raise'") }
    }

    @Test func `a batch that differs is closed with the host's totals, and keeps ours`() throws {
        let journal = try database.journal()
        let place = SettlementPlace(hostName: "simulated", destination: "host:1", terminal: "T")
        let sale = try journal.beginSale()
        try journal.markAuthorizing(sale.attempt.id, at: at(1001))
        try journal.finish(sale.attempt.id, as: .captured, at: at(1002))
        let sent = try #require(
            try journal.beginSettlement(
                at: place, in: sale.payment.amount.currency, countingReversed: true, moment: at(2000)
            ) { _, _ in identity })
        // Without an answer there is nothing to accept.
        #expect(try journal.acceptHost(sent, at: at(2001)).state == .sent)
        let host = SettlementTotals(debits: SettlementTotals.Line(count: 2, amount: 1950))
        let open = try journal.reopenBatch(sent, code: "95", hostTotals: host, reason: "other totals")
        let closed = try journal.acceptHost(open, at: at(3000))
        #expect(closed.state == .closed && closed.isHostAccepted && closed.closedAt == at(3000))
        #expect(closed.totals == sent.totals && closed.hostTotals == host && closed.responseCode == "95")
        #expect(try journal.batches() == [closed])
        #expect(try journal.currenciesToSettle(at: place).isEmpty)
        #expect(throws: (any Error).self) { try database.execute("UPDATE batch SET isHostAccepted = 0") }
    }
}
