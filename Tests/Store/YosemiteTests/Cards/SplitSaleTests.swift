import CardSecrets
import Determinism
import EMV
import Foundation
import Money
import Payments
import SimulatedTime
import Simulator
import Storage
import Synchronization
import Testing
import TillConfiguration

@testable import Yosemite

/// Sales that are split to stay below the floor limit (EMV Book 3 §10.6.1).
@Suite(.simulatedTime) struct SplitSaleTests {
    private func till(
        window: SplitSaleWindow = .day, database: TestDatabase? = nil
    ) throws -> TestTill {
        try TestTill("offline-approve") {
            $0.terminal = try .offlineCapable(floorLimit: 5_000)
            $0.splitSaleWindow = window
            $0.database = database
        }
    }

    private func exceedsFloorLimit(_ payment: Payment) throws -> Bool {
        let tvr = try #require(payment.card?.terminalVerificationResults)
        return try #require(UInt64(tvr, radix: 16)) & 0x8000 != 0
    }

    // EMV Book 3 §10.6.1: offline payments with the same card are added up, and the sum is compared with the floor
    // limit
    @Test func `of two offline sales of 30 with a floor limit of 50, the second one goes online`() async throws {
        let till = try till()
        try await till.connect()
        let first = try await till.collect("30.00")
        #expect(first.card?.authorizationResponseCode == "Y1")
        #expect(try !exceedsFloorLimit(first))
        let second = try await till.collect("30.00")
        #expect(second.card?.authorizationResponseCode == "00")
        #expect(try exceedsFloorLimit(second))
        // The issuer has seen the second one: only the first counts for the third.
        let third = try await till.collect("19.99")
        #expect(third.card?.authorizationResponseCode == "Y1")
        let fourth = try await till.collect("0.01")
        #expect(try exceedsFloorLimit(fourth))
        #expect(try await till.booksAgree())
    }

    @Test func `another till with the same records counts the first sale`() async throws {
        let database = try TestDatabase()
        #expect(try !exceedsFloorLimit(try await till(database: database).pay("30.00")))
        #expect(try exceedsFloorLimit(try await till(database: database).pay("30.00")))
    }

