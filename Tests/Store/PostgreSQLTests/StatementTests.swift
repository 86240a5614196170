import Connections
import Determinism
import Foundation
import TestPostgreSQL
import Testing

@testable import PostgreSQL

@Suite(.enabled(if: TemporaryPostgreSQL.isUsed, Comment(rawValue: TemporaryPostgreSQL.missing)))
struct StatementTests {
    @Test func `values of every type come back as they were`() async throws {
        let connection = try await Bench().connect()
        let numbers: [Int64] = [0, 1, -1, 255, -256, .max, .min]
        let texts = ["", "Zürich 🧾", "'; DROP TABLE x; --", String(repeating: "a", count: 100_000)]
        let blobs: [[UInt8]] = [[], [0], Array(0...255)]
        for number in numbers {
            let row = try await connection.run(Statement("SELECT $1 AS v", .integer(number)), deadline: .soon).only()
            #expect(try row.value("v") == number)
        }
        for text in texts {
            let row = try await connection.run(Statement("SELECT $1 AS v", .text(text)), deadline: .soon).only()
            #expect(try row.value("v") == text)
        }
        for bytes in blobs {
            let row = try await connection.run(Statement("SELECT $1 AS v", .bytes(bytes)), deadline: .soon).only()
            #expect(try row.value("v") == bytes)
        }
        let row = try await connection.run(
            Statement("SELECT $1 AS yes, $2 AS no, $3::bigint AS nothing", true, false, nil), deadline: .soon
        ).only()
        #expect(try row.value("yes") == true)
        #expect(try row.value("no") == false)
        #expect(try row.optional("nothing", as: Int64.self) == nil)
    }

    @Test func `smaller integers and other texts are read, too`() async throws {
        let connection = try await Bench().connect()
        let row = try await connection.run(
            Statement(
                "SELECT (-2)::smallint AS a, (-70000)::int AS b, 'x'::varchar(3) AS c, '{\"k\": 1}'::jsonb AS d,"
                    + " 'n'::name AS e"), deadline: .soon
        ).only()
        #expect(try row.value("a") == Int64(-2))
        #expect(try row.value("b") == Int64(-70_000))
        #expect(try row.value("c") == "x")
        #expect(try row.value("d") == #"{"k": 1}"#)
        #expect(try row.value("e") == "n")
    }

