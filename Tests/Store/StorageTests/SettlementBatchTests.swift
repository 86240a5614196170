import GRDB
import Money
import Payments
import Testing

@testable import Storage

@Suite struct SettlementBatchTests {
    private let database: TemporaryDatabase
    private let place = SettlementPlace(
        hostName: "iso8583", destination: "acquirer.example:8583", terminal: "TERM0001")

    init() throws { database = try TemporaryDatabase() }

    /// An attempt that went to the host, and has a result.
    @discardableResult
    private func attempt(
        _ journal: PaymentJournal, _ amount: String = "12.50 USD", as state: AttemptState = .captured,
        at destination: String = "acquirer.example:8583", terminal: String = "TERM0001", type: String = "0200"
    ) throws -> JournalEntry {
        let parts = amount.split(separator: " ").map(String.init)
        let money = try Money(parts[0], currency: Currency(code: parts[1]))
        let entry = try journal.begin(siteID: 0, orderID: nil, amount: money, hostName: "iso8583", at: at(1000))
        let identity = MessageIdentity(type: type, fields: [41: terminal], destination: destination)
        try journal.markAuthorizing(entry.attempt.id, identity: identity, at: at(1001))
        if state == .reversed { try journal.markReversing(entry.attempt.id, reason: "timeout", at: at(1002)) }
        return try journal.finish(entry.attempt.id, as: state, at: at(1003))
    }

    private func refund(_ journal: PaymentJournal, _ sale: JournalEntry, _ minorUnits: Int64) throws {
        let refund = try journal.beginRefund(
            of: sale.payment.id, amount: try usd(minorUnits), hostName: "iso8583", at: at(2000)
        ).attempt
        let identity = MessageIdentity(
            type: "0200", fields: [41: "TERM0001"], destination: "acquirer.example:8583")
        try journal.markAuthorizing(refund.id, identity: identity, at: at(2001))
        try journal.finish(refund.id, as: .captured, at: at(2002))
    }

    private func settle(
        _ journal: PaymentJournal, countingReversed: Bool = true, in currency: String = "USD"
    ) throws -> SettlementBatch? {
        try journal.beginSettlement(
            at: place, in: try Currency(code: currency), countingReversed: countingReversed, moment: at(5000)
        ) { batch, message in
            MessageIdentity(type: "0500", fields: [11: "\(message)", 60: "\(batch)"], destination: place.destination)
        }
    }

    @Test func `a batch has sales, refunds, and what was taken back, and nothing that moved no money`() throws {
        let journal = try database.journal()
        let sale = try attempt(journal)
        try attempt(journal, "7.00 USD", as: .reversed)
        // A hold that was given back.
        try attempt(journal, "3.00 USD", as: .reversed, type: "0100")
        try attempt(journal, "1.00 USD", as: .declined)
        try attempt(journal, "2.00 USD", as: .failed)
        try refund(journal, sale, 250)
        let batch = try #require(try settle(journal))
        #expect(batch.totals.debits == .init(count: 2, amount: 1950))
        #expect(batch.totals.debitReversals == .init(count: 1, amount: 700))
        #expect(batch.totals.credits == .init(count: 1, amount: 250))
        #expect(batch.totals.creditReversals == .init())
        #expect(batch.totals.net == 1000)
        #expect((batch.number, batch.state, batch.tries, batch.openedAt) == (1, .sent, 1, at(1000)))
        #expect(batch.request[60] == "1")
        #expect(try journal.attempts(inBatch: batch.id).count == 3)
        #expect(try journal.batches(at: place) == [batch])
    }

    @Test func `a host may want nothing of what was taken back`() throws {
        let journal = try database.journal()
        try attempt(journal)
        try attempt(journal, "7.00 USD", as: .reversed)
        let totals = try settle(journal, countingReversed: false)?.totals
        #expect(totals == SettlementTotals(debits: .init(count: 1, amount: 1250)))
    }

