import Determinism
import Foundation
import HTTPInterface
import TestOpenAPI
import TestPostgreSQL
import Testing
import Text

@testable import SimulationServer

/// The answer without the headers that only one of both services has.
private func facts(_ reply: Asked.Reply) -> String {
    let headers = reply.headers.filter { !["X-Request-Id", "Session-Requests"].contains($0.key) }
    return "\(reply.status) \(reply.mediaType) \(headers.sorted { $0.key < $1.key }) \(reply.text)"
}

@Suite(
    "Stored sessions", .timeLimit(.minutes(10)),
    .enabled(if: TemporaryPostgreSQL.isUsed, "\(TemporaryPostgreSQL.missing)"))
struct StoredSessionTests {
    @Test(arguments: [1 as UInt64, 2, 3])
    func `three instances answer each request as one without a store does, whichever gets it`(seed: UInt64) async throws
    {
        let bench = try await StoredBench()
        let alone = Asked()
        var instances: [Asked] = []
        for _ in 0..<3 { instances.append(try await bench.instance()) }
        let random = SeededRandomSource(seed: seed)
        let (path, same) = (try await alone.session(), try await instances[0].session())
        #expect(path == same)
        for (number, line) in Line.day.enumerated() {
            // An instance ends for ever and another one begins.
            if number % 11 == 10 { instances[Int(random.number(in: 0...2))] = try await bench.instance() }
            let expected = await alone.ask(line.method, line.target(path), line.body, headers: line.headers)
            let instance = instances[Int(random.number(in: 0...2))]
            let found = await instance.ask(line.method, line.target(path), line.body, headers: line.headers)
            #expect(facts(found) == facts(expected), "request \(number): \(line)")
        }
    }

    @Test func `requests to many sessions at the same time over three instances are all there once`() async throws {
        let bench = try await StoredBench()
        var instances: [Asked] = []
        for _ in 0..<3 { instances.append(try await bench.instance()) }
        var paths: [String] = []
        for number in 0..<4 { paths.append(try await instances[number % 3].session()) }
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<36 {
                let (instance, path) = (instances[number % 3], paths[number % 4])
                group.addTask {
                    let reply = await instance.ask("POST", path + "/payments", #"{"amount": "1.00"}"#)
                    #expect(reply.status == 201, "\(reply.text)")
                }
            }
        }
        let fresh = try await bench.instance()
        for path in paths {
            #expect(await fresh.ask("GET", path + "/payments").json.elements.count == 9)
            #expect(await fresh.ask("GET", path + "/reconciliation").json["isEqual"]?.bool != false)
        }
        #expect(try await bench.number("SELECT count(*) FROM service_request") == 36)
        #expect(try await bench.number("SELECT count(*) FROM service_session WHERE holder IS NOT NULL") == 0)
    }

