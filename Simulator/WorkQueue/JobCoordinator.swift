import Determinism
import PostgreSQL

/// Begins a job, adds its batches, and takes their results in order. A job has one coordinator, and goes on only as
/// long as it does.
public actor JobCoordinator {
    /// The job.
    public nonisolated let job: Job

    private let queue: WorkQueue
    /// The number of the next batch.
    private var next: Int64 = 0
    private var done = 0
    private var renewed: Duration?
    private var counts = (moment: Duration?.none, workers: Int64(0), busy: Int64(0), taken: Int64(0))

    /// Pauses between looks without a new result double up to the longest one.
    private static let firstPause = Duration.milliseconds(5)
    private static let longestPause = Duration.milliseconds(100)
    /// How long a count of workers and open batches holds: with many of them, it takes the server some time.
    private static let countTime = Duration.milliseconds(250)
    /// The most batches that one transaction adds.
    private static let mostAdded = 256
    /// A batch that is taken more often ends the programs that take it.
    private static let mostTaken: Int64 = 10

    /// Begins a job.
    ///
    /// - Throws: ``WorkQueueError``
    public init(_ job: Job, in queue: WorkQueue) async throws(WorkQueueError) {
        (self.job, self.queue) = (job, queue)
        try await queue.begin(job)
    }

    /// Has workers do batches, and waits for their results.
    ///
    /// - Parameters:
    ///   - batches: the batches.
    ///   - watch: receives the progress after each look at the job. It returns why the job can't go on; nil lets it.
    ///   - take: receives each result in the order of `batches`, one at a time. Returning false drops the batches that
    ///     are left.
    /// - Throws: ``WorkQueueError``: `ended` when the job was canceled or has failed, which ends it for all workers.
    public func run(
        _ batches: [[UInt8]], watch: @Sendable (JobProgress) -> String? = { _ in nil },
        take: @Sendable (Int, [UInt8]) -> Bool
    ) async throws(WorkQueueError) {
        let first = next
        next += Int64(batches.count)
        let numbered = zip(first..., batches).map { (number: $0, input: $1) }
        try await add(numbered)
        var (early, fetched, known): ([Int64: [UInt8]], [Int64], Set<Int64>) = ([:], [], [])
        var told = 0
        var pause = Self.firstPause
        while told < batches.count {
            let look = try await look(deleting: fetched)
            // A server that was restored, or a standby that lagged behind, may lack batches that were added.
            if let rows = look.rows, rows < batches.count - known.count {
                try await add(numbered.filter { !known.contains($0.number) })
            }
            fetched = look.results.map(\.number)
            done += fetched.count
            known.formUnion(fetched)
            for (number, result) in look.results { early[number] = result }
            while let result = early.removeValue(forKey: first + Int64(told)) {
                told += 1
                guard take(told - 1, result) else { return try await drop() }
            }
            guard told < batches.count else { break }
            try await check(look, watch)
            pause = fetched.isEmpty ? min(pause * 2, Self.longestPause) : Self.firstPause
            do throws(CancellationError) { try await queue.time.sleep(for: pause) } catch { throw .canceled }
        }
        try await drop()
    }

    /// Ends the job when all its batches are done.
    ///
    /// - Throws: ``WorkQueueError``
    public func finish() async throws(WorkQueueError) { try await queue.end(job, .done, cause: "") }

    /// Ends the job at once, also when the task is canceled. A database that can't be reached ends it later, when the
    /// coordinator has been away for ``WorkQueueTiming/absence``.
    ///
    /// - Parameters:
    ///   - state: `canceled` or `failed`.
    ///   - cause: what the workers tell.
    public func abandon(_ state: JobState, cause: String) async {
        let (queue, job) = (queue, job)
        await Task { await queue.endAtOnce(job, state, cause: cause) }.value
    }

    private func add(_ batches: [(number: Int64, input: [UInt8])]) async throws(WorkQueueError) {
        var statements: [Statement] = []
        for (index, batch) in batches.enumerated() {
            statements.append(
                Statement(
                    "INSERT INTO work_batch (job, number, input) SELECT id, $2, $3 FROM work_job WHERE id = $1"
                        + " AND state = 'running' ON CONFLICT (job, number) DO NOTHING", .text(job.id),
                    .integer(batch.number), .bytes(batch.input)))
            guard statements.count == Self.mostAdded || index == batches.count - 1 else { continue }
            _ = try await queue.link.run(statements)
            statements = []
        }
    }

    /// Deletes the batches of the job, whose results are here or no longer needed.
    private func drop() async throws(WorkQueueError) {
        _ = try await queue.link.run(Statement("DELETE FROM work_batch WHERE job = $1", .text(job.id)))
    }

    private struct Look {
        var results: [(number: Int64, result: [UInt8])] = []
        var standing: JobStanding
        /// The number of batches at the server, those with the results above included; nil when they were not counted.
        var rows: Int?
    }

    /// Looks for results, and shows that the coordinator is there.
    ///
    /// - Parameter fetched: the batches whose results are here, and no longer needed there.
    /// - Returns: the results that have come since, and how the job stands.
    /// - Throws: ``WorkQueueError``
    private func look(deleting fetched: [Int64]) async throws(WorkQueueError) -> Look {
        let numbers = "{" + fetched.map(String.init).joined(separator: ",") + "}"
        var statements = [
            Statement(
                "DELETE FROM work_batch WHERE job = $1 AND number = ANY ($2::text::bigint[])", .text(job.id),
                .text(numbers)),
            Statement(
                "SELECT number, result FROM work_batch WHERE job = $1 AND result IS NOT NULL ORDER BY number LIMIT 256",
                .text(job.id)), standing(),
        ]
        let time = queue.time
        if counts.moment.map({ time.elapsed(since: $0) > Self.countTime }) ?? true { statements.append(counting) }
        let results = try await queue.link.run(statements)
        let rows = results.count > 3 ? try take(results[3]) : nil
        return try WorkQueueError.reading { () throws(PostgreSQLError) in
            let row = results[2].first
            var look = Look(standing: try row.map(JobStanding.init) ?? JobStanding(.failed, "its rows are deleted"))
            look.rows = rows
            for row in results[1] { look.results.append((try row.value("number"), try row.value("result"))) }
            return look
        }
    }

    /// Counts the workers, the batches that they have, and how often a batch without a result was taken at most.
    private var counting: Statement {
        Statement(
            """
            SELECT (SELECT count(*) FROM work_worker
                    WHERE job = $1 AND seen > clock_timestamp() - $2 * interval '1 millisecond') AS workers,
                (SELECT count(*) FROM work_batch WHERE job = $1) AS rows,
                count(*) FILTER (WHERE leased_until > clock_timestamp()) AS busy, coalesce(max(taken), 0) AS taken
            FROM work_batch WHERE job = $1 AND result IS NULL
            """, .text(job.id), .milliseconds(queue.timing.lease))
    }

    /// Keeps the counts, and returns the number of batches.
    private func take(_ rows: PostgreSQLRows) throws(WorkQueueError) -> Int {
        let moment = queue.time.reading()
        let row = try WorkQueueError.reading { () throws(PostgreSQLError) in try rows.only() }
        return try WorkQueueError.reading { () throws(PostgreSQLError) in
            counts = (moment, try row.value("workers"), try row.value("busy"), try row.value("taken"))
            let rows: Int64 = try row.value("rows")
            return Int(clamping: rows)
        }
    }

    /// Returns the statement that reads how the job stands, and now and then also renews its lease.
    private func standing() -> Statement {
        let time = queue.time
        guard renewed.map({ time.elapsed(since: $0) > queue.timing.absence / 8 }) ?? true else {
            return Statement("SELECT state, cause FROM work_job WHERE id = $1", .text(job.id))
        }
        renewed = time.reading()
        return Statement(
            "UPDATE work_job SET leased_until = clock_timestamp() + $2 * interval '1 millisecond' WHERE id = $1"
                + " RETURNING state, cause", .text(job.id), .milliseconds(queue.timing.absence))
    }

    private func check(_ look: Look, _ watch: (JobProgress) -> String?) async throws(WorkQueueError) {
        guard look.standing.state == .running else { throw .ended(look.standing.state, cause: look.standing.cause) }
        let progress = JobProgress(batches: done, workers: Int(counts.workers), busy: Int(counts.busy))
        let cause =
            counts.taken > Self.mostTaken
            ? "a batch was taken \(counts.taken) times and never finished: the program may end in it" : watch(progress)
        guard let cause else { return }
        try await queue.end(job, .failed, cause: cause)
        throw .ended(.failed, cause: cause)
    }
}

/// The progress of a job over all its workers.
public struct JobProgress: Hashable, Sendable {
    /// The number of batches with a result.
    public let batches: Int
    /// The number of workers that have shown themselves within the time of a lease.
    public let workers: Int
    /// The number of batches that workers have now.
    public let busy: Int

    /// Before the first look.
    public static let none = JobProgress(batches: 0, workers: 0, busy: 0)
}

extension WorkQueue {
    /// Ends a job with one try.
    fileprivate func endAtOnce(_ job: Job, _ state: JobState, cause: String) async {
        await link.runOnce(ending(job, state, cause: cause))
    }
}