    @Test func `without a log each sale is checked separately`() async throws {
        let till = try till(window: .none)
        try await till.connect()
        for _ in 0..<3 { #expect(try !exceedsFloorLimit(try await till.collect("30.00"))) }
        let history = try StoredCardHistory(
            register: till.register, key: try CardKey.open(for: till.register, random: SeededRandomSource(seed: 9)),
            window: .day, time: till.clock)
        let amount = await history.recentAmount(
            try pan("5413330089010020"), sequenceNumber: 1, currency: .usDollar)
        #expect(amount == 0)
    }

    @Test func `declined and online sales are not in the log`() async throws {
        let till = try TestTill("offline-approve") { $0.terminal = try .offlineCapable(floorLimit: 5_000) }
        try await till.connect()
        #expect(try await till.collect("30.00", forcedOnline: true).card?.authorizationResponseCode == "00")
        #expect(try !exceedsFloorLimit(try await till.collect("30.00")))
    }

    struct Counting: Sendable {
        var window: SplitSaleWindow
        /// After noon for a day, after the payment for hours.
        var seconds: Int
        var amount: Int64
    }

    // EMV Book 3 §10.6.1: the log counts for the same account and currency, as long as its window lasts
    @Test(arguments: [
        Counting(window: .day, seconds: 0, amount: 3000), Counting(window: .day, seconds: 43_198, amount: 3000),
        Counting(window: .day, seconds: 43_201, amount: 0), Counting(window: .hours(1), seconds: 3590, amount: 3000),
        Counting(window: .hours(1), seconds: 3700, amount: 0),
        Counting(window: .hours(168), seconds: 86_400, amount: 3000),
        Counting(window: .none, seconds: 0, amount: 0),
    ])
    func `a sale counts until its window is over`(row: Counting) async throws {
        let till = try till()
        #expect(try await till.pay("30.00").outcome == .approved)
        let paid = try #require(try till.journal.payments().first).createdAt
        let midnight = Timestamp(milliseconds: paid.milliseconds / 86_400_000 * 86_400_000)
        // The day's window is measured from noon.
        let start = row.window == .day ? midnight.advanced(by: .seconds(12 * 3600)) : paid
        let time = VirtualTimeSource(start: start.advanced(by: .seconds(row.seconds)), offsetSeconds: 0)
        let history = try StoredCardHistory(
            register: till.register, key: try CardKey.open(for: till.register, random: SeededRandomSource(seed: 9)),
            window: row.window, time: time)
        let own = try pan("5413330089010020")
        let other = try pan("5413330089010012")
        #expect(await history.recentAmount(own, sequenceNumber: 1, currency: .usDollar) == row.amount)
        #expect(await history.recentAmount(own, sequenceNumber: nil, currency: .usDollar) == row.amount)
        #expect(await history.recentAmount(other, sequenceNumber: 1, currency: .usDollar) == 0)
        #expect(await history.recentAmount(own, sequenceNumber: 1, currency: try Currency(code: "EUR")) == 0)
    }

    @Test func `expired sales are deleted when the log is opened`() async throws {
        let till = try till()
        #expect(try await till.pay("30.00").outcome == .approved)
        let key = try CardKey.open(for: till.register, random: SeededRandomSource(seed: 9))
        let later = VirtualTimeSource(start: till.clock.now().advanced(by: .seconds(7200)), offsetSeconds: 0)
        _ = try StoredCardHistory(register: till.register, key: key, window: .hours(1), time: later)
        let history = try StoredCardHistory(register: till.register, key: key, window: .hours(168), time: later)
        let own = try pan("5413330089010020")
        #expect(await history.recentAmount(own, sequenceNumber: 1, currency: .usDollar) == 0)
    }

    @Test func `unreadable records send the payment online`() async throws {
        final class Failing: StorageManagerType {
            let storage: SQLiteStorageManager
            let isBroken = Mutex(false)
            init() throws { storage = try SQLiteStorageManager(inMemoryWith: SeededRandomSource(seed: 1)) }
            var path: String? { nil }
            func read<T>(_ query: (any StorageType) throws -> T) throws -> T {
                guard !isBroken.withLock({ $0 }) else { throw StorageError.busy(path: "x") }
                return try storage.read(query)
            }
            func performAndSave<T>(_ operation: (any StorageType) throws -> T) throws -> T {
                try storage.performAndSave(operation)
            }
            func observe<T: ObservableObject>(
                _ type: T.Type, onCommit: @escaping @Sendable (RowChanges, any StorageType) -> StorageNotification?
            ) -> StorageObservation {
                storage.observe(type, onCommit: onCommit)
            }
            func readBetweenCommits(_ query: (any StorageType) throws -> StorageNotification?) throws {
                try storage.readBetweenCommits(query)
            }

            func externalVersion() throws(StorageError) -> Int64 { try storage.externalVersion() }
        }
        let storage = try Failing()
        let register = CardRegister(storage: storage)
        let key = try CardKey.open(for: register, random: SeededRandomSource(seed: 9))
        let history = try StoredCardHistory(register: register, key: key, window: .none, time: VirtualTimeSource())
        storage.isBroken.withLock { $0 = true }
        let own = try pan("5413330089010020")
        #expect(await !history.isOnExceptionFile(own, sequenceNumber: 1))
        #expect(await history.recentAmount(own, sequenceNumber: 1, currency: .usDollar) == .max)
    }
}

/// A card's number from its digits.
func pan(_ digits: String) throws -> PrimaryAccountNumber {
    var values = digits.compactMap(\.hexDigitValue).map { UInt8($0) }
    if !values.count.isMultiple(of: 2) { values.append(0x0F) }
    return try PrimaryAccountNumber(
        compressedNumeric: stride(from: 0, to: values.count, by: 2).map { values[$0] << 4 | values[$0 + 1] })
}
