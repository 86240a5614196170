import Connections
import Determinism
import Synchronization
import TestPostgreSQL
import Testing

@testable import PostgreSQL

@Suite(.enabled(if: TemporaryPostgreSQL.isUsed, Comment(rawValue: TemporaryPostgreSQL.missing)))
struct TransactionTests {
    private func bench() async throws -> (Bench, PostgreSQLConnection) {
        let bench = try await Bench()
        try await bench.script("CREATE TABLE account (name text PRIMARY KEY, amount bigint NOT NULL)")
        try await bench.script("INSERT INTO account VALUES ('a', 100), ('b', 100)")
        return (bench, try await bench.connect())
    }

    private func add(_ amount: Int64, to name: String) -> Statement {
        Statement("UPDATE account SET amount = amount + $1 WHERE name = $2", .integer(amount), .text(name))
    }

    private func amounts(_ bench: Bench) async throws -> [Int64] {
        let rows = try await bench.observer.run(
            Statement("SELECT amount FROM account ORDER BY name"), deadline: .soon)
        return try rows.map { try $0.value("amount") }
    }

    @Test func `changes stay when the body commits, and only then`() async throws {
        let (bench, connection) = try await bench()
        let told = try await connection.transaction(deadline: .soon) { transaction throws(PostgreSQLError) in
            try await transaction.run([add(-1, to: "a"), add(1, to: "b")])
            return .commit("done")
        }
        #expect(told == "done")
        #expect(try await amounts(bench) == [99, 101])
        try await connection.transaction(deadline: .soon) { transaction throws(PostgreSQLError) in
            try await transaction.run(add(-1, to: "a"))
            return .rollBack(())
        }
        let error = await failure {
            try await connection.transaction(deadline: .soon) { transaction throws(PostgreSQLError) in
                try await transaction.run(add(-1, to: "a"))
                try await transaction.run(Statement("SELECT 1 / 0"))
                return .commit(())
            }
        }
        #expect(error?.report?.state.rawValue == "22012")
        #expect(try await amounts(bench) == [99, 101])
        #expect(await connection.isAlive())
    }

    @Test func `a commit after a refused statement is an error`() async throws {
        let (bench, connection) = try await bench()
        let error = await failure {
            try await connection.transaction(deadline: .soon) { transaction throws(PostgreSQLError) in
                try await transaction.run(add(5, to: "a"))
                _ = try? await transaction.run(Statement("SELECT 1 / 0"))
                return .commit(())
            }
        }
        #expect(error?.report?.state.rawValue == "22012")
        #expect(try await amounts(bench) == [100, 100])
    }

    @Test func `a transaction that has ended takes no statements`() async throws {
        let (_, connection) = try await bench()
        let escaped = try await connection.transaction(deadline: .soon) { transaction in .commit(transaction) }
        let error = await failure { try await escaped.run(add(1, to: "a")) }
        #expect(error?.reason == .misuse("the transaction of this statement has ended"))
    }

    @Test func `statements that begin or end a transaction by themselves close the connection`() async throws {
        let (bench, connection) = try await bench()
        let error = await failure { try await connection.run(Statement("BEGIN"), deadline: .soon) }
        #expect(error.map { if case .misuse = $0.reason { true } else { false } } == true)
        #expect(await !connection.isOpen)
        let other = try await bench.connect()
        let inside = await failure {
            try await other.transaction(deadline: .soon) { transaction throws(PostgreSQLError) in
                try await transaction.run(Statement("ROLLBACK"))
                return .commit(())
            }
        }
        #expect(inside.map { if case .misuse = $0.reason { true } else { false } } == true)
        #expect(await !other.isOpen)
    }

