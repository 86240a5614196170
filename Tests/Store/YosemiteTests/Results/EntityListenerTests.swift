import Determinism
import Networking
import Storage
import Testing

@testable import Yosemite

@Suite struct EntityListenerTests {
    private let storage: SQLiteStorageManager
    private let log = Log<String>()

    init() throws { storage = try SQLiteStorageManager(inMemoryWith: SeededRandomSource(seed: 1)) }

    private func save(_ rates: TaxRate...) throws { _ = try storage.performAndSave { try $0.save(rates) } }

    private func listener(to rate: TaxRate) throws -> EntityListener<TaxRate> {
        try EntityListener(
            rate, in: storage, onUpsert: { [log] in log.add("upsert \($0.name)") },
            onDelete: { [log] in log.add("delete") }, onFailure: { [log] in log.add("failed: \($0)") })
    }

    @Test func `storing, changing, and deleting an object is reported with its values`() throws {
        let listener = try listener(to: .sample(1, name: "a"))
        try save(.sample(1, name: "a"))
        try save(.sample(1, name: "b"))
        #expect(listener.entity.name == "b")
        _ = try storage.performAndSave { try $0.delete(TaxRate.self, matching: { $0.id == 1 }) }
        #expect(listener.entity.name == "b")
        try save(.sample(1, name: "b"))
        #expect(log.entries == ["upsert a", "upsert b", "delete", "upsert b"])
    }

    @Test func `other objects, other sites, and unchanged values are not reported`() throws {
        try save(.sample(1, name: "a"))
        let listener = try listener(to: .sample(1, name: "a"))
        try save(.sample(2, name: "b"))
        try save(.sample(1, name: "c", siteID: 8))
        try save(.sample(1, name: "a"))
        _ = try storage.performAndSave { try $0.delete(TaxRate.self, matching: { $0.id == 2 }) }
        #expect(log.entries.isEmpty)
        #expect(listener.entity == .sample(1, name: "a"))
    }

    @Test func `an object that changed before it was observed is reported at once`() throws {
        try save(.sample(1, name: "new"))
        let listener = try listener(to: .sample(1, name: "old"))
        #expect(log.entries == ["upsert new"])
        #expect(listener.entity.name == "new")
    }

    @Test func `an object that is deleted and inserted again in one commit is an update`() throws {
        try save(.sample(1, name: "a"), .sample(2, name: "b"))
        let listener = try listener(to: .sample(2, name: "b"))
        try storage.performAndSave { storage in
            _ = try storage.delete(TaxRate.self)
            try storage.save([TaxRate.sample(3), .sample(2, name: "c")])
        }
        #expect(log.entries == ["upsert c"])
        _ = listener
    }

    @Test func `a reset deletes it`() throws {
        try save(.sample(1, name: "a"))
        let listener = try listener(to: .sample(1, name: "a"))
        try storage.reset()
        #expect(log.entries == ["delete"])
        _ = listener
    }

    @Test func `it ends when it is released`() throws {
        try save(.sample(1, name: "a"))
        do {
            let listener = try listener(to: .sample(1, name: "a"))
            try save(.sample(1, name: "b"))
            _ = listener
        }
        try save(.sample(1, name: "c"))
        #expect(log.entries == ["upsert b"])
    }

    @Test func `commits of another program are seen on request`() throws {
        let database = try TestDatabase()
        let (here, there) = (
            try SQLiteStorageManager(path: database.path), try SQLiteStorageManager(path: database.path)
        )
        let listener = try EntityListener(TaxRate.sample(1, name: "a"), in: here) { [log] in log.add($0.name) }
        _ = try there.performAndSave { try $0.save(TaxRate.sample(1, name: "b")) }
        #expect(log.entries.isEmpty)
        try listener.refresh()
        #expect(log.entries == ["b"])
    }

    @Test func `an unreadable object is reported, and so is its return`() throws {
        try save(.sample(1, name: "a"))
        let listener = try listener(to: .sample(1, name: "a"))
        try storage.performAndSave { storage in
            var damaged = TaxRateRecord(TaxRate.sample(1, name: "b"))
            damaged.postcodes = "no list"
            _ = try storage.saveObjects([damaged])
        }
        try save(.sample(1, name: "c"))
        #expect(
            log.entries == [
                "failed: \(StorageError.corrupt(path: ":memory:", detail: "unreadable postcodes in taxRate"))",
                "upsert c",
            ])
        _ = listener
    }
}
