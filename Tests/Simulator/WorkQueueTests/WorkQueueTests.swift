import PostgreSQL
import TestPostgreSQL
import Testing

@testable import WorkQueue

@Suite(.enabled(if: TemporaryPostgreSQL.isUsed, Comment(rawValue: TemporaryPostgreSQL.missing)))
struct WorkQueueTests {
    /// Coordinates a job of numbers, and returns their squares.
    private func squares(_ count: Int, _ coordinator: JobCoordinator, rounds: Int = 1) async throws -> [[UInt8]] {
        let taken = TakenResults()
        for _ in 0..<rounds {
            try await coordinator.run(numbers(count)) { _, result in
                _ = taken.add(result)
                return true
            }
        }
        try await coordinator.finish()
        return taken.all
    }

    private func failure(_ body: () async throws -> Void) async -> WorkQueueError? {
        await #expect(throws: WorkQueueError.self) { try await body() }
    }

    @Test func `results come in the order of their batches, with any number of workers and rounds`() async throws {
        let bench = try await QueueBench()
        let coordinator = try await bench.begin(bench.job())
        async let first = bench.work(as: "first")
        async let second = bench.work(as: "second")
        async let third = bench.work(as: "third")
        let results = try await squares(100, coordinator, rounds: 3)
        let expected = numbers(100).map(QueueBench.square)
        #expect(results == expected + expected + expected)
        let summaries = try await [first, second, third]
        #expect(summaries.reduce(0) { $0 + $1.batches } == 300)
        #expect(summaries.allSatisfy { $0.state == .done })
        #expect(try await bench.number("SELECT sum(done) FROM work_worker") == 300)
        #expect(try await bench.number("SELECT count(*) FROM work_batch") == 0)
    }

    @Test func `a worker that never comes back costs its batch, which another one does when the lease has ended`()
        async throws
    {
        let bench = try await QueueBench()
        let coordinator = try await bench.begin(bench.job())
        async let results = squares(20, coordinator)
        let (batch, lost) = try await bench.take(as: "lost")
        async let summary = bench.work(as: "other")
        // Everything else is done, and the coordinator waits for the one batch.
        try await bench.wait(until: "SELECT coalesce(sum(done), 0) = 19 FROM work_worker")
        try await bench.endLeases()
        let (taken, done) = try await (results, summary)
        #expect(taken == numbers(20).map(QueueBench.square))
        #expect(done.batches == 20)
        // The late result is dropped.
        #expect(try await lost.store(QueueBench.square(batch.input), of: batch) == .dropped)
    }

    @Test func `a late result has the same bytes, or the job fails for all`() async throws {
        let bench = try await QueueBench()
        let coordinator = try await bench.begin(bench.job())
        let queue = try await bench.open()
        // Without a coordinator that takes results, they stay.
        try await bench.run("INSERT INTO work_batch (job, number, input) VALUES ('1', 0, '\\x03')")
        let (batch, slow) = try await bench.take(as: "slow")
        try await bench.endLeases()
        let (again, fast) = try await bench.take(as: "fast")
        #expect((again.number, again.taken) == (batch.number, 2))
        #expect(try await fast.store([9], of: again) == .stored)
        #expect(try await slow.store([9], of: batch) == .dropped)
        #expect(try await slow.store([8], of: batch) == .differs)
        // As a worker does it.
        try await bench.run("UPDATE work_batch SET leased_until = NULL, result = NULL")
        let summary = try await bench.work(as: "wrong") { _, _ in
            _ = try? await bench.run("UPDATE work_batch SET result = '\\x09'")
            return .result([8])
        }
        #expect(summary.state == .failed)
        #expect(summary.cause.contains("different results of batch 0; the later is wrong"))
        let error = await failure { try await coordinator.run([[1]]) { _, _ in true } }
        #expect(error == .ended(.failed, cause: summary.cause))
        #expect(await failure { _ = try await queue.job("1", for: QueueBench.program) } == error)
    }

    @Test func `a canceled worker gives its batch back at once`() async throws {
        let bench = try await QueueBench()
        let coordinator = try await bench.begin(bench.job())
        async let results = squares(1, coordinator)
        let leaving = Task {
            try await bench.work(as: "leaving") { _, isWanted in
                while isWanted() { await Task.yield() }
                return .unfinished
            }
        }
        try await bench.wait(until: "SELECT count(*) > 0 FROM work_batch WHERE worker = 'leaving'")
        leaving.cancel()
        #expect(try await leaving.value == QueueWorker.Summary())
        #expect(try await bench.number("SELECT count(*) FROM work_batch WHERE worker IS NULL AND taken = 0") == 1)
        #expect(try await bench.work(as: "staying").batches == 1)
        let taken = try await results
        #expect(taken == [[0]])
    }

