import Networking
import Storage
import Synchronization
import Yosemite

/// Measures the update of a list of 10,000 orders after one order has changed.
struct ResultsBenchmark {
    let folder: TemporaryFolder
    var rounds = 25
    var orders = 10_000

    func run() async throws -> String {
        let storage = try SQLiteStorageManager(path: folder.path + "/results.sqlite", durability: .off)
        guard let entity = ResponseEntity.named("orders"),
            let all = try entity.decode(SampleOrders.list(orders)).value as? [Order]
        else { throw BenchmarkError("no orders") }
        _ = try storage.performAndSave { try $0.save(all) }
        var request = ResultsRequest<Order>(sortedBy: { [$0.dateModifiedGMT.descending, $0.id.descending] })
        var table = MarkdownTable("list of \(orders) orders", "ms", "target")
        let alone = try await samples { try self.write(all, $0, storage) }
        table.add("the commit alone (baseline)", alone.text(decimals: 2), "")
        let again = try await samples { _ in
            _ = try storage.read { try $0.models(Order.self, sortedBy: { [$0.dateModifiedGMT.descending] }) }
        }
        table.add("reading the list again (baseline)", again.text(decimals: 2), "")
        for (name, sections) in [("one section", false), ("four sections", true)] {
            if sections { request.sectionName = { String($0.id % 4) } }
            let controller = ResultsController(request, in: storage)
            try controller.performFetch()
            let told = Counter()
            controller.callbacks.didChangeObject = { _ in told.add() }
            let followed = try await samples { try self.write(all, $0, storage) }
            guard told.count == rounds else { throw BenchmarkError("a change was not reported") }
            table.add(
                "the commit, one row reported, \(name)", followed.text(decimals: 2),
                verdict(followed.median, atMost: 5))
        }
        return "### A list follows the database\n\n" + table.text
    }

    /// Changes one order, a different one each round.
    private func write(_ all: [Order], _ round: Int, _ storage: SQLiteStorageManager) throws {
        let order = all[(round * 397) % all.count]
        _ = try storage.performAndSave {
            try $0.save(order.copy(customerNote: "round \(round) \(ContinuousClock.now)"))
        }
    }

    private func samples(_ body: (Int) throws -> Void) async throws -> Samples {
        var samples = Samples()
        for round in 0..<rounds { samples.add(try await seconds { try body(round) } * 1000) }
        return samples
    }
}

private final class Counter: Sendable {
    private let number = Mutex(0)

    var count: Int { number.withLock { $0 } }

    func add() { number.withLock { $0 += 1 } }
}