    @Test func `a column that can't be read is named with its row and the statement's place`() async throws {
        let connection = try await Bench().connect()
        let line = #line + 1
        let statement = Statement("SELECT 1::bigint AS n, 't' AS t UNION ALL SELECT NULL, 'u' ORDER BY n")
        let rows = try await connection.run(statement, deadline: .soon)
        func problem(_ body: () throws -> Void) -> String? {
            let error = #expect(throws: PostgreSQLError.self) { try body() }
            #expect(error?.place == CodePlace(file: "PostgreSQLTests/StatementTests.swift", line: line))
            guard case .column(let problem) = error?.reason else { return nil }
            return problem.description
        }
        #expect(rows.count == 2)
        #expect(
            problem { _ = try rows[1].value("n") as Int64 } == "row 2, column 'n': NULL, where an integer was expected")
        #expect(problem { _ = try rows[0].value("x") as Int64 } == "row 1, column 'x': there is no such column")
        #expect(problem { _ = try rows[0].value("t") as Int64 } == "row 1, column 't': no integer, but the type 25")
        #expect(problem { _ = try rows.only() } == "2 rows, where one was expected")
    }

    @Test func `statements that were sent together are stored together`() async throws {
        let bench = try await Bench()
        let connection = try await bench.connect()
        try await bench.script("CREATE TABLE entry (number bigint PRIMARY KEY, note text)")
        let inserts = (1...3000).map {
            Statement("INSERT INTO entry VALUES ($1, $2)", .integer(Int64($0)), .text("n\($0)"))
        }
        let results = try await connection.run(inserts, deadline: .soon)
        #expect(results.map(\.affected) == [Int](repeating: 1, count: 3000))
        #expect(try await bench.count("entry") == 3000)
    }

    @Test func `a statement that is refused takes all others of its batch with it`() async throws {
        let bench = try await Bench()
        let connection = try await bench.connect()
        try await bench.script("CREATE TABLE entry (number bigint PRIMARY KEY)")
        for (position, count) in [(0, 1), (3, 7), (700, 2000), (1999, 2000)] {
            let statements = (0..<count).map { index in
                Statement(
                    "INSERT INTO entry VALUES ($1)", [.integer(index == position ? nil : Int64(index))], line: index)
            }
            let error = await failure { try await connection.run(statements, deadline: .soon) }
            #expect(error?.report?.state.rawValue == "23502")
            #expect(error?.place?.line == position)
            #expect(try await bench.count("entry") == 0)
        }
        #expect(await connection.isAlive())
    }

    @Test func `a constraint that is checked at the commit refuses the batch`() async throws {
        let bench = try await Bench()
        let connection = try await bench.connect()
        try await bench.script("CREATE TABLE entry (number bigint UNIQUE DEFERRABLE INITIALLY DEFERRED)")
        let insert = Statement("INSERT INTO entry VALUES (1)")
        let error = await failure { try await connection.run([insert, insert], deadline: .soon) }
        #expect(error?.report?.state == .uniqueViolation)
        #expect(error?.isCommitUnknown == false)
        #expect(try await bench.count("entry") == 0)
        #expect(await connection.isAlive())
    }

    @Test func `a batch with large statements and large answers does not block`() async throws {
        let connection = try await Bench().connect()
        let text = String(repeating: "x", count: 20_000)
        let statements = (0..<1000).map { _ in Statement("SELECT $1 || $1 AS v", .text(text)) }
        let results = try await connection.run(statements, deadline: .soon)
        #expect(try results.allSatisfy { try $0.only().value("v", as: String.self).utf8.count == 40_000 })
    }

    @Test func `tasks that share a connection get their own answers`() async throws {
        let connection = try await Bench().connect()
        let answers = try await withThrowingTaskGroup(of: (Int64, Int64).self) { group in
            for number in Int64(0)..<200 {
                group.addTask {
                    let statement = Statement("SELECT $1 AS v", .integer(number))
                    return (number, try await connection.run(statement, deadline: .soon).only().value("v"))
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.count == 200)
        #expect(answers.allSatisfy { $0 == $1 })
    }

    @Test func `a script runs all of its statements or none, and statements follow it`() async throws {
        let bench = try await Bench()
        let connection = try await bench.connect()
        try await connection.runScript(
            "CREATE TABLE a (n bigint); INSERT INTO a VALUES (1), (2); SELECT * FROM a;", deadline: .soon)
        #expect(try await connection.run(Statement("SELECT n FROM a"), deadline: .soon).count == 2)
        let error = await failure {
            try await connection.runScript("INSERT INTO a VALUES (3); SELECT 1 / 0", deadline: .soon)
        }
        #expect(error?.report?.state.rawValue == "22012")
        #expect(try await bench.count("a") == 2)
        #expect(await connection.isAlive())
    }

    @Test func `a statement that the library can't send is refused before`() async throws {
        let connection = try await Bench().connect()
        for statement in [
            Statement("SELECT 1\0"), Statement("SELECT 1", [SQLValue](repeating: nil, count: 65_536)),
        ] {
            let error = await failure { try await connection.run(statement, deadline: .soon) }
            guard case .misuse = error?.reason else {
                Issue.record("\(String(describing: error))")
                continue
            }
        }
        let error = await failure { try await connection.run(Statement("SELECT 1; SELECT 2"), deadline: .soon) }
        #expect(error?.report?.state.rawValue == "42601")
        #expect(try await connection.run([], deadline: .soon).isEmpty)
        #expect(await connection.isAlive())
    }

    @Test func `COPY ends the connection, because it has no answer that is waited for`() async throws {
        let connection = try await Bench().connect()
        _ = await failure { try await connection.runScript("COPY pg_class TO STDOUT", deadline: .soon) }
        #expect(await !connection.isOpen)
    }
}
