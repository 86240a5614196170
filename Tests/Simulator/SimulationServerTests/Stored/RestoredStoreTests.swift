import TestOpenAPI
import TestPostgreSQL
import Testing
import Text

@testable import SimulationServer

/// A database of sessions that has forgotten what came after a backup.
@Suite(
    "Restored databases of sessions", .timeLimit(.minutes(10)),
    .enabled(if: TemporaryPostgreSQL.isUsed, "\(TemporaryPostgreSQL.missing)"))
struct RestoredStoreTests {
    /// The number of a new session.
    private func newNumber(_ asked: Asked) async throws -> Int64 {
        let path = try await asked.session()
        return try #require(StoredSessions.number(String(path.dropFirst("/v1/sessions/".count))))
    }

    /// Numbers that restored tables don't go back behind: hundredths of a second from 2025 to 2026.
    private let aYear: Int64 = 365 * 86_400 * 100

    @Test func `no number is given again after the tables were restored`() async throws {
        let bench = try await StoredBench()
        let asked = try await bench.instance()
        #expect(try await newNumber(asked) == 1)
        #expect(try await newNumber(asked) == 2)
        // As pg_restore does after the deletion of all tables.
        try await bench.run("DELETE FROM service_session")
        try await bench.run("DROP SEQUENCE service_session_number")
        try await bench.run("CREATE SEQUENCE service_session_number")
        let first = try await newNumber(asked)
        #expect(first > aYear)
        #expect(try await newNumber(asked) == first + 1)
        #expect(await asked.ask("GET", "/v1/sessions/s2").status == 404)
    }

    @Test func `no number is given again after the directory of the server was restored`() async throws {
        try await TemporaryPostgreSQL.running { server in
            let bench = try await StoredBench(server.address())
            let asked = try await bench.instance()
            #expect(try await newNumber(asked) == 1)
            #expect(try await newNumber(asked) == 2)
            try await bench.run("DELETE FROM service_session")
            try await bench.run("ALTER SEQUENCE service_session_number RESTART")
            try await server.restart()
            let first = try await newNumber(asked)
            #expect(first > aYear)
            #expect(try await newNumber(asked) == first + 1)
        }
    }

    @Test func `a copy in memory whose end the database has lost is not continued`() async throws {
        let bench = try await StoredBench()
        let (first, second) = (try await bench.instance(), try await bench.instance())
        let path = try await first.session()
        for amount in ["1.00", "2.00"] { await first.ask("POST", path + "/payments", #"{"amount": "\#(amount)"}"#) }
        try await bench.run("DELETE FROM service_request WHERE number = 2")
        try await bench.run("UPDATE service_session SET requests = 1")
        // The other one takes the lost number for a request of its own.
        #expect(await second.ask("POST", path + "/payments", #"{"amount": "3.00"}"#).status == 201)
        let payments = await first.ask("GET", path + "/payments")
        #expect(payments.json.elements.map { $0["amount"]?.text } == ["1.00", "3.00"], "\(payments.text)")
        let others = await second.ask("GET", path + "/payments")
        #expect(payments.text == others.text)
        #expect(await first.ask("POST", path + "/payments", #"{"amount": "4.00"}"#).status == 201)
        #expect(await second.ask("GET", path + "/payments").json.elements.count == 3)
    }
}