    @Test func `a batch without an answer is repeated with the same totals, also by another process`() throws {
        let journal = try database.journal()
        try attempt(journal)
        let first = try #require(try settle(journal))
        // A process that was killed wrote no more than this.
        let cut = try database.afterCut()
        for database in [database, cut] {
            let journal = try database.journal()
            try attempt(journal, "5.00 USD")
            let second = try #require(try settle(journal))
            #expect((second.totals, second.request, second.message) == (first.totals, first.request, first.message))
            #expect(second.tries == 2)
            #expect(try database.number("SELECT count(*) FROM batchAttempt") == 1)
            let closed = try journal.closeBatch(second, code: "00", hostTotals: nil, at: at(6000))
            #expect((closed.state, closed.responseCode, closed.closedAt) == (.closed, "00", at(6000)))
            // What came meanwhile belongs to the next batch.
            let next = try #require(try settle(journal))
            #expect((next.number, next.totals.debits) == (2, .init(count: 1, amount: 500)))
            #expect(next.request[11] == "2")
        }
    }

    @Test func `a batch that the host refused is added up again, with the number that it had`() throws {
        let journal = try database.journal()
        try attempt(journal)
        let batch = try #require(try settle(journal))
        let host = SettlementTotals(debits: .init(count: 2, amount: 2500))
        let open = try journal.reopenBatch(batch, code: "95", hostTotals: host, reason: "other totals")
        #expect((open.state, open.hostTotals, open.responseCode) == (.open, host, "95"))
        #expect(try journal.currenciesToSettle(at: place).map(\.code) == ["USD"])
        try attempt(journal)
        let again = try #require(try settle(journal))
        #expect((again.id, again.number, again.message, again.tries) == (batch.id, 1, 2, 1))
        #expect(again.totals == host && again.hostTotals == nil && again.responseCode == nil)
        // A late answer to the first message changes nothing.
        #expect(try journal.closeBatch(batch, code: "00", hostTotals: nil, at: at(6000)).state == .sent)
    }

    @Test func `a closed batch never changes, and an attempt never gets another batch`() throws {
        let journal = try database.journal()
        try attempt(journal)
        let batch = try #require(try settle(journal))
        _ = try journal.closeBatch(batch, code: "00", hostTotals: nil, at: at(6000))
        #expect(try settle(journal) == nil)
        #expect(try journal.currenciesToSettle(at: place).isEmpty)
        for sql in [
            "UPDATE batch SET state = 'open', closedAt = NULL", "DELETE FROM batch", "DELETE FROM batchAttempt",
            "UPDATE batchAttempt SET batchID = 2", "INSERT INTO batchAttempt VALUES (1, 1)",
        ] {
            #expect(throws: DatabaseError.self) { try database.execute(sql) }
        }
    }

    @Test func `each currency, terminal, and host has a batch of its own`() throws {
        let journal = try database.journal()
        try attempt(journal)
        try attempt(journal, "3.00 EUR")
        try attempt(journal, "9.00 USD", terminal: "TERM0002")
        try attempt(journal, "8.00 USD", at: "other.example:8583")
        #expect(try journal.currenciesToSettle(at: place).map(\.code) == ["EUR", "USD"])
        let batches = try ["EUR", "USD"].map { try settle(journal, in: $0) }
        #expect(batches.map { $0?.totals.net } == [300, 1250])
        #expect(batches.map { $0?.number } == [1, 2])
        #expect(try journal.attemptsWithoutBatch(at: place).isEmpty)
    }

    @Test func `open transactions of the host come before a settlement`() throws {
        let journal = try database.journal()
        let open = try journal.begin(
            siteID: 0, orderID: nil, amount: try usd(100), hostName: "iso8583", at: at(1)
        ).attempt.id
        _ = try journal.beginSale()
        let other = MessageIdentity(type: "0200", fields: [:], destination: "other.example:8583")
        let elsewhere = try journal.begin(
            siteID: 0, orderID: nil, amount: try usd(100), hostName: "iso8583", at: at(1)
        ).attempt.id
        try journal.markAuthorizing(elsewhere, identity: other, at: at(2))
        let authorized = try attempt(journal, as: .authorized).attempt.id
        #expect(try journal.attemptsBeforeSettlement(at: place).map(\.id) == [open])
        try journal.keepAdvice("{}", for: authorized)
        #expect(try journal.attemptsBeforeSettlement(at: place).map(\.id) == [open, authorized])
    }

