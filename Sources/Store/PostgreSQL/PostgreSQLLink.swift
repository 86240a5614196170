import Connections
public import Determinism

/// A way to a database that outlives its connections: one that fails is made again, and what failed with it runs again.
/// So every statement and transaction here may run twice, also after its commit.
public actor PostgreSQLLink {
    private let address: PostgreSQLAddress
    private let time: any TimeSource
    private let patience: PostgreSQLPatience
    private let outage: PostgreSQLOutage
    private var connection: PostgreSQLConnection?

    /// The first pause before another try, which doubles up to the longest one.
    private static let firstPause = Duration.milliseconds(50)
    private static let longestPause = Duration.seconds(2)
    /// A statement that is not answered runs again, so that little is lost with its connection.
    private static let timing = PostgreSQLTiming(grace: .seconds(2))

    /// Makes a link without a connection; the first statement makes it.
    ///
    /// - Parameters:
    ///   - address: the database.
    ///   - time: measures the waits and pauses.
    ///   - patience: how long they may be.
    ///   - outage: what links to the same database share.
    public init(
        to address: PostgreSQLAddress, time: any TimeSource, patience: PostgreSQLPatience,
        outage: PostgreSQLOutage = PostgreSQLOutage()
    ) {
        (self.address, self.time, self.patience, self.outage) = (address, time, patience, outage)
    }

    /// Connects, unless there is a connection.
    ///
    /// - Throws: ``PostgreSQLError`` at once when it is not made.
    public func connect() async throws(PostgreSQLError) {
        _ = try await open(until: Deadline(after: patience.statement, on: time))
    }

    /// Closes the connection. The link can be used again.
    public func close() async {
        await connection?.close()
        connection = nil
    }

    /// Runs statements, which the server commits together.
    ///
    /// - Parameter statements: they may run again after their commit, when its answer is lost.
    /// - Returns: the rows of each.
    /// - Throws: ``PostgreSQLError`` when the database is away for longer than the patience, or refuses them.
    @discardableResult
    public func run(_ statements: [Statement]) async throws(PostgreSQLError) -> [PostgreSQLRows] {
        try await trying { connection, deadline throws(PostgreSQLError) in
            try await connection.run(statements, deadline: deadline)
        }
    }

    /// Runs a text of several statements without parameters, such as the steps of a schema.
    ///
    /// - Throws: ``PostgreSQLError``
    public func runScript(_ text: String) async throws(PostgreSQLError) {
        try await trying { connection, deadline throws(PostgreSQLError) in
            try await connection.runScript(text, deadline: deadline)
        }
    }

    /// Runs statements once, and within a moment: for a program that is about to end. Failures are ignored.
    public func runOnce(_ statements: [Statement], within limit: Duration = .seconds(3)) async {
        let deadline = Deadline(after: limit, on: time)
        _ = try? await open(until: deadline).run(statements, deadline: deadline)
    }

    /// Runs a transaction that may run again after its commit. It sees what others have committed.
    ///
    /// - Throws: ``PostgreSQLError``
    public func transaction<Value: Sendable>(
        _ body: @Sendable (PostgreSQLTransaction) async throws(PostgreSQLError) -> TransactionEnd<Value>
    ) async throws(PostgreSQLError) -> Value {
        let options = TransactionOptions(isolation: .readCommitted)
        return try await trying { connection, deadline throws(PostgreSQLError) in
            try await connection.transaction(options, deadline: deadline, body)
        }
    }

    private func trying<Value>(
        _ body: (PostgreSQLConnection, Deadline) async throws(PostgreSQLError) -> Value
    ) async throws(PostgreSQLError) -> Value {
        var pause = Self.firstPause
        let call = time.reading()
        while true {
            let began = time.reading()
            let isOld = await connection?.isOpen ?? false
            do throws(PostgreSQLError) {
                let deadline = outage.deadline(patience, on: time)
                let value = try await body(try await open(until: deadline), deadline)
                outage.end()
                return value
            } catch {
                guard error.isPassing else { throw error }
                // Another server may have the address by the next try.
                if error.report?.state == .readOnlyTransaction { await close() }
                // Another link may have had an answer meanwhile.
                let last = Deadline(reading: min(outage.begin(began), call) + patience.outage)
                // A connection from before the outage says nothing about the database now.
                guard isOld || last.remaining(on: time) > pause else { throw error }
            }
            do throws(CancellationError) { try await time.sleep(for: pause) } catch {
                throw PostgreSQLError(.canceled)
            }
            pause = min(pause * 2, Self.longestPause)
        }
    }

    /// Returns the connection, or makes one in place of one that has failed.
    private func open(until deadline: Deadline) async throws(PostgreSQLError) -> PostgreSQLConnection {
        if let connection, await connection.isOpen { return connection }
        let new = try await PostgreSQLConnection.connect(
            to: address, deadline: deadline, time: time, timing: Self.timing)
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
            report.state == .readOnlyTransaction
                || ["08", "40", "53", "57"].contains(report.state.group) && report.state != .queryCanceled
        default: false
        }
    }
}
