import Foundation
import HTTPInterface
import PostgreSQL
import TestOpenAPI
import TestPostgreSQL
import Testing
import Text

@testable import SimulationServer

@Suite(
    "Leases of stored sessions", .timeLimit(.minutes(10)),
    .enabled(if: TemporaryPostgreSQL.isUsed, "\(TemporaryPostgreSQL.missing)"))
struct LeaseTests {
    /// Takes the session `s1` like an instance that stops then.
    private func take(_ store: SessionStore) async throws -> (SessionLease, StoredSession) {
        let answer = try await store.take(1, of: ServiceToken.nobody, as: store.newLease(), after: .init())
        guard case .taken(let lease, let session) = answer else {
            throw APIError(500, "test", "the session was not taken: \(answer)")
        }
        return (lease, session)
    }

    private func request(_ number: Int64) throws -> StoredRequest {
        let request = APIRequest(
            method: "POST", target: "/v1/sessions/s1/payments", body: Array(#"{"amount": "66.00"}"#.utf8))
        var stored = StoredRequest(request, number: number, cards: [], program: StoredBench.program)
        stored.digest = [1]
        return stored
    }

    @Test func `a request waits for the lease of a stopped instance, which can store nothing when it comes back`()
        async throws
    {
        let bench = try await StoredBench()
        let (asked, stopped) = (try await bench.instance(), try await bench.store())
        let path = try await asked.session()
        let (lease, session) = try await take(stopped)
        #expect(session.position == .init(generation: 1, requests: 0))
        async let reply = asked.ask("POST", path + "/payments", #"{"amount": "1.00"}"#)
        // Reading needs no lease.
        #expect(await asked.ask("GET", "/v1/sessions").json.elements.count == 1)
        #expect(try await bench.number("SELECT requests FROM service_session") == 0)
        try await bench.run("UPDATE service_session SET leased_until = '-infinity'")
        #expect(await reply.status == 201)

        let late = try await stopped.append(
            try request(1), lease, view: [], owner: ServiceToken.nobody, TokenQuota())
        #expect(late == .lost)
        #expect(
            try await stopped.append(
                try request(2), lease, view: [], owner: ServiceToken.nobody, TokenQuota()) == .lost)
        #expect(try await stopped.reset(lease, digest: [], view: []) == nil)
        await stopped.release(lease)
        await stopped.renew(lease)
        #expect(try await bench.number("SELECT count(*) FROM service_request") == 1)
        #expect(await asked.ask("GET", path + "/payments").json.elements.count == 1)
    }

    @Test func `a lease that has ended still counts until another instance takes the session`() async throws {
        let bench = try await StoredBench()
        let (asked, slow) = (try await bench.instance(), try await bench.store())
        _ = try await asked.session()
        let (lease, _) = try await take(slow)
        try await bench.run("UPDATE service_session SET leased_until = '-infinity'")
        let change = try await slow.append(
            try request(1), lease, view: [], owner: ServiceToken.nobody, TokenQuota())
        #expect(change == .stored)
        // Once more, as after a lost answer to the commit.
        let again = try await slow.append(
            try request(1), lease, view: [], owner: ServiceToken.nobody, TokenQuota())
        #expect(again == .stored)
        #expect(try await bench.number("SELECT requests FROM service_session") == 1)
    }

    @Test func `an instance that loses its lease in the middle of a request says so, and shows nothing of it`()
        async throws
    {
        let bench = try await StoredBench()
        let asked = try await bench.instance()
        let path = try await asked.session()
        await asked.ask("POST", path + "/payments", #"{"amount": "1.00"}"#)
        // Another instance takes the session as soon as an instance has it.
        try await bench.run(
            """
            CREATE FUNCTION lose() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
                UPDATE service_session SET version = version + 1, holder = 'other', leased_until = '-infinity'
                WHERE number = NEW.number;
                RETURN NULL;
            END $$
            """)
        try await bench.run(
            """
            CREATE TRIGGER lose AFTER UPDATE OF holder ON service_session FOR EACH ROW
            WHEN (NEW.holder IS NOT NULL AND NEW.holder <> 'other') EXECUTE FUNCTION lose()
            """)
        let reply = await asked.ask("POST", path + "/payments", #"{"amount": "2.00"}"#)
        #expect(reply.status == 503 && reply.code == "lease_lost", "\(reply.text)")
        #expect(reply.headers["Retry-After"] == "1")
        try await bench.run("DROP TRIGGER lose ON service_session")
        #expect(await asked.ask("GET", path + "/payments").json.elements.count == 1)
        #expect(await asked.ask("POST", path + "/payments", #"{"amount": "2.00"}"#).status == 201)
        #expect(await asked.ask("GET", path + "/payments").json.elements.count == 2)
    }

    @Test func `a request that waits too long for another instance is refused, and can be repeated`() async throws {
        let bench = try await StoredBench()
        let (asked, stopped) = (try await bench.instance(wait: .milliseconds(20)), try await bench.store())
        let path = try await asked.session()
        let (lease, _) = try await take(stopped)
        let reply = await asked.ask("POST", path + "/payments", #"{"amount": "1.00"}"#)
        #expect(reply.status == 503 && reply.code == "session_held", "\(reply.text)")
        #expect(reply.headers["Retry-After"] == "1")
        await stopped.release(lease)
        #expect(await asked.ask("POST", path + "/payments", #"{"amount": "1.00"}"#).status == 201)
    }

    @Test func `a request whose answer was lost has the same answer again, and happens once`() async throws {
        let bench = try await StoredBench()
        let (first, second) = (try await bench.instance(), try await bench.instance())
        let path = try await first.session()
        let body = #"{"amount": "1.00"}"#
        let one = await first.ask("POST", path + "/payments", body, headers: ["session-request": "1"])
        #expect(one.status == 201 && one.headers["Session-Requests"] == "1")
        await second.ask("POST", path + "/payments", #"{"amount": "2.00"}"#, headers: ["session-request": "2"])
        let again = await second.ask("POST", path + "/payments", body, headers: ["session-request": "1"])
        #expect(again.bytes == one.bytes && again.status == 201)
        #expect(again.headers["Idempotency-Replayed"] == "true")
        #expect(await first.ask("GET", path + "/payments").json.elements.count == 2)
        let other = await first.ask(
            "POST", path + "/payments", #"{"amount": "3.00"}"#, headers: ["session-request": "1"])
        #expect(other.status == 409 && other.code == "request_number_used")
        let ahead = await first.ask("POST", path + "/payments", body, headers: ["session-request": "4"])
        #expect(ahead.status == 409 && ahead.code == "request_number_ahead")
        let wrong = await first.ask("POST", path + "/payments", body, headers: ["session-request": "one"])
        #expect(wrong.status == 400 && wrong.code == "invalid_request_number")
        #expect(try await bench.number("SELECT count(*) FROM service_request") == 2)
        #expect(try await bench.number("SELECT count(*) FROM service_session WHERE holder IS NOT NULL") == 0)
    }

    @Test func `an answer that differs from the recorded one ends the replay with the program and the request`()
        async throws
    {
        let bench = try await StoredBench()
        let old = try await bench.instance(program: "0.9, build old")
        let path = try await old.session()
        await old.ask("POST", path + "/payments", #"{"amount": "1.00"}"#)
        try await bench.run("UPDATE service_request SET digest = '\\x00'")
        let new = try await bench.instance(program: "1.1, build new")
        for reply in [
            await new.ask("GET", path), await new.ask("POST", path + "/payments", #"{"amount": "2.00"}"#),
        ] {
            #expect(reply.status == 500 && reply.code == "answers_differ")
            #expect(reply.text.contains("request 1 of session s1 (POST /payments)"))
            #expect(reply.text.contains("0.9, build old") && reply.text.contains("1.1, build new"))
        }
        // The instance that still has the session goes on, and nothing was lost.
        #expect(await old.ask("POST", path + "/payments", #"{"amount": "2.00"}"#).status == 201)
        #expect(await new.ask("POST", path + "/reset").status == 200)
        #expect(await new.ask("POST", path + "/payments", #"{"amount": "2.00"}"#).status == 201)
        try await bench.run("UPDATE service_session SET digest = '\\x00'")
        let fresh = try await bench.instance()
        #expect(await fresh.ask("GET", path).text.contains("request 0 of session s1"))
        #expect(await new.ask("DELETE", path).status == 204)
    }

    @Test func `tables of a newer program are refused, and instances that begin together make them once`() async throws
    {
        let bench = try await StoredBench()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 { group.addTask { _ = try await bench.store() } }
            try await group.waitForAll()
        }
        #expect(try await bench.number("SELECT count(*) FROM service_schema") == SessionStoreSchema.version)
        try await bench.run("INSERT INTO service_schema VALUES (99)")
        await #expect(throws: SessionStoreError.newerSchema(found: 99, known: SessionStoreSchema.version)) {
            try await bench.store()
        }
    }
}