    @Test(arguments: 1...16)
    func `what an earlier schema has belongs to the first batch`(_ version: Int) throws {
        let old = try ReleasedDatabase.make(
            version: version, more: "UPDATE paymentAttempt SET hostName = 'iso8583'")
        let journal = try old.journal()
        #expect(try old.number("SELECT count(*) FROM batch") == 0)
        let batch = try #require(try settle(journal))
        #expect((batch.number, batch.totals.debits) == (1, .init(count: 1, amount: 1250)))
        #expect(try journal.attempts(inBatch: batch.id).map(\.id) == [1])
    }

    /// Makes the database one that was restored from a backup, at a host that knows no numbers.
    private func restore(_ journal: PaymentJournal) throws {
        let question = try journal.identitiesToConfirm(hostName: "iso8583")
        // What `restore` writes: the former identity, without a host.
        try journal.replaceIdentity(question.current, by: "00000000000000aa", hostName: "", at: at(7000))
        let answer = IdentityAnswer(
            current: "00000000000000aa", numbers: [:], hostName: "iso8583", knowsNumbers: false)
        let found = try journal.confirmIdentity(answer, successor: "00000000000000bb", at: at(7001))
        #expect(found?.map(\.state) == [.restored])
    }

    @Test func `after a restore the numbers go on behind a gap`() throws {
        let journal = try database.journal()
        try attempt(journal)
        _ = try journal.closeBatch(try #require(try settle(journal)), code: "00", hostTotals: nil, at: at(6000))
        try restore(journal)
        #expect(try journal.attemptsOfBackupToSettle(at: place).isEmpty)
        let next = try attempt(journal).attempt
        #expect((next.id, next.stan) == (10_002, 10_002))
        let batch = try #require(try settle(journal))
        #expect((batch.number, batch.message) == (102, 102))
        _ = try journal.closeBatch(batch, code: "00", hostTotals: nil, at: at(8000))
        try attempt(journal)
        #expect(try settle(journal)?.number == 103)
    }

    @Test func `what a backup has without a batch waits for a person`() throws {
        let journal = try database.journal()
        try attempt(journal)
        let refused = try #require(try settle(journal))
        _ = try journal.reopenBatch(refused, code: "95", hostTotals: nil, reason: "other totals")
        let free = try attempt(journal, "7.00 USD").attempt
        try attempt(journal, "3.00 EUR")
        #expect(try journal.attemptsOfBackupToSettle(at: place).isEmpty)
        try restore(journal)
        let later = try attempt(journal, "5.00 USD").attempt
        #expect(try journal.attemptsOfBackupToSettle(at: place).map(\.id) == [1, free.id, 3])
        let closed = try journal.closeBatchesOfBackup(at: place, moment: at(9000)) { batch, message in
            MessageIdentity(type: "0500", fields: [11: "\(message)", 60: "\(batch)"], destination: place.destination)
        }
        #expect(closed.map(\.state) == [.closed, .closed, .closed])
        #expect(closed.map(\.currency.code) == ["USD", "EUR", "USD"])
        #expect(closed.first?.id == refused.id)
        #expect(Set(try journal.batches(at: place).map(\.number)).count == 3)
        #expect(try journal.attemptsOfBackupToSettle(at: place).isEmpty)
        #expect(try journal.attemptsWithoutBatch(at: place).map(\.id) == [later.id])
        #expect(try settle(journal)?.totals.debits == .init(count: 1, amount: 500))
    }

    @Test func `a batch of a backup that was sent is repeated, and needs no decision`() throws {
        let journal = try database.journal()
        try attempt(journal)
        let sent = try #require(try settle(journal))
        try restore(journal)
        #expect(try journal.attemptsOfBackupToSettle(at: place).isEmpty)
        let again = try #require(try settle(journal))
        #expect((again.id, again.message, again.tries) == (sent.id, sent.message, 2))
    }

    @Test func `batch numbers begin again after 999,999`() {
        #expect(SettlementBatch.number(after: nil, skipping: 100) == 101)
        #expect(SettlementBatch.number(after: 999_950, skipping: 100) == 52)
        #expect(SettlementBatch.number(after: nil) == 1)
        #expect(SettlementBatch.number(after: 41) == 42)
        #expect(SettlementBatch.number(after: 999_999) == 1)
    }
}
