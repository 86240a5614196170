import Determinism
import Foundation
import Money
import Payments
import Storage
import Testing

/// The power fails around a settlement. The acquirer's book is elsewhere: it closes a batch once, and agrees with a
/// repeat of the same totals.
@Suite struct SettlementPowerCutTests {
    private static let setting = ProcessInfo.processInfo.environment["CARDPRESENT_CRASH_IMAGES"]
    private let place = SettlementPlace(
        hostName: "iso8583", destination: "acquirer.example:8583", terminal: "TERM0001")

    /// The batches that the acquirer has closed, by number.
    private struct AcquirerBook {
        var batches: [Int64: SettlementTotals] = [:]

        /// Returns whether the acquirer agrees.
        mutating func settle(_ batch: SettlementBatch) -> Bool {
            guard let first = batches[batch.number] else {
                batches[batch.number] = batch.totals
                return true
            }
            return first == batch.totals
        }
    }

    /// Sells, as a host would have it that was asked and approved.
    private func sell(_ minorUnits: Int64, in journal: PaymentJournal) throws {
        let attempt = try journal.begin(
            siteID: 0, orderID: nil, amount: Money(minorUnits: minorUnits, currency: .usDollar), hostName: "iso8583",
            at: Timestamp(milliseconds: 1000)
        ).attempt
        let identity = MessageIdentity(type: "0200", fields: [41: "TERM0001"], destination: place.destination)
        try journal.markAuthorizing(attempt.id, identity: identity, at: Timestamp(milliseconds: 1001))
        try journal.finish(attempt.id, as: .captured, at: Timestamp(milliseconds: 1002))
    }

    /// Settles; `heard` is called when the acquirer has booked, before its answer.
    private func settle(
        _ journal: PaymentJournal, with book: inout AcquirerBook, heard: () -> Void = {}
    ) throws -> SettlementBatch? {
        let batch = try journal.beginSettlement(
            at: place, in: .usDollar, countingReversed: true, moment: Timestamp(milliseconds: 5000)
        ) { batch, message in
            MessageIdentity(type: "0500", fields: [11: "\(message)", 60: "\(batch)"], destination: place.destination)
        }
        guard let batch else { return nil }
        let agrees = book.settle(batch)
        heard()
        guard agrees else {
            return try journal.reopenBatch(batch, code: "95", hostTotals: book.batches[batch.number], reason: "differs")
        }
        return try journal.closeBatch(batch, code: "00", hostTotals: nil, at: Timestamp(milliseconds: 6000))
    }

    private struct Settlements {
        var base: DiskImage
        var records: [DiskRecord]
        /// The acquirer's book after each of its entries.
        var books: [AcquirerBook]
        /// What a person was shown after each settlement.
        var shown: [SettlementBatch]
    }

    /// Two batches, of two sales and of one.
    private func record(_ durability: Durability) throws -> Settlements {
        let database = try TestDatabase()
        try DatabaseTemplate().copy(to: database.path, random: SeededRandomSource(seed: 1))
        let disk = try CrashDisk(recording: database.path)
        let storage = try SQLiteStorageManager(
            path: database.path, durability: durability, random: SeededRandomSource(seed: 1))
        let journal = PaymentJournal(storage: storage, lease: try ProcessLease(in: storage))
        var (book, books, shown): (AcquirerBook, [AcquirerBook], [SettlementBatch]) = (AcquirerBook(), [], [])
        for sales in [[1250, 700], [300]] as [[Int64]] {
            for sale in sales { try sell(sale, in: journal) }
            let batch = try settle(journal, with: &book) { disk.mark(Int64(books.count + 1)) }
            books.append(book)
            shown.append(try #require(batch))
            disk.mark(-Int64(shown.count))
        }
        return Settlements(base: disk.base, records: disk.records(), books: books, shown: shown)
    }

    /// Settles what a power cut left, with the acquirer's book as it was, and compares.
    private func findings(_ settlements: Settlements, at cuts: [DiskCut]) async throws -> [String] {
        var findings: [String] = []
        try await settlements.records.forEachImage(of: settlements.base, at: cuts) { cut, image in
            let marks = settlements.records.prefix(cut.moment).compactMap { record -> Int? in
                guard case .mark(let number) = record.request else { return nil }
                return Int(number)
            }
            var book = marks.max().flatMap { $0 > 0 ? settlements.books[$0 - 1] : nil } ?? AcquirerBook()
            let shown = settlements.shown.prefix(max(0, -(marks.min() ?? 0)))
            for finding in try self.findings(image, &book, Array(shown)) {
                findings.append("after \(cut.moment) records, \(cut.cut): \(finding)")
            }
        }
        return findings
    }

    private func findings(
        _ image: DiskImage, _ book: inout AcquirerBook, _ shown: [SettlementBatch]
    ) throws -> [String] {
        let database = try TestDatabase()
        let folder = URL(fileURLWithPath: database.path).deletingLastPathComponent()
        for (name, bytes) in image { try Data(bytes).write(to: folder.appendingPathComponent(name)) }
        let storage = try SQLiteStorageManager(path: database.path, durability: .off)
        defer { storage.close() }
        let journal = PaymentJournal(storage: storage, lease: try ProcessLease(in: storage))
        var findings: [String] = []
        let kept = try journal.batches(at: place)
        for batch in shown where !kept.contains(batch) { findings.append("batch \(batch.number) was shown as closed") }
        let settled = try settle(journal, with: &book)
        if let settled, settled.state != .closed { findings.append("the acquirer has other totals") }
        if try settle(journal, with: &book) != nil { findings.append("something is left to settle") }
        // Each sale is in one batch, and the acquirer has each batch once, with what the till has.
        let batches = try journal.batches(at: place)
        let ours = Dictionary(batches.map { ($0.number, $0.totals) }) { first, _ in first }
        if ours != book.batches { findings.append("the batches differ: \(ours) and \(book.batches)") }
        let moved = try journal.payments().filter { $0.state == .captured }.reduce(into: 0 as Int64) { sum, payment in
            sum += payment.amount.minorUnits
        }
        let net = book.batches.values.reduce(into: 0 as Int64) { $0 += $1.net }
        if net != moved { findings.append("the till has taken \(moved), and the acquirer pays \(net)") }
        return findings
    }

    @Test func `no batch is lost, doubled, or settled otherwise, wherever the power fails`() async throws {
        let settlements = try record(.full)
        #expect(settlements.books.map(\.batches.count) == [1, 2])
        let all = settlements.records.allCuts(of: settlements.base)
        let cuts = CrashImages.sample(all, of: settlements.records, usually: 60, setting: Self.setting)
        #expect(try await findings(settlements, at: cuts) == [])
    }

    @Test func `a till that does not wait for the disk is found out`() async throws {
        let settlements = try record(.normal)
        let end = DiskCut(moment: settlements.records.count, cut: .nothing)
        let found = try await findings(settlements, at: [end])
        #expect(found.contains { $0.contains("was shown as closed") })
        #expect(found.contains { $0.contains("the batches differ") })
    }
}
