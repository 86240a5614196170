import Determinism
import Money
import Payments
import Synchronization
import Testing

@testable import Storage

@Suite struct ObservationTests {
    private let storage: SQLiteStorageManager
    private let told = Told()

    init() throws { storage = try SQLiteStorageManager(inMemoryWith: SeededRandomSource(seed: 1)) }

    private func observeClasses() -> StorageObservation {
        storage.observe(TaxClassRecord.self) { [told] changes, storage in
            let slugs = Result { try storage.records(TaxClassRecord.self).map(\.slug) }
            return { told.add(changes, slugs) }
        }
    }

    private func save(_ slugs: String...) throws {
        _ = try storage.performAndSave { storage in
            try storage.saveObjects(slugs.map { TaxClassRecord(siteID: 7, slug: $0, name: $0) })
        }
    }

    @Test func `a commit reports the rows that it wrote and deleted, with the committed records`() throws {
        let observation = observeClasses()
        try save("a", "b")
        try storage.performAndSave { storage in
            try storage.saveObjects([TaxClassRecord(siteID: 7, slug: "b", name: "other")])
            try storage.saveObjects([TaxClassRecord(siteID: 7, slug: "c", name: "c")])
            try storage.deleteObjects(ofType: TaxClassRecord.self, matching: TaxClassRecord.columns.slug == "a")
        }
        #expect(told.changes.map(\.written) == [[1, 2], [2, 3]])
        #expect(told.changes.map(\.deleted) == [[], [1]])
        #expect(told.slugs == [["a", "b"], ["b", "c"]])
        _ = observation
    }

