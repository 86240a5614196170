import Determinism
import GRDB
import Money
import Payments
import Testing

@testable import Storage

/// The exception file and offline sales.
@Suite struct CardRegisterTests {
    private let database: TemporaryDatabase
    private let storage: SQLiteStorageManager
    private let register: CardRegister

    init() throws {
        database = try TemporaryDatabase()
        storage = try database.open()
        register = CardRegister(storage: storage)
    }

    private func card(_ number: UInt8) throws -> CardFingerprint {
        try #require(CardFingerprint([UInt8](repeating: number, count: 16)))
    }

    private func entry(_ number: UInt8, _ sequenceNumber: UInt8? = nil) throws -> ExceptionCard {
        ExceptionCard(
            card: try card(number), sequenceNumber: sequenceNumber, last4: "0010", reason: "lost", addedAt: at(1))
    }

    @Test func `a card is added to the exception file once and can be removed`() throws {
        let added = try register.addExceptions([try entry(1), try entry(2), try entry(1), try entry(1, 3)])
        #expect(added.map(\.id) == [1, 2, 3])
        #expect(try register.addExceptions([try entry(2)]).isEmpty)
        #expect(try register.exceptions() == added)
        #expect(try register.removeExceptions(of: [try card(1), try card(9)]) == 2)
        #expect(try register.exceptions().map(\.id) == [2])
        #expect(try !register.removeExceptions([2, 7]))
        #expect(try register.exceptions().count == 1)
        #expect(try register.removeExceptions([2]))
        #expect(try register.exceptions().isEmpty)
    }

    @Test func `an entry without a sequence number matches every card with the number`() throws {
        try register.addExceptions([try entry(1), try entry(2, 5)])
        for number in [nil, 0, 99] as [UInt8?] {
            #expect(try register.isException(try card(1), sequenceNumber: number))
            #expect(try !register.isException(try card(2), sequenceNumber: number))
        }
        #expect(try register.isException(try card(2), sequenceNumber: 5))
        #expect(try !register.isException(try card(3), sequenceNumber: 5))
    }

    private func sell(_ minorUnits: Int64, by number: UInt8, at moment: Int64) throws {
        let journal = PaymentJournal(storage: storage, lease: try ProcessLease(in: storage))
        let attempt = try journal.beginSale(minorUnits, at: moment).attempt.id
        try journal.finish(
            attempt, as: .authorized, advice: "{}", offlineCard: try card(number), at: at(moment))
    }

    @Test func `offline sales are summed by card and currency since a time`() throws {
        try sell(3000, by: 1, at: 100)
        try sell(1000, by: 1, at: 200)
        try sell(500, by: 2, at: 200)
        let dollar = Currency.usDollar
        #expect(try register.offlineAmount(of: try card(1), in: dollar, since: at(100)) == 4000)
        #expect(try register.offlineAmount(of: try card(1), in: dollar, since: at(101)) == 1000)
        #expect(try register.offlineAmount(of: try card(2), in: dollar, since: at(0)) == 500)
        #expect(try register.offlineAmount(of: try card(1), in: try Currency(code: "EUR"), since: at(0)) == 0)
        try register.forgetOfflineSales(before: at(200))
        #expect(try register.offlineAmount(of: try card(1), in: dollar, since: at(0)) == 1000)
        try register.forgetOfflineSales(before: nil)
        #expect(try database.number("SELECT count(*) FROM offlineSale") == 0)
        #expect(try database.number("SELECT count(*) FROM payment") == 3)
    }

    @Test func `a rejected step records no offline sale`() throws {
        let journal = PaymentJournal(storage: storage, lease: try ProcessLease(in: storage))
        let attempt = try journal.beginSale().attempt.id
        #expect(throws: JournalError.self) {
            try journal.finish(attempt, as: .captured, offlineCard: try card(1), at: at(2))
        }
        #expect(try database.number("SELECT count(*) FROM offlineSale") == 0)
    }

    @Test func `the key's name is set once, and a failure sets nothing`() throws {
        struct Refusal: Error {}
        #expect(try register.keyName() == nil)
        try register.chooseKey { name, isInUse in
            #expect(name == nil && !isInUse)
            return "0123456789abcdef"
        }
        #expect(try register.keyName() == "0123456789abcdef")
        try register.addExceptions([try entry(1)])
        #expect(throws: Refusal.self) {
            try register.chooseKey { name, isInUse in
                #expect(name == "0123456789abcdef" && isInUse)
                throw Refusal()
            }
        }
        #expect(try register.removeEverything() == 1)
        try register.chooseKey { _, isInUse in
            #expect(!isInUse)
            return "fedcba9876543210"
        }
        #expect(try register.keyName() == "fedcba9876543210")
    }

    @Test(arguments: ["4761739001010010", "47617390010100104761739001010010X", "", "ABCDEFABCDEFABCDEFABCDEFABCDEFAB"])
    func `the tables accept only 32 lowercase hexadecimal digits for a card`(text: String) throws {
        for sql in [
            "INSERT INTO exceptionCard (card, last4, addedAt) VALUES ('\(text)', '0010', 1)",
            "INSERT INTO offlineSale (attemptID, card, amount, currency, madeAt) VALUES (1, '\(text)', 1, 'USD', 1)",
        ] {
            #expect(throws: DatabaseError.self) { try database.execute(sql) }
        }
    }

    @Test func `a card number in a reason is masked`() throws {
        try register.addExceptions([
            ExceptionCard(
                card: try card(1), sequenceNumber: nil, last4: "0010", reason: "4761739001010010 is lost",
                addedAt: at(1))
        ])
        #expect(try database.text("SELECT reason FROM exceptionCard") == "************0010 is lost")
    }

    @Test func `a fingerprint has 16 bytes`() {
        for count in [0, 15, 17, 32] { #expect(CardFingerprint([UInt8](repeating: 1, count: count)) == nil) }
    }
}