    @Test func `a slow worker keeps its batch as long as it renews the lease`() async throws {
        let bench = try await QueueBench()
        let coordinator = try await bench.begin(bench.job())
        async let results = squares(1, coordinator)
        let summary = try await bench.work(as: "slow", lease: .milliseconds(300)) { batch, _ in
            do {
                let moment = "extract(epoch FROM leased_until) * 1000"
                let first = try await bench.number("SELECT \(moment) FROM work_batch")
                try await bench.wait(until: "SELECT \(moment) > \(first + 300) FROM work_batch")
            } catch {
                return .failure("\(error)")
            }
            return .result(QueueBench.square(batch))
        }
        #expect(summary == QueueWorker.Summary(batches: 1, state: .done))
        let taken = try await results
        #expect(taken == [[0]])
    }

    @Test func `all workers learn that a job was canceled, and a batch under way is given up`() async throws {
        let bench = try await QueueBench()
        let coordinator = try await bench.begin(bench.job())
        let work = Task { try await coordinator.run(numbers(2)) { _, _ in true } }
        async let busy = bench.work(as: "busy", lease: .milliseconds(60)) { _, isWanted in
            while isWanted() { await Task.yield() }
            return .unfinished
        }
        try await bench.wait(until: "SELECT count(*) > 0 FROM work_batch WHERE worker = 'busy'")
        work.cancel()
        #expect(await failure { try await work.value } == .canceled)
        await coordinator.abandon(.canceled, cause: "Ctrl-C")
        let given = try await busy
        #expect(given == QueueWorker.Summary(batches: 0, state: .canceled, cause: "Ctrl-C"))
        let queue = try await bench.open()
        #expect(
            await failure { _ = try await queue.job("1", for: QueueBench.program) }
                == .ended(.canceled, cause: "Ctrl-C"))
        #expect(try await queue.nextJob(for: QueueBench.program) == nil)
    }

    @Test func `a batch that no worker can do fails the job, with the worker and its cause`() async throws {
        let bench = try await QueueBench()
        let coordinator = try await bench.begin(bench.job())
        async let summary = bench.work(as: "honest") { _, _ in .failure("the batch can't be read") }
        let error = await failure { try await coordinator.run(numbers(3)) { _, _ in true } }
        #expect(error == .ended(.failed, cause: "worker honest: the batch can't be read"))
        let told = try await summary
        #expect(told.state == .failed)
    }

    @Test func `a batch that ends every program that takes it fails the job`() async throws {
        let bench = try await QueueBench()
        let coordinator = try await bench.begin(bench.job())
        let work = Task { try await coordinator.run(numbers(1)) { _, _ in true } }
        try await bench.wait(until: "SELECT count(*) = 1 FROM work_batch")
        try await bench.run("UPDATE work_batch SET taken = 11")
        let error = await failure { try await work.value }
        #expect(error?.description.contains("a batch was taken 11 times and never finished") == true)
    }

    @Test func `the coordinator ends a job that can't go on, or of which it has enough`() async throws {
        let bench = try await QueueBench()
        let coordinator = try await bench.begin(bench.job())
        let cause = "all workers of this command have ended"
        let error = await failure {
            try await coordinator.run(numbers(1), watch: { $0.workers == 0 ? cause : nil }) { _, _ in true }
        }
        #expect(error == .ended(.failed, cause: cause))
        let other = try await QueueBench()
        let enough = try await other.begin(other.job())
        async let summary = other.work(as: "worker")
        let taken = TakenResults()
        try await enough.run(numbers(50)) { _, result in taken.add(result) < 5 }
        #expect(taken.all == numbers(5).map(QueueBench.square))
        #expect(try await other.number("SELECT count(*) FROM work_batch") == 0)
        try await enough.finish()
        let told = try await summary
        #expect(told.state == .done)
    }

    @Test func `a job whose coordinator is gone ends for all at the first look after its lease`() async throws {
        let bench = try await QueueBench()
        let coordinator = try await bench.begin(bench.job())
        try await bench.run("INSERT INTO work_batch (job, number, input) VALUES ('1', 0, '\\x03')")
        try await bench.run("UPDATE work_job SET leased_until = '-infinity'")
        let cause = "it gave no sign of life within its lease"
        let summary = try await bench.work(as: "left")
        #expect(summary == QueueWorker.Summary(batches: 0, state: .abandoned, cause: cause))
        #expect(try await bench.number("SELECT count(*) FROM work_job WHERE state = 'abandoned'") == 1)
        #expect(try await bench.number("SELECT count(*) FROM work_batch") == 0)
        #expect(try await bench.open().nextJob(for: QueueBench.program) == nil)
        // One that comes back finds out.
        let error = await failure { try await coordinator.run(numbers(1)) { _, _ in true } }
        #expect(error == .ended(.abandoned, cause: cause))
    }

    @Test func `the time since a worker was seen can be asked for, also when it has ended`() async throws {
        let bench = try await QueueBench()
        let coordinator = try await bench.begin(bench.job())
        async let summary = bench.work(as: "worker")
        #expect(try await squares(3, coordinator).count == 3)
        #expect(try await summary.batches == 3)
        #expect(try await bench.number("SELECT count(*) FROM work_worker WHERE now() - seen IS NULL") == 1)
    }

    @Test func `another program does not work on a job`() async throws {
        let bench = try await QueueBench()
        let coordinator = try await bench.begin(bench.job())
        let queue = try await bench.open()
        #expect(try await queue.nextJob(for: QueueBench.program) == bench.job())
        #expect(try await queue.nextJob(for: "1.1, build b", besides: ["1"]) == nil)
        let error = WorkQueueError.otherProgram(job: "1", theirs: QueueBench.program, own: "1.1, build b")
        #expect(await failure { _ = try await queue.nextJob(for: "1.1, build b") } == error)
        #expect(await failure { _ = try await queue.job("1", for: "1.1, build b") } == error)
        #expect(error.description.contains("was begun by cardpresent 1.0, build a"))
        #expect(error.fix?.contains("copy the program") == true)
        #expect(await failure { _ = try await queue.job("2", for: QueueBench.program) } == .noJob(id: "2"))
        try await coordinator.finish()
    }

    @Test func `programs that begin at the same time make the tables once, and a newer version is refused`()
        async throws
    {
        let bench = try await QueueBench()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<6 { group.addTask { try await bench.open().close() } }
            try await group.waitForAll()
        }
        #expect(try await bench.number("SELECT count(*) FROM work_schema") == WorkQueueSchema.version)
        try await bench.run("INSERT INTO work_schema VALUES (\(WorkQueueSchema.version + 1))")
        let error = await failure { _ = try await bench.open() }
        #expect(error == .newerSchema(found: WorkQueueSchema.version + 1, known: WorkQueueSchema.version))
    }

    @Test func `batches that the server has lost, as after a failover, are added again`() async throws {
        let bench = try await QueueBench()
        let coordinator = try await bench.begin(bench.job())
        async let results = squares(40, coordinator)
        while try await bench.number("SELECT count(*) FROM work_batch") < 40 {
            try await Task.sleep(for: .milliseconds(2))
        }
        try await bench.run("DELETE FROM work_batch WHERE number % 3 = 0")
        async let summary = bench.work(as: "worker")
        #expect(try await results == numbers(40).map(QueueBench.square))
        #expect(try await summary.state == .done)
    }

    @Test func `a server that ends all connections and starts again interrupts nothing`() async throws {
        try await TemporaryPostgreSQL.running { server in
            let bench = try await QueueBench(server.address())
            let coordinator = try await bench.begin(bench.job())
            let count = TakenResults()
            async let summary = bench.work(as: "worker") { batch, _ in
                if count.add(batch) == 10 { try? await server.restart() }
                return .result(QueueBench.square(batch))
            }
            #expect(try await squares(40, coordinator) == numbers(40).map(QueueBench.square))
            let told = try await summary
            #expect(told.state == .done)
        }
    }

    @Test(.enabled(if: TemporaryPostgreSQL.hasPooler, Comment(rawValue: TemporaryPostgreSQL.missingPooler)))
    func `workers share a job through a pooler that ends in the middle`() async throws {
        try await TemporaryPostgreSQL.running { server in
            try await server.runningPooler { pooler in
                // PgBouncer takes no options, so the tables are in the schema of the login.
                let bench = try await QueueBench(
                    "host=\(pooler.directory) port=\(pooler.port) user=tester dbname=postgres")
                let coordinator = try await bench.begin(bench.job())
                let count = TakenResults()
                let workers = Task {
                    try await withThrowingTaskGroup(of: QueueWorker.Summary.self) { group in
                        for number in 1...5 {
                            group.addTask {
                                try await bench.work(as: "worker \(number)") { batch, _ in
                                    // A worker that lost an answer asks again, and gets the batch that it has.
                                    if count.add(batch) == 10 { try? await pooler.restart() }
                                    return .result(QueueBench.square(batch))
                                }
                            }
                        }
                        return try await group.reduce(into: []) { $0.append($1.state) }
                    }
                }
                #expect(try await squares(40, coordinator) == numbers(40).map(QueueBench.square))
                #expect(try await workers.value.allSatisfy { $0 == .done })
            }
        }
    }
}
