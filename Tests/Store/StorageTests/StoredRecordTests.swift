import Determinism
import Foundation
import GRDB
import Money
import Testing

@testable import Storage

/// The generated records: columns, keys and children.
@Suite struct StoredRecordTests {
    private let database: TemporaryDatabase
    private let storage: SQLiteStorageManager

    init() throws {
        database = try TemporaryDatabase()
        storage = try database.open()
    }

    private func saved(_ taxRates: [TaxRateRecord]) throws {
        _ = try storage.performAndSave { try $0.saveObjects(taxRates) }
    }

    private func ids(
        _ predicate: (TaxRateRecord.Columns) -> StoragePredicate,
        sortedBy order: (TaxRateRecord.Columns) -> [StorageSortDescriptor] = { _ in [] }, limit: Int? = nil
    ) throws -> [Int64] {
        try storage.read {
            try $0.records(TaxRateRecord.self, matching: predicate, sortedBy: order, limit: limit).map(\.id)
        }
    }

    // MARK: Schema

    @Test func `every record has the columns of its table`() throws {
        for type in SiteRecords.types { try check(type) }
    }

    private func check<T: KeyedObject>(_ type: T.Type) throws {
        let columns = try database.rows("SELECT name FROM pragma_table_info('\(T.entityName)') ORDER BY cid")
        #expect(columns.map { $0["name"] as String } == ["rowID"] + T.columnNames, "\(T.entityName)")
        let key = try database.rows(
            """
            SELECT i.name FROM pragma_index_list('\(T.entityName)') l, pragma_index_info(l.name) i
            WHERE l.origin = 'u' ORDER BY i.seqno
            """)
        #expect(key.map { $0["name"] as String } == T.keyColumnNames, "\(T.entityName)")
        let children = try database.rows(
            """
            SELECT m.name FROM sqlite_master m, pragma_foreign_key_list(m.name) f
            WHERE m.type = 'table' AND f."table" = '\(T.entityName)' AND f.on_delete = 'CASCADE' ORDER BY m.name
            """)
        #expect(children.map { $0["name"] as String } == T.relationships.map(\.table).sorted(), "\(T.entityName)")
        for relationship in T.relationships {
            let columns = try database.rows("SELECT name FROM pragma_table_info('\(relationship.table)') ORDER BY cid")
            #expect(columns.map { $0["name"] as String } == ["parentRow", "position"] + relationship.columnNames)
        }
    }

    // MARK: Keys

    @Test func `the same ID at two sites makes two records`() throws {
        try saved([.made(site: 1, id: 5, name: "one"), .made(site: 2, id: 5, name: "two")])
        try saved([.made(site: 2, id: 5, name: "three")])
        let names = try storage.read { try $0.records(TaxRateRecord.self).map(\.name) }
        #expect(names == ["one", "three"])
    }

    @Test func `the last of several records with one key wins`() throws {
        try saved([.made(id: 1, name: "old"), .made(id: 2), .made(id: 1, name: "new")])
        #expect(try storage.read { try $0.records(TaxRateRecord.self).map(\.name) } == ["new", ""])
    }

    @Test func `an update keeps the row ID`() throws {
        try saved([.made(id: 1), .made(id: 2), .made(id: 3)])
        let before = try database.rows("SELECT rowID, id FROM taxRate ORDER BY id")
        try saved([.made(id: 2, name: "other"), .made(id: 4)])
        #expect(try database.rows("SELECT rowID, id FROM taxRate WHERE id < 4 ORDER BY id") == before)
    }

    @Test func `unchanged records are not written`() throws {
        let rate = TaxRateRecord.made(id: 1, name: "the same")
        try saved([rate])
        let (changes, saved) = try storage.writer.write { database in
            let before = database.totalChangesCount
            let saved = try SQLiteStorage(database: database).saveObjects([rate])
            return (database.totalChangesCount - before, saved)
        }
        #expect(changes == 0)
        #expect(saved == 0)
    }

