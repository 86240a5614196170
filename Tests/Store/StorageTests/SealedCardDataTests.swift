import Foundation
import GRDB
import Payments
import Testing

@testable import Storage

/// The enciphered card data that later messages demand, in the journal.
@Suite struct SealedCardDataTests {
    private let database: TemporaryDatabase
    private let sealed = SealedCardData((0..<90).map { UInt8($0) &* 7 &+ 1 })

    init() throws { database = try TemporaryDatabase() }

    private var identity: MessageIdentity {
        MessageIdentity(type: "0200", fields: [11: "000001"], destination: "acquirer.example:8583").keeping(sealed)
    }

    /// How many attempts have some.
    private var kept: Int {
        get throws { try database.number("SELECT count(*) FROM paymentAttempt WHERE sealedCardData IS NOT NULL") }
    }

    @Test func `it is in the journal before the request leaves, and not in the identity's text`() throws {
        let journal = try database.journal()
        let id = try journal.beginSale().attempt.id
        #expect(try kept == 0)
        try journal.markAuthorizing(id, identity: identity, at: at(1001))
        let stored = try database.rows("SELECT sealedCardData FROM paymentAttempt").map { $0[0] as Data }
        #expect(stored == [Data(sealed.bytes)])
        #expect(try journal.attempt(id).identity?.sealed == sealed)
        #expect(try database.text("SELECT messageIdentity FROM paymentAttempt")?.contains("sealed") == false)
        // A power cut now leaves it.
        let cut = try database.afterCut()
        #expect(try cut.journal().openAttempts().map(\.identity?.sealed) == [sealed])
    }

    @Test(arguments: [AttemptState.captured, .declined, .failed])
    func `the commit that ends the attempt wipes it`(_ state: AttemptState) throws {
        let journal = try database.journal()
        let id = try journal.beginSale().attempt.id
        try journal.markAuthorizing(id, identity: identity, at: at(1001))
        #expect(try journal.finish(id, as: state, at: at(1002)).attempt.identity?.sealed == nil)
        #expect(try kept == 0)
        #expect(try journal.attempt(id).identity?.fields == [11: "000001"])
        try database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        #expect(try database.bytes().range(of: Data(sealed.bytes)) == nil)
    }

    @Test func `a reversal keeps it until the host has confirmed`() throws {
        let journal = try database.journal()
        let id = try journal.beginSale().attempt.id
        try journal.markAuthorizing(id, identity: identity, at: at(1001))
        try journal.markReversing(id, reason: "timeout", at: at(1002))
        try journal.markUnknown(id, reason: "no answer", at: at(1003))
        #expect(try kept == 1)
        try journal.finish(id, as: .reversed, at: at(1004))
        #expect(try kept == 0)
    }

    @Test func `an advice keeps it until it was sent, also when its payment has ended`() throws {
        let journal = try database.journal()
        let declined = try journal.beginSale().attempt.id
        try journal.keepAdvice("{}", identity: identity, for: declined)
        try journal.finish(declined, as: .declined, at: at(1002))
        #expect(try kept == 1)
        try journal.forgetAdvice(for: declined)
        #expect(try kept == 0)
        let offline = try journal.beginSale(order: nil).attempt.id
        try journal.finish(offline, as: .authorized, advice: "{}", identity: identity, at: at(1003))
        #expect(try kept == 1)
        try journal.finish(offline, as: .captured, at: at(1004))
        #expect(try kept == 0)
    }

    private func hold(_ journal: PaymentJournal) throws -> JournalEntry {
        let begun = try journal.begin(
            siteID: 0, orderID: nil, amount: try usd(15_000), heldUntil: at(9000), hostName: "iso8583", at: at(1000))
        try journal.markAuthorizing(begun.attempt.id, identity: identity, at: at(1001))
        return try journal.finish(begun.attempt.id, as: .authorizedOnly, at: at(1002))
    }

    @Test func `a pre-authorization keeps it until it is captured or canceled`() throws {
        let journal = try database.journal()
        let (captured, canceled) = (try hold(journal), try hold(journal))
        #expect(try kept == 2)
        let begun = try journal.beginCapture(of: captured.payment.id, amount: nil, advice: "{}", at: at(2000))
        #expect(begun.attempt.identity?.sealed == sealed)
        #expect(try kept == 2)
        try journal.finish(captured.attempt.id, as: .captured, at: at(2001))
        #expect(try kept == 1)
        _ = try journal.beginCancellation(of: canceled.payment.id, at: at(2002))
        #expect(try kept == 1)
        try journal.finish(canceled.attempt.id, as: .reversed, at: at(2003))
        #expect(try kept == 0)
    }

    @Test func `a pre-authorization that has expired loses it, and stays held`() throws {
        let journal = try database.journal()
        let held = try hold(journal)
        try journal.wipeExpiredCardData(at: at(8999))
        #expect(try kept == 1)
        try journal.wipeExpiredCardData(at: at(9000))
        #expect(try kept == 0)
        #expect(try journal.attempt(held.attempt.id).state == .authorizedOnly)
    }

    @Test func `the database itself refuses it for an attempt that has ended`() throws {
        let journal = try database.journal()
        let id = try journal.capturedSale().attempt.id
        #expect(throws: DatabaseError.self) {
            try database.execute("UPDATE paymentAttempt SET sealedCardData = zeroblob(90) WHERE id = \(id)")
        }
        let open = try journal.beginSale(order: nil).attempt.id
        // A card number has at most 19 digits, and no text is taken.
        for value in ["'4761739001010010'", "zeroblob(60)", "x'4761739001010010'"] {
            #expect(throws: DatabaseError.self) {
                try database.execute("UPDATE paymentAttempt SET sealedCardData = \(value) WHERE id = \(open)")
            }
        }
    }

    @Test func `a database of schema 19 has room for it, and none yet`() throws {
        let old = try ReleasedDatabase.make(version: 19)
        _ = try old.open(seed: 2)
        #expect(try old.number("SELECT count(*) FROM paymentAttempt WHERE sealedCardData IS NULL") == 1)
        #expect(try old.text("PRAGMA integrity_check") == "ok")
    }
}
