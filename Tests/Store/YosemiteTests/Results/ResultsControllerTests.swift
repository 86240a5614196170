import Determinism
import Money
import Networking
import Storage
import Testing

@testable import Yosemite

@Suite struct ResultsControllerTests {
    private let storage: SQLiteStorageManager

    init() throws { storage = try SQLiteStorageManager(inMemoryWith: SeededRandomSource(seed: 1)) }

    private func save(_ rates: TaxRate...) throws { _ = try storage.performAndSave { try $0.save(rates) } }

    private func forget(_ ids: Int64...) throws {
        _ = try storage.performAndSave { try $0.delete(TaxRate.self, matching: { $0.id.isIn(ids) }) }
    }

    private func byName(limit: Int? = nil) throws -> ResultsController<TaxRate> {
        let controller = ResultsController<TaxRate>(
            ResultsRequest(matching: { $0.siteID == 7 }, sortedBy: { [$0.name.ascending] }, limit: limit), in: storage)
        try controller.performFetch()
        return controller
    }

    // MARK: Fetching

    @Test func `a fetch returns the matching objects, sorted and within the limit`() throws {
        try save(.sample(1, name: "c"), .sample(2, name: "a"), .sample(3, name: "b"), .sample(4, name: "a", siteID: 8))
        #expect(try byName().fetchedObjects.map(\.id) == [2, 3, 1])
        #expect(try byName(limit: 2).fetchedObjects.map(\.id) == [2, 3])
        #expect(try byName(limit: 0).isEmpty)
    }

    @Test func `a controller is empty before its fetch`() throws {
        try save(.sample(1))
        let controller = ResultsController<TaxRate>(ResultsRequest(), in: storage)
        let log = Log<ResultsSectionChange>()
        controller.callbacks.didChangeSection = { log.add($0) }
        try save(.sample(2))
        #expect(controller.isEmpty)
        #expect(controller.numberOfObjects == 0)
        #expect(log.entries.isEmpty)
    }

    @Test func `objects are found by index path; others are nil`() throws {
        try save(
            .sample(1, name: "a", class: "x"), .sample(2, name: "b", class: "y"), .sample(3, name: "c", class: "y"))
        let controller = ResultsController<TaxRate>(
            ResultsRequest(sortedBy: { [$0.name.ascending] }, sectionedBy: { $0.class }), in: storage)
        try controller.performFetch()
        let path = ResultsIndexPath(section: 1, item: 1)
        #expect(controller.sections.map(\.name) == ["x", "y"])
        #expect(controller.sections.map(\.count) == [1, 2])
        #expect(controller.object(at: path)?.id == 3)
        #expect(controller.objectIndex(of: path) == 2)
        #expect(controller.indexPath { $0.id == 3 } == path)
        #expect(controller.indexPath { $0.id == 4 } == nil)
        for nowhere in [(1, 2), (2, 0), (-1, 0), (0, -1)] {
            let path = ResultsIndexPath(section: nowhere.0, item: nowhere.1)
            #expect(controller.object(at: path) == nil)
            #expect(controller.objectIndex(of: path) == nil)
        }
    }

    @Test func `objects of a section are together in any sort order`() throws {
        try save(
            .sample(1, name: "a", class: "x"), .sample(2, name: "b", class: "y"), .sample(3, name: "c", class: "x"))
        let controller = ResultsController<TaxRate>(
            ResultsRequest(sortedBy: { [$0.name.ascending] }, sectionedBy: { $0.class }), in: storage)
        try controller.performFetch()
        #expect(controller.sections.map { $0.map(\.id) } == [[1, 3], [2]])
    }

    // MARK: Changes

    @Test func `insert, update, move, and delete are reported with their index paths`() throws {
        try save(.sample(1, name: "b"), .sample(2, name: "d"))
        let controller = try byName()
        let mirror = MirroredList(controller)
        try save(.sample(3, name: "c"))
        #expect(mirror.takeLog() == ["insert 0.1"])
        try save(.sample(3, name: "c", rate: "7"))
        #expect(mirror.takeLog() == ["update 0.1 0.1"])
        try save(.sample(3, name: "e", rate: "7"))
        #expect(mirror.takeLog() == ["move 0.1 0.2"])
        try forget(1)
        #expect(mirror.takeLog() == ["delete 0.0"])
        #expect(controller.fetchedObjects.map(\.id) == [2, 3])
        #expect(mirror.sections.map { $0.objects.map(\.id) } == [[2, 3]])
    }