    @Test func `rollbacks, other tables and empty commits are not reported`() throws {
        struct Stop: Error {}
        let observation = observeClasses()
        #expect(throws: Stop.self) {
            try storage.performAndSave { storage in
                try storage.saveObjects([TaxClassRecord(siteID: 7, slug: "a", name: "a")])
                throw Stop()
            }
        }
        try storage.performAndSave { _ in }
        _ = try storage.performAndSave { storage in
            try storage.insertNewObject(Payment(siteID: 1, orderID: nil, amount: try usd(100), createdAt: at(1)))
        }
        #expect(told.changes.isEmpty)
        try save("b")
        #expect(told.changes.map(\.written) == [[1]])
        _ = observation
    }

    @Test func `a bulk deletion is reported row by row, even with a cached statement`()
        throws
    {
        func forgetAll() throws -> Int {
            try storage.performAndSave { try $0.deleteObjects(ofType: TaxClassRecord.self, matching: .all) }
        }
        try save("a")
        #expect(try forgetAll() == 1)
        let observation = observeClasses()
        try save("a", "b")
        #expect(try forgetAll() == 2)
        #expect(told.changes.map(\.deleted) == [[], [1, 2]])
        _ = observation
    }

    @Test func `a row that is deleted and reused is reported as written`() throws {
        let observation = observeClasses()
        try save("a")
        try storage.performAndSave { storage in
            try storage.deleteObjects(ofType: TaxClassRecord.self, matching: .all)
            try storage.saveObjects([TaxClassRecord(siteID: 7, slug: "b", name: "b")])
        }
        #expect(told.changes.map(\.written) == [[1], [1]])
        #expect(told.changes.map(\.deleted) == [[], []])
        _ = observation
    }

    @Test func `a reset is reported to all observers, even without rows`() throws {
        let observation = observeClasses()
        try storage.reset()
        try save("a")
        #expect(told.changes.map(\.isReset) == [true, false])
        _ = observation
    }

    @Test func `an observation ends when it is canceled or released`() throws {
        let canceled = observeClasses()
        do {
            let dropped = observeClasses()
            try save("a")
            _ = dropped
        }
        try save("b")
        canceled.cancel()
        canceled.cancel()
        try save("c")
        #expect(told.slugs == [["a"], ["a"], ["a", "b"]])
    }

    @Test func `notifications are delivered one at a time in commit order, including those that notifications cause`()
        throws
    {
        let order = Words()
        let observation = storage.observe(TaxClassRecord.self) { [storage] _, reading in
            let count = (try? reading.countObjects(ofType: TaxClassRecord.self, matching: .all)) ?? -1
            return {
                order.add("begin \(count)")
                if count < 3 {
                    do {
                        _ = try storage.performAndSave { storage in
                            try storage.saveObjects([TaxClassRecord(siteID: 7, slug: "\(count)", name: "")])
                        }
                    } catch {
                        Issue.record(error)
                    }
                }
                order.add("end \(count)")
            }
        }
        try save("a")
        #expect(order.all == ["begin 1", "end 1", "begin 2", "end 2", "begin 3", "end 3"])
        _ = observation
    }

    @Test func `a read between commits is delivered in order and fails inside a write`() throws {
        let observation = observeClasses()
        try save("a")
        let seen = Words()
        try storage.readBetweenCommits { storage in
            let count = try storage.countObjects(ofType: TaxClassRecord.self, matching: .all)
            return { seen.add(String(count)) }
        }
        #expect(seen.all == ["1"])
        #expect(throws: StorageError.self) {
            try storage.performAndSave { _ in try self.storage.readBetweenCommits { _ in nil } }
        }
        try save("b")
        #expect(told.slugs == [["a"], ["a", "b"]])
        _ = observation
    }

    @Test func `places compare as the database sorts`() throws {
        let names = ["", "a", "A", "B", "ab", "ä", "e\u{301}", "é", "z", "Z", "\u{FFFD}", "😀", "1", "10", "9"]
        let rates = ["1", "01.0", "-2", "10", "9.5", "0.000", "-0.1"]
        let random = SeededRandomSource(seed: 5)
        var records: [TaxRateRecord] = []
        for id in Int64(0)..<300 {
            let rate = rates[Int(random.number(in: 0...UInt32(rates.count - 1)))]
            records.append(
                TaxRateRecord(
                    siteID: 7, id: id, country: "", state: "", postcode: "", city: "", postcodes: "[]", cities: "[]",
                    rate: try #require(ExactDecimal(rate)),
                    name: names[Int(random.number(in: 0...UInt32(names.count - 1)))],
                    priority: Int64(random.number(in: 0...2)) - 1, compound: random.number(in: 0...1) == 1,
                    shipping: false, order: 0, class: ""))
        }
        _ = try storage.performAndSave { [records] in try $0.saveObjects(records) }
        let columns = TaxRateRecord.columns
        let orders: [[StorageSortDescriptor]] = [
            [], [columns.name.ascending], [columns.name.descending, columns.id.descending],
            [columns.rate.ascending, columns.name.descending], [columns.rate.descending],
            [columns.priority.descending, columns.compound.ascending],
        ]
        for order in orders {
            let rows = try storage.read { storage in
                try storage.rows(
                    ofType: TaxRateRecord.self, matching: .all, sortedBy: order, limit: nil, among: nil)
            }
            #expect(rows.count == 300)
            for (row, next) in zip(rows, rows.dropFirst()) { #expect(row.place < next.place) }
            #expect(rows.shuffledAndSorted(random).map(\.number) == rows.map(\.number))
        }
    }
}

extension [StoredRow<TaxRateRecord>] {
    fileprivate func shuffledAndSorted(_ random: SeededRandomSource) -> Self {
        map { ($0, random.number(in: 0...UInt32.max - 1)) }.sorted { $0.1 < $1.1 }.map(\.0).sorted {
            $0.place < $1.place
        }
    }
}

/// Collects the notifications about tax classes.
private final class Told: Sendable {
    private let kept = Mutex<[(changes: RowChanges, slugs: [String])]>([])

    var changes: [RowChanges] { kept.withLock { $0.map(\.changes) } }
    var slugs: [[String]] { kept.withLock { $0.map(\.slugs) } }

    func add(_ changes: RowChanges, _ slugs: Result<[String], any Error>) {
        switch slugs {
        case .success(let slugs): kept.withLock { $0.append((changes, slugs)) }
        case .failure(let error): Issue.record(error)
        }
    }
}

private final class Words: Sendable {
    private let kept = Mutex<[String]>([])

    var all: [String] { kept.withLock { $0 } }

    func add(_ word: String) { kept.withLock { $0.append(word) } }
}
