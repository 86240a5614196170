import Connections
import Determinism
import PostgreSQL

/// The way to the database of a queue. It is made again when it fails, so every statement here may run twice.
actor QueueLink {
    private let address: PostgreSQLAddress
    private let time: any TimeSource
    private let timing: WorkQueueTiming
    private var connection: PostgreSQLConnection?

    /// The first pause before another try, which doubles up to the longest one.
    private static let firstPause = Duration.milliseconds(50)
    private static let longestPause = Duration.seconds(2)

    /// Connects.
    ///
    /// - Throws: ``WorkQueueError`` at once when the first connection is not made.
    init(to address: PostgreSQLAddress, time: any TimeSource, timing: WorkQueueTiming) async throws(WorkQueueError) {
        (self.address, self.time, self.timing) = (address, time, timing)
        let deadline = Deadline(after: timing.statement, on: time)
        do throws(PostgreSQLError) { _ = try await open(until: deadline) } catch { throw WorkQueueError(error) }
    }

    /// Closes the connection. The link can be used again.
    func close() async {
        await connection?.close()
        connection = nil
    }

    /// Runs statements, which the server commits together.
    ///
    /// - Parameter statements: they may run again after their commit, when its answer is lost.
    /// - Returns: the rows of each.
    /// - Throws: ``WorkQueueError``
    func run(_ statements: Statement...) async throws(WorkQueueError) -> [PostgreSQLRows] {
        try await run(statements)
    }

    /// Runs a list of statements in the same way.
    ///
    /// - Throws: ``WorkQueueError``
    func run(_ statements: [Statement]) async throws(WorkQueueError) -> [PostgreSQLRows] {
        let (time, limit) = (time, timing.statement)
        return try await trying { connection throws(PostgreSQLError) in
            try await connection.run(statements, deadline: Deadline(after: limit, on: time))
        }
    }

    /// Runs statements once, and within a moment: for a program that is about to end.
    func runOnce(_ statements: [Statement]) async {
        let deadline = Deadline(after: .seconds(3), on: time)
        // Leases end also without this.
        _ = try? await open(until: deadline).run(statements, deadline: deadline)
    }

    /// Runs a transaction that may run again after its commit.
    ///
    /// - Throws: ``WorkQueueError``
    func transaction<Value: Sendable>(
        _ body: @Sendable (PostgreSQLTransaction) async throws(PostgreSQLError) -> TransactionEnd<Value>
    ) async throws(WorkQueueError) -> Value {
        let (time, limit) = (time, timing.statement)
        let options = TransactionOptions(isolation: .readCommitted)
        return try await trying { connection throws(PostgreSQLError) in
            try await connection.transaction(options, deadline: Deadline(after: limit, on: time), body)
        }
    }

    private func trying<Value>(
        _ body: (PostgreSQLConnection) async throws(PostgreSQLError) -> Value
    ) async throws(WorkQueueError) -> Value {
        var pause = Self.firstPause
        var end: Deadline?
        while true {
            do throws(PostgreSQLError) {
                return try await body(try await open(until: Deadline(after: timing.statement, on: time)))
            } catch {
                guard error.isPassing else { throw WorkQueueError(error) }
                let last = end ?? Deadline(after: timing.patience, on: time)
                end = last
                guard last.remaining(on: time) > pause else { throw WorkQueueError(error) }
            }
            do throws(CancellationError) { try await time.sleep(for: pause) } catch { throw WorkQueueError.canceled }
            pause = min(pause * 2, Self.longestPause)
        }
    }

    /// Returns the connection, or makes one in place of one that has failed.
    private func open(until deadline: Deadline) async throws(PostgreSQLError) -> PostgreSQLConnection {
        if let connection, await connection.isOpen { return connection }
        let new = try await PostgreSQLConnection.connect(to: address, deadline: deadline, time: time)
        connection = new
        return new
    }
}

extension PostgreSQLError {
    /// Whether the same statement can succeed later: the connection or the server failed, or a conflict was in the way.
    fileprivate var isPassing: Bool {
        switch reason {
        case .connectionLost, .closed, .timedOut, .notConnected: true
        case .commitUnknown(let cause): cause != .canceled
        // 08: connection, 40: conflict, 53: resources, 57: the server goes down or comes up.
        case .server(let report):
            ["08", "40", "53", "57"].contains(report.state.group) && report.state != .queryCanceled
        default: false
        }
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