    @Test func `each commit is reported once`() throws {
        try save(.sample(1, name: "a"), .sample(2, name: "b"), .sample(3, name: "c"))
        let controller = try byName()
        let mirror = MirroredList(controller)
        try storage.performAndSave { storage in
            _ = try storage.delete(TaxRate.self, matching: { $0.id == 2 })
            try storage.save([TaxRate.sample(4, name: "0"), .sample(3, name: "c", rate: "1"), .sample(4, name: "d")])
        }
        #expect(mirror.takeLog() == ["delete 0.1", "insert 0.2", "update 0.2 0.1"])
    }

    @Test func `unrelated changes are not reported`() throws {
        try save(.sample(1, name: "a"))
        let mirror = MirroredList(try byName())
        try save(.sample(2, name: "b", siteID: 8))
        _ = try storage.performAndSave { try $0.save(TaxClass(siteID: 7, slug: "reduced", name: "Reduced")) }
        #expect(mirror.takeLog().isEmpty)
    }

    @Test func `objects that stop or start to match are removed or inserted`() throws {
        try save(.sample(1, priority: 1), .sample(2, priority: 2))
        let controller = ResultsController<TaxRate>(ResultsRequest(matching: { $0.priority == 1 }), in: storage)
        try controller.performFetch()
        let mirror = MirroredList(controller)
        try save(.sample(1, priority: 2), .sample(2, priority: 1))
        #expect(mirror.takeLog() == ["delete 0.0", "insert 0.0"])
        #expect(controller.fetchedObjects.map(\.id) == [2])
    }

    @Test func `writing the same values is not an update`() throws {
        try save(.sample(1, name: "a"))
        let mirror = MirroredList(try byName())
        try save(.sample(1, name: "a"))
        try storage.performAndSave { storage in
            try storage.save(TaxRate.sample(1, name: "b"))
            try storage.save(TaxRate.sample(1, name: "a"))
        }
        #expect(mirror.takeLog().isEmpty)
    }