    @Test func `a session beyond the limit of copies leaves memory and comes back`() async throws {
        let bench = try await StoredBench()
        var configuration = SimulationServiceConfiguration()
        configuration.copiesLimit = 2
        let asked = try await bench.instance(configuration)
        var paths: [String] = []
        for _ in 0..<5 {
            paths.append(try await asked.session())
            await asked.ask("POST", (paths.last ?? "") + "/payments", #"{"amount": "1.00"}"#)
        }
        while asked.service.sessionCount > 2 { await Task.yield() }
        for path in paths {
            #expect(await asked.ask("GET", path + "/payments").json.elements.count == 1)
            #expect(await asked.ask("POST", path + "/payments", #"{"amount": "2.00"}"#).status == 201)
        }
        while asked.service.sessionCount > 2 { await Task.yield() }
        #expect(await asked.ask("GET", "/v1").json["sessions"]?.int == 5)
    }

    @Test func `a repeated session and a reset one continue at other instances`() async throws {
        let bench = try await StoredBench()
        let (first, second) = (try await bench.instance(), try await bench.instance())
        let path = try await first.session()
        await first.ask("POST", path + "/payments", #"{"amount": "1.00"}"#)
        await second.ask("POST", path + "/payments", #"{"amount": "2.00"}"#)
        let original = await first.ask("GET", path)
        let repeated = await second.ask("POST", path + "/repeat", "{}")
        #expect(repeated.status == 201, "\(repeated.text)")
        #expect(repeated.json["eventHash"] == original.json["eventHash"])
        let other = "/v1/sessions/" + (try #require(repeated.json["id"]?.text))
        #expect(await first.ask("GET", other).bytes == repeated.bytes)
        let paused = await first.ask("POST", path + "/repeat", #"{"event": 20}"#)
        #expect(paused.json["pausedAfter"]?.int == 20)
        let third = "/v1/sessions/" + (try #require(paused.json["id"]?.text))
        let continued = await second.ask("POST", third + "/continue", "{}")
        #expect(continued.status == 200, "\(continued.text)")

        let reset = await second.ask("POST", path + "/reset")
        #expect(reset.status == 200)
        #expect(await first.ask("GET", path).bytes == reset.bytes)
        #expect(await first.ask("POST", path + "/payments", #"{"amount": "3.00"}"#).status == 201)
        #expect(await second.ask("GET", path + "/payments").json.elements.count == 1)
    }

    @Test func `a deleted session and an idle one are gone everywhere, with their requests`() async throws {
        let bench = try await StoredBench()
        let (first, second) = (try await bench.instance(), try await bench.instance())
        let (deleted, idle) = (try await first.session(), try await first.session())
        await second.ask("POST", deleted + "/payments", #"{"amount": "1.00"}"#)
        await second.ask("POST", idle + "/payments", #"{"amount": "1.00"}"#)
        #expect(await second.ask("DELETE", deleted).status == 204)
        #expect(await first.ask("GET", deleted).status == 404)
        #expect(await first.ask("DELETE", deleted).status == 404)
        try await bench.run("UPDATE service_session SET used = '-infinity'")
        // An instance looks for idle sessions with its first request.
        let fresh = try await bench.instance()
        await fresh.ask("GET", "/v1")
        #expect(await first.ask("GET", idle).status == 404)
        #expect(try await bench.number("SELECT count(*) FROM service_request") == 0)
        #expect(try await bench.number("SELECT sessions + bytes FROM service_token") == 0)
        #expect(await fresh.ask("GET", "/v1/sessions/s01").status == 404)
    }

    @Test func `an event stream shows what another instance does, and nothing that is not stored`() async throws {
        let bench = try await StoredBench()
        let (first, second) = (try await bench.instance(), try await bench.instance())
        let path = try await first.session()
        let answer = await first.service.answer(
            APIRequest(
                method: "GET", target: path + "/events",
                headers: ["host": "127.0.0.1", "accept": "text/event-stream"]))
        guard case .events(let pieces) = answer.content else {
            Issue.record("no stream")
            return
        }
        await second.ask("POST", path + "/payments", #"{"amount": "1.00"}"#)
        let events = await second.ask("GET", path + "/events").json["events"]?.elements ?? []
        var seen = 0
        for await piece in pieces where piece.starts(with: Array("id: ".utf8)) {
            seen += 1
            if seen == events.count { break }
        }
        #expect(seen == events.count && seen > 10)
        await first.service.close()
    }

    @Test func `a restarted server of the database loses no request`() async throws {
        try await TemporaryPostgreSQL.running { server in
            let bench = try await StoredBench(server.address())
            let (first, second) = (try await bench.instance(), try await bench.instance())
            let path = try await first.session()
            await first.ask("POST", path + "/payments", #"{"amount": "1.00"}"#)
            try await server.restart()
            #expect(await second.ask("POST", path + "/payments", #"{"amount": "2.00"}"#).status == 201)
            #expect(await first.ask("GET", path + "/payments").json.elements.count == 2)
        }
    }
}
