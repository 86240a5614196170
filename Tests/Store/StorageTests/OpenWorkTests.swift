import Foundation
import Payments
import Testing

@testable import Storage

@Suite struct OpenWorkTests {
    private let database: TemporaryDatabase
    private let order = OrderToPay(
        siteID: 7, siteAddress: "https://shop.example", storeName: "Corner Shop", orderID: 43, orderNumber: "A-43",
        gateway: "woocommerce-payments")

    init() throws { database = try TemporaryDatabase() }

    private var files: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: database.folder.path).sorted() }
    }

    /// A payment of the order that is taken.
    @discardableResult
    private func captured(_ journal: PaymentJournal) throws -> PaymentID {
        let begun = try journal.begin(order, amount: try usd(1250), hostName: "simulated", at: at(1000))
        try journal.markAuthorizing(begun.attempt.id, at: at(1001))
        return try journal.finish(begun.attempt.id, as: .captured, at: at(1002)).payment.id
    }

    /// The open work. The database's only identity is its own, with the number of its payments.
    private func work() throws -> OpenWork {
        var work = try OpenWork(of: database.path)
        #expect(work.identities.map(\.isCurrent) == [true])
        #expect(work.identities.map(\.lastNumber) == [Int64(work.payments)])
        work.identities = []
        return work
    }

    @Test(arguments: [false, true])
    func `unfinished and pending payments are counted without a change`(isOpenElsewhere: Bool) throws {
        var till: PaymentJournal? = try database.journal()
        _ = try till?.capturedSale()
        _ = try till?.beginSale(700)
        if let till { try captured(till) }
        // The last connection deletes the files beside the database.
        if !isOpenElsewhere { till = nil }
        let before = try files
        #expect(before.contains { $0.hasSuffix("-wal") } == isOpenElsewhere)
        let seen = try work()
        #expect(seen == OpenWork(payments: 3, unfinished: 1, pending: 1))
        #expect(try files == before)
        withExtendedLifetime(till) {}
    }

    @Test func `a payment that the store refused is to be reviewed until it is refunded`() throws {
        do {
            let journal = try database.journal()
            try captured(journal)
        }
        try database.execute("UPDATE siteCapture SET state = 'refused'")
        #expect(try work() == OpenWork(payments: 1, toReview: 1))
        try database.execute("UPDATE payment SET state = 'refunded', refundedAmount = amount")
        #expect(try work() == OpenWork(payments: 1))
    }

    @Test func `an advice that was not sent leaves its payment unfinished`() throws {
        do {
            let journal = try database.journal()
            let begun = try journal.beginSale()
            try journal.finish(begun.attempt.id, as: .authorized, advice: "{}", at: at(1001))
        }
        #expect(try OpenWork(of: database.path).unfinished == 1)
    }

    @Test func `a new database has nothing to do, and a missing one is not created`() throws {
        #expect(throws: StorageError.missing(path: database.path)) { _ = try OpenWork(of: database.path) }
        #expect(try files.isEmpty)
        _ = try database.open()
        #expect(try work() == OpenWork())
    }

    @Test func `a folder, another file, and an older schema are errors`() throws {
        #expect(throws: StorageError.notADatabase(path: database.folder.path)) {
            _ = try OpenWork(of: database.folder.path)
        }
        let text = database.folder.path + "/text"
        try Data(String(repeating: "no database ", count: 100).utf8).write(to: URL(fileURLWithPath: text))
        #expect(throws: StorageError.self) { _ = try OpenWork(of: text) }
        let old = try ReleasedDatabase.make(version: 3)
        #expect(throws: StorageError.self) { _ = try OpenWork(of: old.path) }
        #expect(try old.number("PRAGMA user_version") == 3)
    }

    @Test func `changes that only the log has are not guessed`() throws {
        let till = try database.journal()
        _ = try till.beginSale()
        let copy = try database.afterCut()
        #expect(throws: StorageError.notReadable(path: copy.path, reason: "its last changes are in its -wal file")) {
            _ = try OpenWork(of: copy.path)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: copy.folder.path).count == 2)
        withExtendedLifetime(till) {}
    }
}
