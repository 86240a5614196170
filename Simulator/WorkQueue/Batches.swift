import PostgreSQL

/// A batch that a worker has for the time of its lease.
struct TakenBatch: Hashable, Sendable {
    var number: Int64
    /// How often the batch was taken, which tells two leases of one worker apart.
    var taken: Int64
    var input: [UInt8]
}

/// The answer to a worker that asks for a batch.
enum TakeAnswer: Hashable, Sendable {
    case batch(TakenBatch)
    /// All batches are taken or done, and more may come.
    case nothing
    /// The lease of the coordinator has ended.
    case noCoordinator
    case ended(JobState, cause: String)
}

/// What became of a result.
enum StoreAnswer: Hashable, Sendable {
    case stored
    /// Another worker was first, with the same bytes, or the batch is no longer wanted.
    case dropped
    /// Another worker was first, with other bytes.
    case differs
}

/// The statements of workers about one job.
struct JobBatches: Sendable {
    let queue: WorkQueue
    let job: Job
    /// The name of the worker, which no other one has.
    let worker: String

    /// Takes the first batch that no worker has, or one that this worker has without knowing: the answer was lost.
    func take() async throws(WorkQueueError) -> TakeAnswer {
        let results = try await queue.link.run(
            Statement(
                """
                WITH next AS (
                    SELECT b.number FROM work_batch b
                    WHERE b.job = $1 AND b.result IS NULL
                        AND (b.leased_until IS NULL OR b.leased_until < clock_timestamp() OR b.worker = $2)
                        AND EXISTS (
                            SELECT FROM work_job j
                            WHERE j.id = $1 AND j.state = 'running' AND j.leased_until > clock_timestamp())
                    ORDER BY b.number LIMIT 1 FOR UPDATE OF b SKIP LOCKED)
                UPDATE work_batch b
                SET worker = $2, taken = b.taken + 1, leased_until = clock_timestamp() + $3 * interval '1 millisecond'
                FROM next WHERE b.job = $1 AND b.number = next.number
                RETURNING b.number, b.taken, b.input
                """, .text(job.id), .text(worker), .milliseconds(queue.timing.lease)),
            Statement(
                "SELECT state, cause, leased_until > clock_timestamp() AS led FROM work_job WHERE id = $1",
                .text(job.id)))
        return try WorkQueueError.reading { () throws(PostgreSQLError) in
            if let row = results[0].first {
                return .batch(
                    TakenBatch(
                        number: try row.value("number"), taken: try row.value("taken"), input: try row.value("input")))
            }
            guard let row = results[1].first else { return .ended(.done, cause: "its rows are deleted") }
            let standing = try JobStanding(row)
            guard standing.state == .running else { return .ended(standing.state, cause: standing.cause) }
            return try row.value("led") ? .nothing : .noCoordinator
        }
    }

    /// Shows that the worker is there, and renews the lease of its batch.
    ///
    /// - Parameter batch: nil when the worker has none.
    /// - Returns: whether the job still goes on. A worker that has lost its lease finishes the batch all the same: it
    ///   may be the first one.
    /// - Throws: ``WorkQueueError``
    func renew(_ batch: TakenBatch?) async throws(WorkQueueError) -> Bool {
        let rows = try await queue.link.run(
            Statement(
                """
                WITH kept AS (
                    UPDATE work_batch SET leased_until = clock_timestamp() + $5 * interval '1 millisecond'
                    WHERE job = $1 AND number = $2 AND taken = $3 AND worker = $4 AND result IS NULL),
                seen AS (
                    INSERT INTO work_worker (job, name, seen)
                    SELECT id, $4, clock_timestamp() FROM work_job WHERE id = $1
                    ON CONFLICT (job, name) DO UPDATE SET seen = excluded.seen)
                SELECT state = 'running' AS running FROM work_job WHERE id = $1
                """, .text(job.id), .integer(batch?.number ?? -1), .integer(batch?.taken ?? -1), .text(worker),
                .milliseconds(queue.timing.lease)))[0]
        return try WorkQueueError.reading { () throws(PostgreSQLError) in
            try rows.first?.value("running") ?? false
        }
    }

    /// Stores the result of a batch, unless there is one.
    func store(_ result: [UInt8], of batch: TakenBatch) async throws(WorkQueueError) -> StoreAnswer {
        // The first look can miss a result that was stored at the same moment.
        for _ in 0..<2 {
            let rows = try await queue.link.run(
                Statement(
                    """
                    WITH stored AS (
                        UPDATE work_batch SET result = $3, worker = $4, leased_until = NULL
                        WHERE job = $1 AND number = $2 AND result IS NULL
                            AND EXISTS (SELECT FROM work_job WHERE id = $1 AND state = 'running')
                        RETURNING number),
                    seen AS (
                        INSERT INTO work_worker (job, name, seen, done)
                        SELECT id, $4, clock_timestamp(), (SELECT count(*) FROM stored) FROM work_job WHERE id = $1
                        ON CONFLICT (job, name)
                        DO UPDATE SET seen = excluded.seen, done = work_worker.done + excluded.done)
                    SELECT EXISTS (SELECT FROM stored) AS stored,
                        (SELECT result = $3 FROM work_batch WHERE job = $1 AND number = $2) AS same
                    """, .text(job.id), .integer(batch.number), .bytes(result), .text(worker)))[0]
            let (isStored, isSame) = try WorkQueueError.reading {
                () throws(PostgreSQLError) -> (Bool, Bool?) in
                let row = try rows.only()
                return (try row.value("stored"), try row.optional("same"))
            }
            if isStored { return .stored }
            if let isSame { return isSame ? .dropped : .differs }
        }
        return .dropped
    }

    /// Gives back what the worker has, so that others take it at once, and shows that it is there no longer.
    func leave() async {
        await queue.link.runOnce([
            Statement(
                "UPDATE work_batch SET worker = NULL, leased_until = NULL, taken = taken - 1"
                    + " WHERE job = $1 AND worker = $2 AND result IS NULL", .text(job.id), .text(worker)),
            Statement(
                "UPDATE work_worker SET seen = NULL WHERE job = $1 AND name = $2", .text(job.id), .text(worker)),
        ])
    }
}
