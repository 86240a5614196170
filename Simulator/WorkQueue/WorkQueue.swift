public import Determinism
public import PostgreSQL

/// Jobs whose batches any number of workers on any machine do, in tables of a PostgreSQL database.
///
/// A coordinator begins a job and adds its batches (``JobCoordinator``). Workers take batches (``QueueWorker``), each
/// with a lease that its worker renews. A batch whose lease runs out goes to another worker, so a worker that is
/// killed, stopped, or slow costs its batch and nothing else. The first result of a batch counts. A later one must have
/// the same bytes, and is dropped; with other bytes, the job fails, because its results could not be trusted.
///
/// Leases are measured by the clock of the server alone.
public struct WorkQueue: Sendable {
    let link: QueueLink
    let time: any TimeSource
    let timing: WorkQueueTiming

    /// Connects, and makes the tables when there are none.
    ///
    /// - Parameters:
    ///   - address: the database. The tables are in the first schema of its search path.
    ///   - time: measures waits and pauses of this process.
    ///   - timing: leases and waits.
    /// - Returns: the queue.
    /// - Throws: ``WorkQueueError``
    public static func open(
        _ address: PostgreSQLAddress, time: any TimeSource, timing: WorkQueueTiming = WorkQueueTiming()
    ) async throws(WorkQueueError) -> WorkQueue {
        let link = try await QueueLink(to: address, time: time, timing: timing)
        try await WorkQueueSchema.prepare(link)
        return WorkQueue(link: link, time: time, timing: timing)
    }

    /// Closes the connection.
    public func close() async { await link.close() }

    /// Begins a job.
    ///
    /// - Throws: ``WorkQueueError``
    func begin(_ job: Job) async throws(WorkQueueError) {
        _ = try await link.run(
            // Jobs that are over.
            Statement("DELETE FROM work_job WHERE leased_until < clock_timestamp() - interval '1 day'"),
            Statement(
                "INSERT INTO work_job (id, kind, program, spec, leased_until)"
                    + " VALUES ($1, $2, $3, $4, clock_timestamp() + $5 * interval '1 millisecond')"
                    + " ON CONFLICT (id) DO NOTHING",
                .text(job.id), .text(job.kind), .text(job.program), .bytes(job.spec), .milliseconds(timing.absence)))
    }

    /// Returns a job that is running.
    ///
    /// - Parameters:
    ///   - id: the number of the job.
    ///   - program: the program that would work on it.
    /// - Returns: the job.
    /// - Throws: ``WorkQueueError``: `noJob`, `ended`, or `otherProgram`.
    public func job(_ id: String, for program: String) async throws(WorkQueueError) -> Job {
        let rows = try await link.run(
            Statement("SELECT id, kind, program, spec, state, cause FROM work_job WHERE id = $1", .text(id)))[0]
        guard let row = rows.first else { throw WorkQueueError.noJob(id: id) }
        let job = try WorkQueueError.reading { () throws(PostgreSQLError) in try Job(row) }
        let standing = try WorkQueueError.reading { () throws(PostgreSQLError) in try JobStanding(row) }
        guard standing.state == .running else { throw WorkQueueError.ended(standing.state, cause: standing.cause) }
        guard job.program == program else {
            throw WorkQueueError.otherProgram(job: job.id, theirs: job.program, own: program)
        }
        return job
    }

    /// Looks for work.
    ///
    /// - Parameters:
    ///   - program: the program that would work on it.
    ///   - passed: the jobs to leave to others.
    /// - Returns: the oldest job that is running and has a coordinator; nil for none.
    /// - Throws: ``WorkQueueError``: `otherProgram` when there are only jobs of other programs.
    public func nextJob(for program: String, besides passed: Set<String> = []) async throws(WorkQueueError) -> Job? {
        let rows = try await link.run(
            Statement(
                "SELECT id, kind, program, spec FROM work_job"
                    + " WHERE state = 'running' AND leased_until > clock_timestamp() ORDER BY begun, id"))[0]
        let jobs = try WorkQueueError.reading { () throws(PostgreSQLError) in
            var jobs: [Job] = []
            for row in rows { jobs.append(try Job(row)) }
            return jobs.filter { !passed.contains($0.id) }
        }
        if let job = jobs.first(where: { $0.program == program }) { return job }
        guard let other = jobs.first else { return nil }
        throw WorkQueueError.otherProgram(job: other.id, theirs: other.program, own: program)
    }

    /// Ends a job for all, unless it has ended: no worker takes or stores anything any more.
    ///
    /// - Throws: ``WorkQueueError``
    public func end(_ job: Job, _ state: JobState, cause: String) async throws(WorkQueueError) {
        _ = try await link.run(ending(job, state, cause: cause))
    }

    /// Ends a job for all whose coordinator has not renewed its lease.
    ///
    /// - Throws: ``WorkQueueError``
    func endAbandoned(_ job: Job) async throws(WorkQueueError) {
        _ = try await link.run(
            Statement(
                "UPDATE work_job SET state = $2, cause = 'it gave no sign of life within its lease'"
                    + " WHERE id = $1 AND state = 'running' AND leased_until <= clock_timestamp()", .text(job.id),
                .text(JobState.abandoned.rawValue)),
            Statement(
                "DELETE FROM work_batch WHERE job = (SELECT id FROM work_job WHERE id = $1 AND state <> 'running')",
                .text(job.id)))
    }

    func ending(_ job: Job, _ state: JobState, cause: String) -> [Statement] {
        [
            Statement(
                "UPDATE work_job SET state = $2, cause = $3 WHERE id = $1 AND state = 'running'", .text(job.id),
                .text(state.rawValue), .text(cause)),
            Statement("DELETE FROM work_batch WHERE job = $1", .text(job.id)),
        ]
    }
}

/// Work that is divided into batches.
public struct Job: Hashable, Sendable {
    /// A number that no other job has.
    public let id: String
    /// What the batches are, such as `explore`.
    public let kind: String
    /// The program that began the job. Only the same one may work on it, so that results are the same bytes.
    public let program: String
    /// What all batches have in common.
    public let spec: [UInt8]

    /// Describes a job.
    public init(id: String, kind: String, program: String, spec: [UInt8]) {
        (self.id, self.kind, self.program, self.spec) = (id, kind, program, spec)
    }

    init(_ row: PostgreSQLRow) throws(PostgreSQLError) {
        (id, kind) = (try row.value("id"), try row.value("kind"))
        (program, spec) = (try row.value("program"), try row.value("spec"))
    }
}

/// Whether a job goes on.
public enum JobState: String, Hashable, Sendable {
    case running, done, canceled, failed
    /// The coordinator has not renewed its lease: it was killed, or lost the database.
    case abandoned

    /// For sentences about a job.
    var words: String {
        switch self {
        case .running: "is running"
        case .done: "is done"
        case .canceled: "was canceled"
        case .failed: "has failed"
        case .abandoned: "has lost its coordinator, the command that began it"
        }
    }
}

/// The state of a job, with the cause of its end.
struct JobStanding: Hashable, Sendable {
    var state: JobState
    var cause: String

    init(_ state: JobState, _ cause: String) { (self.state, self.cause) = (state, cause) }

    /// A state of a later version is one in which this program has nothing to do.
    init(_ row: PostgreSQLRow) throws(PostgreSQLError) {
        state = JobState(rawValue: try row.value("state")) ?? .done
        cause = try row.value("cause")
    }
}