    @Test func `transactions in conflict run again until all have succeeded`() async throws {
        let (bench, _) = try await bench()
        let pauses = Mutex(0)
        let reads = Mutex(0)
        let noteRead: @Sendable () -> Void = { reads.withLock { $0 += 1 } }
        let haveRead: @Sendable () -> Bool = { reads.withLock { $0 >= 4 } }
        let options = TransactionOptions(
            retry: TransactionRetry(attempts: 100) { _ in
                pauses.withLock { $0 += 1 }
                return .milliseconds(1)
            })
        try await withThrowingTaskGroup { group in
            for _ in 0..<4 {
                let connection = try await bench.connect()
                group.addTask {
                    for round in 0..<10 {
                        try await connection.transaction(options, deadline: .soon) {
                            transaction throws(PostgreSQLError) in
                            let read = Statement("SELECT amount FROM account WHERE name = 'a'")
                            let amount: Int64 = try await transaction.run(read).only().value("amount")
                            // The first four have read before one of them writes.
                            noteRead()
                            while round == 0, !Task.isCancelled, !haveRead() { await Task.yield() }
                            let write = Statement(
                                "UPDATE account SET amount = $1 WHERE name = 'a'", .integer(amount + 1))
                            try await transaction.run(write)
                            return .commit(())
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await amounts(bench) == [140, 100])
        #expect(pauses.withLock { $0 } >= 3)
    }

    @Test func `a conflict that does not end is reported after the last run`() async throws {
        let (bench, connection) = try await bench()
        let runs = Mutex(0)
        let pauses = Mutex<[Int]>([])
        let options = TransactionOptions(
            isolation: .repeatableRead,
            retry: TransactionRetry(attempts: 3) { run in
                pauses.withLock { $0.append(run) }
                return .zero
            })
        let error = await failure {
            try await connection.transaction(options, deadline: .soon) { transaction throws(PostgreSQLError) in
                runs.withLock { $0 += 1 }
                try await transaction.run(Statement("SELECT * FROM account"))
                try await bench.observer.run(add(1, to: "a"), deadline: .soon)
                try await transaction.run(add(1, to: "a"))
                return .commit(())
            }
        }
        #expect(error?.report?.state == .serializationFailure)
        #expect(error?.isConflict == true)
        #expect(runs.withLock { $0 } == 3)
        #expect(pauses.withLock { $0 } == [1, 2])
        #expect(try await amounts(bench) == [103, 100])
    }

    @Test func `of two transactions that wait for each other, one runs again`() async throws {
        let (bench, _) = try await bench()
        let options = TransactionOptions(isolation: .readCommitted, retry: TransactionRetry { _ in .zero })
        let arrivals = Counter()
        try await withThrowingTaskGroup { group in
            for names in [["a", "b"], ["b", "a"]] {
                let connection = try await bench.connect()
                group.addTask {
                    try await connection.transaction(options, deadline: .soon) { transaction throws(PostgreSQLError) in
                        try await transaction.run(add(1, to: names[0]))
                        arrivals.increment()
                        while arrivals.count < 2 { await Task.yield() }
                        try await transaction.run(add(1, to: names[1]))
                        return .commit(())
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(arrivals.count > 2)
        #expect(try await amounts(bench) == [102, 102])
    }

    @Test func `isolation and reading alone are as the options say`() async throws {
        let (_, connection) = try await bench()
        let options = TransactionOptions(isolation: .repeatableRead, isReadOnly: true)
        let level = try await connection.transaction(options, deadline: .soon) { transaction throws(PostgreSQLError) in
            .commit(try await transaction.run(Statement("SHOW transaction_isolation")).only())
        }
        #expect(try level.value("transaction_isolation") == "repeatable read")
        let error = await failure {
            _ = try await connection.transaction(options, deadline: .soon) { transaction throws(PostgreSQLError) in
                .commit(try await transaction.run(add(1, to: "a")))
            }
        }
        #expect(error?.report?.state.rawValue == "25006")
    }

    @Test func `a savepoint keeps what was before a refused statement`() async throws {
        let (bench, connection) = try await bench()
        try await connection.transaction(deadline: .soon) { transaction throws(PostgreSQLError) in
            try await transaction.run([add(1, to: "a"), Statement("SAVEPOINT here")])
            _ = try? await transaction.run(Statement("SELECT 1 / 0"))
            try await transaction.run(Statement("ROLLBACK TO here"))
            return .commit(())
        }
        #expect(try await amounts(bench) == [101, 100])
    }
}
