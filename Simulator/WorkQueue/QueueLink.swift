import Determinism
import PostgreSQL

/// The way to the database of a queue, with the errors of a queue. Every statement here may run twice.
struct QueueLink: Sendable {
    private let link: PostgreSQLLink

    /// Connects.
    ///
    /// - Throws: ``WorkQueueError`` at once when the first connection is not made.
    init(to address: PostgreSQLAddress, time: any TimeSource, timing: WorkQueueTiming) async throws(WorkQueueError) {
        link = PostgreSQLLink(
            to: address, time: time,
            patience: PostgreSQLPatience(statement: timing.statement, outage: timing.patience))
        do throws(PostgreSQLError) { try await link.connect() } catch { throw WorkQueueError(error) }
    }

    /// Closes the connection. The link can be used again.
    func close() async { await link.close() }

    /// Runs statements, which the server commits together.
    ///
    /// - Returns: the rows of each.
    /// - Throws: ``WorkQueueError``
    func run(_ statements: Statement...) async throws(WorkQueueError) -> [PostgreSQLRows] {
        try await run(statements)
    }

    /// Runs a list of statements in the same way.
    ///
    /// - Throws: ``WorkQueueError``
    func run(_ statements: [Statement]) async throws(WorkQueueError) -> [PostgreSQLRows] {
        do throws(PostgreSQLError) { return try await link.run(statements) } catch { throw WorkQueueError(error) }
    }

    /// Runs statements once, and within a moment: leases end also without this.
    func runOnce(_ statements: [Statement]) async { await link.runOnce(statements) }

    /// Runs a transaction that may run again after its commit.
    ///
    /// - Throws: ``WorkQueueError``
    func transaction<Value: Sendable>(
        _ body: @Sendable (PostgreSQLTransaction) async throws(PostgreSQLError) -> TransactionEnd<Value>
    ) async throws(WorkQueueError) -> Value {
        do throws(PostgreSQLError) { return try await link.transaction(body) } catch { throw WorkQueueError(error) }
    }
}

/// Times of a queue.
public struct WorkQueueTiming: Sendable {
    /// How long a worker has a batch before another one may take it. The worker renews it three times within that.
    public var lease: Duration
    /// How long a job goes on without its coordinator.
    public var absence: Duration
    /// How long a statement may take.
    public var statement: Duration
    /// How long the database may be away.
    public var patience: Duration

    /// Sets the times.
    public init(
        lease: Duration = .seconds(15), absence: Duration = .seconds(120), statement: Duration = .seconds(20),
        patience: Duration = .seconds(90)
    ) {
        (self.lease, self.absence, self.statement, self.patience) = (lease, absence, statement, patience)
    }
}
