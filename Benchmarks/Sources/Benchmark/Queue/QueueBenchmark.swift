import Determinism
import PostgreSQL
import WorkQueue

/// What a batch of a shared search costs: workers that play nothing take batches and store results as large as those of
/// an exploration.
struct QueueBenchmark {
    let address: String
    var rounds = 5
    /// The batches of a round.
    var batches = 2000
    /// The numbers of workers, each with a connection of its own.
    var workers = [1, 4, 16, 64]

    /// The bytes of a batch of two sessions and of its result.
    private static let (input, result) = ([UInt8](repeating: 1, count: 3000), [UInt8](repeating: 2, count: 12_000))

    func run() async throws -> String {
        var table = MarkdownTable("workers", "batches per second", "ms per batch and worker")
        for count in workers {
            var rates = Samples()
            for _ in 0..<rounds { rates.add(try await rate(of: count)) }
            table.add("\(count)", rates.text(decimals: 0), rates.map { Double(count) * 1000 / $0 }.text(decimals: 2))
        }
        return "### Queue of work\n\n" + table.text
    }

    /// Returns the batches per second that this number of workers does.
    private func rate(of count: Int) async throws -> Double {
        let time = SystemTimeSource()
        let queue = try await WorkQueue.open(PostgreSQLAddress(address), time: time)
        let id = "benchmark-" + SystemRandomSource().bytes(8).map { String($0, radix: 16) }.joined()
        let job = Job(id: id, kind: "benchmark", program: "benchmark", spec: [])
        let coordinator = try await JobCoordinator(job, in: queue)
        let working = Task { try await work(on: job, count) }
        let inputs = [[UInt8]](repeating: Self.input, count: batches)
        // All workers are there before the clock starts.
        try await coordinator.run([[UInt8]](repeating: Self.input, count: 4 * count)) { _, _ in true }
        let took = try await seconds { try await coordinator.run(inputs) { _, _ in true } }
        try await coordinator.finish()
        try await working.value
        await queue.close()
        return Double(batches) / took
    }

    private func work(on job: Job, _ count: Int) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<count {
                group.addTask { [address] in
                    let queue = try await WorkQueue.open(PostgreSQLAddress(address), time: SystemTimeSource())
                    _ = try await QueueWorker(queue, on: job, name: "\(number)").run { _, _ in .result(Self.result) }
                    await queue.close()
                }
            }
            try await group.waitForAll()
        }
    }
}