    // MARK: Predicates

    @Test func `texts that look like SQL are texts`() throws {
        let words = ["'; DROP TABLE taxRate; --", "\" OR 1=1 --", "x' OR 'x'='x", "%", "_", "\\", "?", "NULL", ""]
        try saved(words.enumerated().map { .made(id: Int64($0.offset), name: $0.element) })
        for (index, word) in words.enumerated() {
            #expect(try ids { $0.name == word } == [Int64(index)], "\(word)")
            #expect(try ids { $0.name.isIn([word]) } == [Int64(index)], "\(word)")
            #expect(try ids { $0.name != word }.count == words.count - 1, "\(word)")
            #expect(try ids { $0.name.contains(word) }.contains(Int64(index)), "\(word)")
        }
        #expect(try ids { $0.name.contains("%") } == [3])
        #expect(try database.number("SELECT count(*) FROM taxRate") == words.count)
    }

    @Test func `text search ignores case in all alphabets`() throws {
        try saved([.made(id: 1, name: "ÄRGER"), .made(id: 2, name: "ΣΊΣΥΦΟΣ"), .made(id: 3, name: "naïve 🧾 Beleg")])
        #expect(try ids { $0.name.contains("ärg") } == [1])
        #expect(try ids { $0.name.contains("ίσυφ") } == [2])
        #expect(try ids { $0.name.contains("🧾 bEL") } == [3])
        #expect(try ids { $0.name.contains("") } == [1, 2, 3])
        #expect(try ids { $0.name == "ärger" } == [])
    }

