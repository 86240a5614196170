import Connections
import Determinism
import TestPostgreSQL
import Testing

@testable import PostgreSQL

@Suite(.enabled(if: TemporaryPostgreSQL.isUsed, Comment(rawValue: TemporaryPostgreSQL.missing)))
struct RefusalTests {
    @Test func `a broken constraint is reported by names, without the row`() async throws {
        let bench = try await Bench()
        let connection = try await bench.connect()
        try await bench.script("CREATE TABLE person (mail text CONSTRAINT one_mail UNIQUE, age int CHECK (age > 0))")
        let insert = Statement("INSERT INTO person VALUES ($1, $2)", .text("secret@example.com"), .integer(7))
        try await connection.run(insert, deadline: .soon)
        let error = try #require(await failure { try await connection.run(insert, deadline: .soon) })
        #expect(error.report?.state == .uniqueViolation)
        #expect(error.report?.table == "person")
        #expect(error.report?.constraint == "one_mail")
        #expect(error.place == insert.place)
        #expect(!everyText(of: error).contains("secret"))
        #expect(!everyText(of: insert).contains("secret"))
    }

    @Test(arguments: [
        Statement("SELECT $1::int", .text("secret")),
        Statement("SELECT $1::jsonb", .text("{secret")),
        Statement("SELECT $1::timestamptz", .text("secret")),
        Statement("SELECT $1::uuid", .text("secret")),
        Statement("SELECT $1::regclass", .text("secret")),
        Statement("SELECT $1::regclass", .text("secret_schema.secret")),
        Statement("SELECT set_config('role', $1, true)", .text("secret")),
        Statement("SELECT set_config($1, 'x', true)", .text("secret")),
        Statement("SELECT $1::numeric", .text("secret")),
        Statement("SELECT set_config('search_path', 'a', false), set_config('work_mem', $1, false)", .text("secret")),
        Statement("INSERT INTO person VALUES ($1, 0)", .text("secret")),
        Statement("INSERT INTO person VALUES (NULL, 1)"),
        Statement("INSERT INTO person VALUES ($1, 1)", .text("secret-and-too-long-for-it")),
        Statement("SELECT ($1 || chr(0))", .text("secret")),
        Statement("SELECT convert_from($1, 'UTF8')", .bytes(Array("secret".utf8) + [0xFF])),
        Statement("SELECT $1", .text("secret\0")),
    ])
    func `no error has a value of a parameter`(_ statement: Statement) async throws {
        let bench = try await Bench()
        let connection = try await bench.connect()
        try await bench.script("CREATE TABLE person (mail varchar(10) NOT NULL, age int CHECK (age > 0))")
        let error = try #require(await failure { try await connection.run(statement, deadline: .soon) })
        let text = everyText(of: error)
        #expect(!text.contains("secret"), "\(text)")
        #expect(error.report != nil)
        #expect(await connection.isAlive())
    }

    @Test func `an error of syntax has its place in the statement`() async throws {
        let connection = try await Bench().connect()
        let error = await failure { try await connection.run(Statement("SELECT 1 +"), deadline: .soon) }
        #expect(error?.report?.state.rawValue == "42601")
        #expect(error?.report?.position == 11)
        #expect(error?.description.contains("RefusalTests.swift:\(#line - 3)") == true)
    }
}
