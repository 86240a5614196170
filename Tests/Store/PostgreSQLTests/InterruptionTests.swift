import Connections
import Determinism
import TestDoubles
import TestPostgreSQL
import Testing

@testable import PostgreSQL

@Suite(.enabled(if: TemporaryPostgreSQL.isUsed, Comment(rawValue: TemporaryPostgreSQL.missing)))
struct InterruptionTests {
    @Test func `a statement that takes too long is canceled at the server, and the connection stays`() async throws {
        let bench = try await Bench()
        let time = ManualTimeSource()
        let connection = try await bench.connect(time: time, deadline: .never)
        let sleep = Statement("SELECT pg_sleep(6000), 'late'")
        let deadline = Deadline(after: .seconds(7), on: time)
        let task = Task { await failure { try await connection.run(sleep, deadline: deadline) } }
        _ = try await bench.process(running: "'late'")
        await time.untilTaskSleeps(.seconds(7))
        time.advance(by: .seconds(7))
        let error = await task.value
        #expect(error?.reason == .timedOut)
        #expect(error?.place == sleep.place)
        #expect(try await connection.run(Statement("SELECT 1 AS n"), deadline: .never).only().value("n") == Int64(1))
    }

    @Test func `a canceled task cancels its statement at the server, and the connection stays`() async throws {
        let bench = try await Bench()
        let connection = try await bench.connect()
        let task = Task {
            await failure { try await connection.run(Statement("SELECT pg_sleep(6000), 'no'"), deadline: .soon) }
        }
        _ = try await bench.process(running: "'no'")
        task.cancel()
        #expect(await task.value?.reason == .canceled)
        #expect(await connection.isAlive())
    }

    @Test func `a transaction whose task is canceled changes nothing, and the connection stays`() async throws {
        let bench = try await Bench()
        try await bench.script("CREATE TABLE entry (n bigint)")
        let connection = try await bench.connect()
        let task = Task {
            await failure {
                try await connection.transaction(deadline: .soon) { transaction throws(PostgreSQLError) in
                    try await transaction.run(Statement("INSERT INTO entry VALUES (1)"))
                    try await transaction.run(Statement("SELECT pg_sleep(6000), 'inside'"))
                    return .commit(())
                }
            }
        }
        _ = try await bench.process(running: "'inside'")
        task.cancel()
        #expect(await task.value?.reason == .canceled)
        #expect(await connection.isAlive())
        #expect(try await bench.count("entry") == 0)
    }

    @Test func `a task that waits for its turn leaves at its deadline`() async throws {
        let bench = try await Bench()
        let connection = try await bench.connect()
        let held = Task {
            await failure {
                try await connection.transaction(deadline: .soon) { transaction throws(PostgreSQLError) in
                    try await transaction.run(Statement("SELECT pg_sleep(6000), 'held'"))
                    return .commit(())
                }
            }
        }
        let process = try await bench.process(running: "'held'")
        let error = await failure {
            let past = Deadline(after: .zero, on: SystemTimeSource())
            try await connection.run(Statement("SELECT 1"), deadline: past)
        }
        #expect(error?.reason == .timedOut)
        try await bench.observer.run(Statement("SELECT pg_cancel_backend($1::int)", .integer(process)), deadline: .soon)
        #expect(await held.value?.report?.state == .queryCanceled)
    }

    @Test func `a statement of a closed connection ends, and its commit is unknown`() async throws {
        let bench = try await Bench()
        let connection = try await bench.connect()
        let task = Task {
            await failure { try await connection.run(Statement("SELECT pg_sleep(6000), 'x'"), deadline: .soon) }
        }
        _ = try await bench.process(running: "'x'")
        await connection.close()
        #expect(await task.value?.reason == .commitUnknown(.closed))
        let next = await failure { try await connection.run(Statement("SELECT 1"), deadline: .soon) }
        #expect(next?.reason == .closed)
    }

    @Test func `a server that does not answer is left at the deadline`() async throws {
        let time = ManualTimeSource()
        let listener = try await TCPListener.open(
            TCPAddress(host: "127.0.0.1", port: 0), deadline: .soon, time: SystemTimeSource())
        defer { listener.close() }
        let address = try PostgreSQLAddress("hostaddr=127.0.0.1 port=\(listener.address.port) user=u sslmode=disable")
        let deadline = Deadline(after: .seconds(3), on: time)
        let error = Task {
            await failure { _ = try await PostgreSQLConnection.connect(to: address, deadline: deadline, time: time) }
        }
        let accepted = try await listener.accept(deadline: .soon)
        _ = try await accepted.read(upTo: 1000, deadline: .soon)
        await time.untilTaskSleeps(.seconds(3))
        time.advance(by: .seconds(3))
        #expect(await error.value?.reason == .timedOut)
    }
}