    @Test func `amounts are compared by value, to the last of 38 digits`() throws {
        let texts = [
            "33.3", "33.30", "-5", "-5.00001", "0", "0.00000000000000000000000000000000000001",
            "99999999999999999999999999999999999999", "99999999999999999999999999999999999998", "-0.5", "100", "9",
        ]
        let rates = texts.enumerated().map { TaxRateRecord.made(id: Int64($0.offset), rate: ExactDecimal($0.element)) }
        try saved(rates)
        let sorted = try storage.read {
            try $0.records(TaxRateRecord.self, sortedBy: { [$0.rate.ascending] }).map(\.rate.description)
        }
        #expect(
            sorted == [
                "-5.00001", "-5", "-0.5", "0", "0.00000000000000000000000000000000000001", "9", "33.3", "33.30", "100",
                "99999999999999999999999999999999999998", "99999999999999999999999999999999999999",
            ])
        #expect(try ids { $0.rate == ExactDecimal("33.300") } == [0, 1])
        #expect(
            try ids { $0.rate.isIn([ExactDecimal("33.300"), ExactDecimal("1e2")].compactMap { $0 }) } == [0, 1, 9])
        #expect(try ids { $0.rate < .zero } == [2, 3, 8])
        #expect(try ids { $0.rate > ExactDecimal("99999999999999999999999999999999999998") ?? .zero } == [6])
    }

    @Test func `nil equals nil and is neither smaller nor larger than any value`() throws {
        let notes = [nil, at(1000), at(2000)].enumerated().map { index, moment in
            OrderNoteRecord(
                siteID: 1, orderID: 1, id: Int64(index), dateCreatedGMT: moment, note: "", customerNote: false,
                author: "")
        }
        _ = try storage.performAndSave { try $0.saveObjects(notes) }
        func ids(_ predicate: (OrderNoteRecord.Columns) -> StoragePredicate) throws -> [Int64] {
            try storage.read { try $0.records(OrderNoteRecord.self, matching: predicate).map(\.id) }
        }
        #expect(try ids { $0.dateCreatedGMT == nil } == [0])
        #expect(try ids { $0.dateCreatedGMT.isNull } == [0])
        #expect(try ids { $0.dateCreatedGMT != nil } == [1, 2])
        #expect(try ids { $0.dateCreatedGMT != at(1000) } == [0, 2])
        #expect(try ids { $0.dateCreatedGMT < at(5000) } == [1, 2])
        #expect(try ids { !($0.dateCreatedGMT < at(1500)) } == [0, 2])
        #expect(try ids { $0.dateCreatedGMT >= at(2000) || $0.dateCreatedGMT == nil } == [0, 2])
        #expect(try ids { $0.dateCreatedGMT > at(0) && $0.id > 1 } == [2])
        #expect(try ids { $0.dateCreatedGMT.isIn([at(1000), at(3000)]) } == [1])
        #expect(try ids { !$0.dateCreatedGMT.isIn([at(1000)]) } == [0, 2])
    }

    @Test func `records are sorted as requested, then by key, and limited`()
        throws
    {
        try saved([("b", 3), ("a", 2), ("b", 1), ("B", 4)].map { .made(id: $0.1, name: $0.0) })
        #expect(try ids { _ in .all } == [1, 2, 3, 4])
        #expect(try ids({ _ in .all }, sortedBy: { [$0.name.ascending] }) == [4, 2, 1, 3])
        #expect(try ids({ _ in .all }, sortedBy: { [$0.name.descending, $0.id.descending] }) == [3, 1, 2, 4])
        #expect(try ids({ _ in .all }, sortedBy: { [$0.id.descending] }, limit: 2) == [4, 3])
        #expect(try ids({ _ in .all }, limit: 0) == [])
        #expect(try ids({ _ in .all }, limit: -1) == [])
    }

    @Test func `a condition can contain more values than SQLite's limit of arguments`() throws {
        try saved([.made(id: 1), .made(id: 50_000), .made(id: 100_001)])
        #expect(try ids { $0.id.isIn(Array(1...100_000)) } == [1, 50_000])
    }

    // MARK: Children

    @Test func `children keep their order, and removed ones are deleted`() throws {
        try storage.performAndSave { storage in
            var group = ShipmentTrackingProviderGroupRecord(siteID: 1, name: "Nowhere", providers: [])
            let providers = ["z", "a", "m"].map { ShipmentTrackingProviderRecord(name: $0, url: "u") }
            group.providers = providers
            try storage.saveObjects([group])
            #expect(try storage.records(ShipmentTrackingProviderGroupRecord.self) == [group])
            group.providers = [providers[2], providers[0]]
            #expect(try storage.saveObjects([group]) == 1)
            #expect(try storage.records(ShipmentTrackingProviderGroupRecord.self) == [group])
            #expect(
                try storage.records(ShipmentTrackingProviderGroupRecord.self, withChildren: false).map(\.providers) == [
                    []
                ]
            )
        }
        #expect(try database.number("SELECT count(*) FROM shipmentTrackingProvider") == 2)
    }

    @Test func `children are deleted with their parent only`() throws {
        try storage.performAndSave { storage in
            for site in Int64(1)...2 {
                try storage.saveObjects([
                    ShipmentTrackingProviderGroupRecord(
                        siteID: site, name: "Nowhere", providers: [ShipmentTrackingProviderRecord(name: "a", url: "u")])
                ])
            }
            let columns = ShipmentTrackingProviderGroupRecord.columns
            #expect(
                try storage.deleteObjects(
                    ofType: ShipmentTrackingProviderGroupRecord.self, matching: columns.siteID == 1) == 1)
        }
        #expect(try database.number("SELECT count(*) FROM shipmentTrackingProvider") == 1)
        #expect(try database.number("SELECT siteID FROM shipmentTrackingProviderGroup") == 2)
    }

    @Test func `a write that fails inside a record is rolled back`() throws {
        let provider = ShipmentTrackingProviderRecord(name: "a", url: "u")
        let good = ShipmentTrackingProviderGroupRecord(siteID: 1, name: "good", providers: [provider])
        try database.execute(
            """
            CREATE TRIGGER refuse BEFORE INSERT ON shipmentTrackingProvider WHEN NEW.name = 'refused'
            BEGIN SELECT RAISE(ABORT, 'refused'); END
            """)
        let bad = ShipmentTrackingProviderGroupRecord(
            siteID: 1, name: "bad", providers: [provider, ShipmentTrackingProviderRecord(name: "refused", url: "u")])
        #expect(throws: StorageError.ruleBroken(path: database.path, rule: "refused")) {
            try storage.performAndSave { try $0.saveObjects([good, bad]) }
        }
        #expect(try database.number("SELECT count(*) FROM shipmentTrackingProviderGroup") == 0)
        #expect(try database.number("SELECT count(*) FROM shipmentTrackingProvider") == 0)
    }

    // MARK: Damage

    @Test(arguments: [
        ("UPDATE taxRate SET rate = 'seven'", "unreadable rate in taxRate"),
        ("UPDATE taxRate SET rate = ''", "unreadable rate in taxRate"),
    ])
    func `a damaged row is reported`(_ sql: String, _ detail: String) throws {
        try saved([.made(id: 1)])
        try database.execute(sql)
        #expect(throws: StorageError.corrupt(path: database.path, detail: detail)) {
            try storage.read { try $0.records(TaxRateRecord.self) }
        }
        #expect(throws: StorageError.corrupt(path: database.path, detail: detail)) { try saved([.made(id: 1)]) }
    }

    @Test func `a table rejects values of another type`() throws {
        #expect(throws: (any Error).self) { try database.execute("INSERT INTO account (id) VALUES ('seven')") }
    }

    // MARK: Reset

    @Test func `a reset deletes the records of sites and keeps the journal, the cards and the readers`() throws {
        let journal = PaymentJournal(storage: storage, lease: try ProcessLease(in: storage))
        _ = try journal.capturedSale()
        try ReaderRegister(storage: storage).remember(id: "reader", name: "Reader", at: at(1))
        try saved([.made(id: 1)])
        _ = try storage.performAndSave { storage in
            try storage.saveObjects([
                ShipmentTrackingProviderGroupRecord(
                    siteID: 1, name: "x", providers: [ShipmentTrackingProviderRecord(name: "a", url: "u")])
            ])
        }
        let kept = ["payment", "paymentAttempt", "attemptTransition", "storeIdentity", "rememberedReader"]
        let before = try kept.map { try database.rows("SELECT * FROM \($0)") }
        try storage.reset()
        let after = try kept.map { try database.rows("SELECT * FROM \($0)") }
        #expect(after == before)
        let keptTables = Set(
            kept + ["receipt", "printJob", "printJobTransition", "cardKey", "offlineSale", "exceptionCard"])
        let tables = try database.rows(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB 'sqlite_*'")
        for table in tables.map({ $0["name"] as String }) where !keptTables.contains(table) {
            #expect(try database.number("SELECT count(*) FROM \"\(table)\"") == 0, "\(table)")
        }
    }

    @Test func `a failed reset deletes nothing`() throws {
        try saved([.made(id: 1)])
        _ = try storage.performAndSave { storage in
            try storage.saveObjects([
                AccountSettingsRecord(userID: 1, tracksOptOut: true, firstName: nil, lastName: nil)
            ])
        }
        try database.execute(
            "CREATE TRIGGER refuse BEFORE DELETE ON taxRate BEGIN SELECT RAISE(ABORT, 'refused'); END")
        #expect(throws: StorageError.ruleBroken(path: database.path, rule: "refused")) { try storage.reset() }
        #expect(try database.number("SELECT count(*) FROM accountSettings") == 1)
        #expect(try database.number("SELECT count(*) FROM taxRate") == 1)
    }
}

extension TaxRateRecord {
    fileprivate static func made(
        site: Int64 = 1, id: Int64, name: String = "", rate: ExactDecimal? = nil
    ) -> TaxRateRecord {
        TaxRateRecord(
            siteID: site, id: id, country: "", state: "", postcode: "", city: "", postcodes: "[]", cities: "[]",
            rate: rate ?? .zero, name: name, priority: 1, compound: false, shipping: false, order: 0, class: "")
    }
}