    @Test func `rolled back changes are not reported`() throws {
        struct Stop: Error {}
        try save(.sample(1, name: "a"))
        let mirror = MirroredList(try byName())
        #expect(throws: Stop.self) {
            try storage.performAndSave { storage in
                try storage.save(TaxRate.sample(2, name: "b"))
                throw Stop()
            }
        }
        try save(.sample(3, name: "c"))
        #expect(mirror.takeLog() == ["insert 0.1"])
    }

    @Test func `an object that reuses the row of a deleted one is a new object`() throws {
        try save(.sample(1, name: "a"), .sample(2, name: "b"))
        let mirror = MirroredList(try byName())
        // SQLite gives the number of the last row to the next one.
        try storage.performAndSave { storage in
            _ = try storage.delete(TaxRate.self, matching: { $0.id == 2 })
            try storage.save(TaxRate.sample(9, name: "b"))
        }
        #expect(mirror.takeLog() == ["delete 0.1", "insert 0.1"])
    }

    @Test func `sections come and go with their objects`() throws {
        try save(.sample(1, name: "a", class: "x"), .sample(2, name: "b", class: "y"))
        let controller = ResultsController<TaxRate>(
            ResultsRequest(sortedBy: { [$0.class.ascending, $0.name.ascending] }, sectionedBy: { $0.class }),
            in: storage)
        try controller.performFetch()
        let mirror = MirroredList(controller)
        try save(.sample(3, name: "c", class: "w"))
        #expect(mirror.takeLog() == ["insert section 0 w", "insert 0.0"])
        try save(.sample(1, name: "a", class: "y"))
        #expect(mirror.takeLog() == ["delete section 1 x", "move 1.0 1.0"])
        try forget(1, 2, 3)
        #expect(
            mirror.takeLog() == [
                "delete section 0 w", "delete section 1 y", "delete 0.0", "delete 1.0", "delete 1.1",
            ])
        #expect(controller.sections.isEmpty)
    }

    @Test func `amounts are sorted by value, in the database and in memory`() throws {
        try save(.sample(1, rate: "9"), .sample(2, rate: "10"))
        let controller = ResultsController<TaxRate>(ResultsRequest(sortedBy: { [$0.rate.descending] }), in: storage)
        try controller.performFetch()
        #expect(controller.fetchedObjects.map(\.id) == [2, 1])
        try save(.sample(3, rate: "9.5"))
        #expect(controller.fetchedObjects.map(\.id) == [2, 3, 1])
    }

    @Test func `texts are sorted by bytes, in the database and in memory`() throws {
        try save(.sample(1, name: "Z"), .sample(2, name: "e\u{301}"), .sample(3, name: "é"))
        let controller = try byName()
        try save(.sample(4, name: "a"), .sample(5, name: "ä"))
        #expect(try controller.fetchedObjects == byName().fetchedObjects)
    }

    // MARK: Any changes

    /// The request's limit, and whether it has sections.
    @Test(arguments: [(UInt64(1), Int?.none, false), (2, nil, true), (3, 7, false), (4, 7, true), (5, 1, true)])
    func `after random changes the list equals a new fetch, and the reported changes lead to it`(
        _ seed: UInt64, _ limit: Int?, _ hasSections: Bool
    ) throws {
        let random = SeededRandomSource(seed: seed)
        func number(below bound: UInt32) -> Int64 { Int64(random.number(in: 0...bound - 1)) }
        func rate() -> TaxRate {
            .sample(
                number(below: 25), name: ["a", "b", "B", "ä"][Int(number(below: 4))],
                class: ["x", "y", "z"][Int(number(below: 3))], rate: ["1", "01.0", "2", "10"][Int(number(below: 4))],
                priority: number(below: 3), siteID: 7 + (number(below: 8) == 0 ? 1 : 0))
        }
        var request = ResultsRequest<TaxRate>(
            matching: { $0.siteID == 7 && $0.priority < 2 },
            sortedBy: { [$0.rate.descending, $0.name.ascending] }, limit: limit)
        if hasSections { request.sectionName = { $0.class } }
        let controller = ResultsController(request, in: storage)
        try controller.performFetch()
        let mirror = MirroredList(controller)
        for round in 0..<400 {
            try storage.performAndSave { storage in
                for _ in 0...number(below: 4) {
                    if number(below: 3) == 0 {
                        let id = number(below: 25)
                        _ = try storage.delete(TaxRate.self, matching: { $0.id == id })
                    } else {
                        try storage.save(rate())
                    }
                }
            }
            let fresh = ResultsController(request, in: storage)
            try fresh.performFetch()
            #expect(controller.snapshot == fresh.snapshot, "round \(round)")
            #expect(mirror.sections == MirroredList<TaxRate>.sections(fresh.snapshot), "round \(round)")
        }
    }

    @Test func `many changes in one commit are applied correctly`() throws {
        let controller = try byName()
        let mirror = MirroredList(controller)
        _ = try storage.performAndSave { storage in
            try storage.save((0..<2000).map { TaxRate.sample($0, name: String($0 % 100)) })
        }
        #expect(mirror.takeLog().count == 2000)
        try storage.performAndSave { storage in
            let changed = (Int64(0)..<2000).filter { $0 % 3 == 0 }
            try storage.save(changed.map { TaxRate.sample($0, name: String($0 % 77)) })
            _ = try storage.delete(TaxRate.self, matching: { $0.id > 1900 })
        }
        #expect(try controller.fetchedObjects == byName().fetchedObjects)
        #expect(mirror.sections == MirroredList<TaxRate>.sections(controller.snapshot))
        _ = try storage.performAndSave { try $0.delete(TaxRate.self) }
        #expect(controller.isEmpty)
        #expect(mirror.sections.map(\.objects) == [[]])
    }

    // MARK: Another request

    @Test func `a new limit, sort order, condition, or section is applied at once and reported`() throws {
        try save(
            .sample(1, name: "a", class: "x", priority: 1), .sample(2, name: "b", class: "y", priority: 2),
            .sample(3, name: "c", class: "x", priority: 3))
        let controller = try byName()
        let mirror = MirroredList(controller)
        try controller.change { $0.limit = 2 }
        #expect(mirror.takeLog() == ["delete 0.2"])
        try controller.change { request in
            request.limit = nil
            request.sortDescriptors = [TaxRateRecord.columns.priority.descending]
        }
        #expect(mirror.takeLog() == ["insert 0.0", "move 0.1 0.1"])
        #expect(controller.fetchedObjects.map(\.id) == [3, 2, 1])
        try controller.change { $0.predicate = TaxRateRecord.columns.priority > 1 }
        #expect(mirror.takeLog() == ["delete 0.2"])
        try controller.change { $0.sectionName = { $0.class } }
        #expect(controller.sections.map(\.name) == ["x", "y"])
        #expect(mirror.sections == MirroredList<TaxRate>.sections(controller.snapshot))
        try save(.sample(4, name: "d", class: "y", priority: 9))
        #expect(controller.sections.map { $0.map(\.id) } == [[4, 2], [3]])
        #expect(mirror.sections == MirroredList<TaxRate>.sections(controller.snapshot))
    }

    @Test func `an invalid request changes nothing, and is an error for its caller`() throws {
        try save(.sample(1, name: "a"))
        let controller = try byName()
        let mirror = MirroredList(controller)
        #expect(throws: StorageError.self) { try controller.change { $0.predicate = StoragePredicate("nonsense = 1") } }
        #expect(controller.fetchedObjects.map(\.id) == [1])
        try save(.sample(2, name: "b"))
        #expect(mirror.takeLog() == ["insert 0.1"])
    }

    // MARK: Parts, resets, other programs

    @Test func `a reset is reported as such, and the controller continues`() throws {
        try save(.sample(1, name: "a"))
        let controller = try byName()
        let mirror = MirroredList(controller)
        try storage.reset()
        #expect(mirror.takeLog() == ["reset"])
        #expect(controller.isEmpty)
        try save(.sample(2, name: "b"))
        #expect(mirror.takeLog() == ["insert 0.0"])
        try storage.performAndSave { _ in }
        #expect(mirror.takeLog().isEmpty)
    }

    @Test func `commits of another program are seen on request, and nothing is reported twice`() throws {
        let database = try TestDatabase()
        let (here, there) = (
            try SQLiteStorageManager(path: database.path), try SQLiteStorageManager(path: database.path)
        )
        _ = try here.performAndSave { try $0.save([TaxRate.sample(1, name: "a"), .sample(2, name: "b")]) }
        let controller = ResultsController<TaxRate>(ResultsRequest(sortedBy: { [$0.name.ascending] }), in: here)
        try controller.performFetch()
        let mirror = MirroredList(controller)
        _ = try there.performAndSave { storage in
            try storage.save(TaxRate.sample(1, name: "c"))
            return try storage.delete(TaxRate.self, matching: { $0.id == 2 })
        }
        #expect(mirror.takeLog().isEmpty)
        try controller.refresh()
        #expect(mirror.takeLog() == ["delete 0.1", "update 0.0 0.0"])
        try controller.refresh()
        #expect(mirror.takeLog().isEmpty)
    }

    @Test func `an unreadable list is reported, and returns when it is readable`() throws {
        let database = try TestDatabase()
        let storage = try SQLiteStorageManager(path: database.path)
        _ = try storage.performAndSave { try $0.save(TaxRate.sample(1, name: "a")) }
        let controller = ResultsController<TaxRate>(ResultsRequest(sortedBy: { [$0.name.ascending] }), in: storage)
        try controller.performFetch()
        let mirror = MirroredList(controller)
        try storage.performAndSave { storage in
            var damaged = TaxRateRecord(TaxRate.sample(2, name: "b"))
            damaged.postcodes = "no list"
            _ = try storage.saveObjects([damaged])
        }
        #expect(
            mirror.takeLog() == [
                "failed: \(StorageError.corrupt(path: database.path, detail: "unreadable postcodes in taxRate"))"
            ])
        #expect(controller.fetchedObjects.map(\.id) == [1])
        _ = try storage.performAndSave { try $0.save([TaxRate.sample(2, name: "b"), .sample(3, name: "c")]) }
        #expect(mirror.takeLog() == ["insert 0.1", "insert 0.2"])
    }

    // MARK: Callbacks and streams

    @Test func `a callback may write, and its change is reported afterward`() throws {
        let controller = try byName()
        let log = Log<[Int64]>()
        controller.callbacks.didChangeContent = { [storage, weak controller] in
            let ids = controller?.fetchedObjects.map(\.id) ?? []
            log.add(ids)
            if ids.count < 3 {
                let next = TaxRate.sample(Int64(ids.count + 1), name: String(ids.count))
                do { _ = try storage.performAndSave { try $0.save(next) } } catch { Issue.record(error) }
            }
            #expect(controller?.fetchedObjects.map(\.id) == ids)
        }
        try save(.sample(1, name: "0"))
        #expect(log.entries == [[1], [1, 2], [1, 2, 3]])
    }

    @Test func `a released controller gets no more calls, and its streams end`() async throws {
        var controller: ResultsController<TaxRate>? = try byName()
        let log = Log<Int64>()
        controller?.callbacks.didChangeObject = { log.add($0.object.id) }
        let stream = try #require(controller).snapshots()
        try save(.sample(1))
        controller = nil
        try save(.sample(2))
        #expect(log.entries == [1])
        var last: ResultsSnapshot<TaxRate>?
        for try await snapshot in stream { last = snapshot }
        #expect(last?.objects.map(\.id) == [1])
    }

    @Test func `snapshots start with the current list and continue with the newest`() async throws {
        try save(.sample(1, name: "a"))
        let controller = try byName()
        var snapshots = controller.snapshots().makeAsyncIterator()
        #expect(try await snapshots.next()?.objects.map(\.id) == [1])
        try save(.sample(2, name: "b"))
        try save(.sample(3, name: "c"))
        #expect(try await snapshots.next()?.objects.map(\.id) == [1, 2, 3])
    }

    @Test func `snapshots of a controller without a fetch start with the first fetch`() async throws {
        try save(.sample(1, name: "a"))
        let controller = ResultsController<TaxRate>(ResultsRequest(), in: storage)
        var snapshots = controller.snapshots().makeAsyncIterator()
        try controller.performFetch()
        #expect(try await snapshots.next()?.objects.map(\.id) == [1])
    }

    @Test func `changes come one by one, each with the list before and after it`() async throws {
        let controller = try byName()
        var changes = controller.changes().makeAsyncIterator()
        try save(.sample(1, name: "a"))
        try save(.sample(2, name: "b"))
        try storage.reset()
        let told = [try await changes.next(), try await changes.next(), try await changes.next()].compactMap { $0 }
        #expect(told.map { $0.old.objects.map(\.id) } == [[], [1], [1, 2]])
        #expect(told.map { $0.new.objects.map(\.id) } == [[1], [1, 2], []])
        #expect(told.map(\.isReset) == [false, false, true])
    }

    @Test func `a stream throws the error of a list that cannot be read`() async throws {
        let controller = try byName()
        var changes = controller.changes().makeAsyncIterator()
        try storage.performAndSave { storage in
            var damaged = TaxRateRecord(TaxRate.sample(2, name: "b"))
            damaged.cities = "no list"
            _ = try storage.saveObjects([damaged])
        }
        await #expect(throws: StorageError.corrupt(path: ":memory:", detail: "unreadable cities in taxRate")) {
            _ = try await changes.next()
        }
    }

    @Test func `no change is missed while a controller starts`() async throws {
        let database = try TestDatabase()
        let storage = try SQLiteStorageManager(path: database.path)
        let controllers = Log<ResultsController<TaxRate>>()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in Int64(0)..<4 {
                group.addTask {
                    for number in Int64(0)..<50 {
                        _ = try storage.performAndSave { try $0.save(TaxRate.sample(writer * 100 + number % 20)) }
                        _ = try storage.performAndSave { storage in
                            try storage.save(TaxRate.sample(writer * 100 + number % 20, name: String(number)))
                        }
                    }
                }
            }
            for _ in 0..<10 {
                group.addTask {
                    let controller = ResultsController<TaxRate>(ResultsRequest(), in: storage)
                    try controller.performFetch()
                    controllers.add(controller)
                }
            }
            try await group.waitForAll()
        }
        let stored = try storage.read { try $0.models(TaxRate.self) }
        #expect(stored.count == 80)
        for controller in controllers.entries { #expect(controller.fetchedObjects == stored) }
    }
}
