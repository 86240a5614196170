public import Connections
import Determinism

/// How a transaction runs.
public struct TransactionOptions: Sendable {
    /// How far a transaction sees others (chapter "Transaction Isolation" of PostgreSQL's manual).
    public enum Isolation: String, Sendable {
        case readCommitted = "READ COMMITTED"
        case repeatableRead = "REPEATABLE READ"
        /// As if transactions ran one after the other. Conflicts are refused, and such transactions run again.
        case serializable = "SERIALIZABLE"
    }

    /// How far the transaction sees others.
    public var isolation: Isolation
    /// Whether it only reads.
    public var isReadOnly: Bool
    /// When it runs again.
    public var retry: TransactionRetry

    /// A serializable transaction that reads and writes, and runs again after conflicts, unless the values say more.
    public init(
        isolation: Isolation = .serializable, isReadOnly: Bool = false, retry: TransactionRetry = TransactionRetry()
    ) {
        (self.isolation, self.isReadOnly, self.retry) = (isolation, isReadOnly, retry)
    }

    var begin: String { "BEGIN ISOLATION LEVEL \(isolation.rawValue) \(isReadOnly ? "READ ONLY" : "READ WRITE")" }
}

/// When a transaction runs again after a conflict with another one (40001, 40P01).
public struct TransactionRetry: Sendable {
    /// The most runs, at least 1.
    public let attempts: Int
    /// The pause after a run, whose number counts from 1.
    let pause: @Sendable (Int) -> Duration

    /// - Parameters:
    ///   - attempts: the most runs.
    ///   - pause: returns the pause after a run, whose number counts from 1. Without one, the pause begins with 10 ms
    ///     and doubles.
    public init(attempts: Int = 6, pause: (@Sendable (Int) -> Duration)? = nil) {
        self.attempts = max(1, attempts)
        self.pause = pause ?? { .milliseconds(10 << min(max(0, $0 - 1), 10)) }
    }
}

/// How the body of a transaction ends it.
public enum TransactionEnd<Value> {
    /// Keeps the changes.
    case commit(Value)
    /// Drops the changes.
    case rollBack(Value)
}

/// A transaction that is under way. Its statements fail when it has ended.
public struct PostgreSQLTransaction: Sendable {
    let connection: PostgreSQLConnection
    let number: Int
    let deadline: Deadline

    /// Runs a statement.
    ///
    /// - Parameters:
    ///   - statement: the statement.
    ///   - deadline: an earlier end of the wait than that of the transaction.
    /// - Returns: its rows.
    /// - Throws: ``PostgreSQLError``. The server then refuses further statements, unless there was a savepoint.
    @discardableResult
    public func run(
        _ statement: Statement, deadline: Deadline = .never
    ) async throws(PostgreSQLError) -> PostgreSQLRows {
        let results = try await run([statement], deadline: deadline)
        return try PostgreSQLConnection.first(results, statement.place)
    }

    /// Runs statements one after the other without waiting between them.
    ///
    /// - Returns: the rows of each statement.
    /// - Throws: ``PostgreSQLError``, with the place of the statement that was refused.
    @discardableResult
    public func run(
        _ statements: [Statement], deadline: Deadline = .never
    ) async throws(PostgreSQLError) -> [PostgreSQLRows] {
        try await connection.run(statements, in: number, min(deadline, self.deadline))
    }
}

extension PostgreSQLConnection {
    /// Runs a transaction. Other tasks that use the connection wait for its end; the body uses only the transaction
    /// that it gets.
    ///
    /// After a conflict with another transaction, the body runs again, so it must have no effects but its statements.
    ///
    /// - Parameters:
    ///   - options: isolation, and when it runs again.
    ///   - deadline: the end of all runs and the pauses between them.
    ///   - file: the caller's file, for errors.
    ///   - line: the caller's line.
    ///   - body: runs the statements, and says whether their changes stay. When it throws, they do not.
    /// - Returns: the value of the body.
    /// - Throws: ``PostgreSQLError``. Only with the reason `commitUnknown`, the changes may be stored: look for them
    ///   over a new connection before you run the transaction again.
    public nonisolated func transaction<Value>(
        _ options: TransactionOptions = TransactionOptions(), deadline: Deadline, file: String = #fileID,
        line: Int = #line, _ body: (PostgreSQLTransaction) async throws(PostgreSQLError) -> TransactionEnd<Value>
    ) async throws(PostgreSQLError) -> Value {
        let place = CodePlace(file: file, line: line)
        try await takeTurn(deadline, place)
        defer { turns.release() }
        var attempt = 1
        while true {
            do throws(PostgreSQLError) {
                return try await runOnce(options, deadline, place, body)
            } catch {
                guard error.isConflict, attempt < options.retry.attempts else { throw error }
                let pause = options.retry.pause(attempt)
                guard pause < deadline.remaining(on: time) else { throw error }
                do throws(CancellationError) { try await time.sleep(for: pause) } catch {
                    throw PostgreSQLError(.canceled, at: place)
                }
                attempt += 1
            }
        }
    }

    private nonisolated func runOnce<Value>(
        _ options: TransactionOptions, _ deadline: Deadline, _ place: CodePlace,
        _ body: (PostgreSQLTransaction) async throws(PostgreSQLError) -> TransactionEnd<Value>
    ) async throws(PostgreSQLError) -> Value {
        do throws(PostgreSQLError) {
            let number = try await begin(options, deadline, place)
            let transaction = PostgreSQLTransaction(connection: self, number: number, deadline: deadline)
            switch try await body(transaction) {
            case .commit(let value):
                try await commit(deadline, place)
                return value
            case .rollBack(let value):
                await rollBack(place)
                return value
            }
        } catch {
            await rollBack(place)
            throw error
        }
    }
}
