import Determinism
import TestOpenAPI
import Testing
import Text

@testable import SimulationServer

@Suite("A session over HTTP", .timeLimit(.minutes(10)))
struct SessionTests {
    @Test("is created from its plan, independent of others")
    func isolated() async throws {
        let asked = Asked()
        let first = try await asked.session(#"{"cards": ["visa-credit"], "seed": 3, "readers": ["pinpad", "battery"]}"#)
        let second = try await asked.session()
        #expect(first != second)
        await asked.ask("POST", first + "/payments", #"{"amount": "1.00"}"#)
        #expect(await asked.ask("GET", first + "/payments").json.elements.count == 1)
        #expect(await asked.ask("GET", second + "/payments").json.elements.isEmpty)
        let view = await asked.ask("GET", first).json
        #expect(view["seed"]?.int == 3)
        #expect(view["readers"]?.elements.map { $0["name"]?.text } == ["reader", "reader-2"])
        #expect(view["readers"]?[0]?["connected"]?.bool == true)
        #expect(await asked.ask("GET", "/v1/sessions").json.elements.count == 2)
        #expect(await asked.ask("GET", "/v1").json["sessions"]?.int == 2)
    }

    @Test("of the same plan has the same events")
    func repeatable() async throws {
        var logs: [JSON] = []
        for _ in 0..<2 {
            let asked = Asked()
            let session = try await asked.session(#"{"cards": ["visa-credit", "mastercard-debit"], "seed": 11}"#)
            await asked.ask("POST", session + "/payments", #"{"amount": "12.50"}"#)
            await asked.ask(
                "POST", session + "/payments", #"{"amount": "3", "card": "mastercard-debit", "cardholder": "by_hand"}"#)
            await asked.ask("POST", session + "/readers/reader/insert")
            await asked.ask("POST", session + "/readers/reader/remove")
            logs.append(await asked.ask("GET", session + "/events?limit=10000").json)
        }
        #expect(logs[0]["events"]?.elements.isEmpty == false)
        #expect(logs[0] == logs[1])
    }

    @Test(
        "is not created from an invalid plan, and the error has location and suggestion",
        arguments: [
            (#"{"sead": 1}"#, "sead", "seed"), (#"{"cards": ["visa-credt"]}"#, "cards[0]", "visa-credit"),
            (#"{"cards": [{"name": "a", "profil": "visa-credit"}]}"#, "cards[0].profil", "profile"),
            (#"{"readers": ["pinpat"]}"#, "readers[0]", "pinpad"),
            (#"{"readers": [{"model": "batery"}]}"#, "readers[0].model", "battery"),
            (#"{"printer": {"condition": "jamed"}}"#, "printer.condition", "jammed"),
            (#"{"disk": {"condition": "ful"}}"#, "disk.condition", "full"),
            (#"{"issuer": {"faults": [{"fault": "request_los"}]}}"#, "issuer.faults[0].fault", "request_lost"),
            (#"{"issuer": {"rules": "cent"}}"#, "issuer.rules", "cents"),
            (#"{"host": {"wire": "iso8538", "profile": "iso2003"}}"#, "host.wire", "iso8583"),
            (#"{"host": {"wire": "iso8583", "profile": "iso203"}}"#, "host.profile", "iso2003"),
        ])
    func nearest(_ plan: String, _ path: String, _ meant: String) async throws {
        let asked = Asked()
        let reply = await asked.ask("POST", "/v1/sessions", plan)
        #expect(reply.status == 422)
        #expect(reply.code == "invalid_body")
        #expect(reply.path == path)
        #expect(reply.fix?.contains("'\(meant)'") == true, "\(reply.text)")
        #expect(asked.service.sessionCount == 0)
    }

    @Test(
        "rejects values of another type",
        arguments: [
            (#"{"seed": "1"}"#, "seed"), (#"{"seed": 1.5}"#, "seed"), (#"{"seed": -1}"#, "seed"),
            (#"{"seed": true}"#, "seed"), (#"{"cards": "visa-credit"}"#, "cards"), (#"{"cards": []}"#, "cards"),
            (#"{"cards": [7]}"#, "cards[0]"), (#"{"start": "tomorrow"}"#, "start"), (#"{"connect": "yes"}"#, "connect"),
            (#"{"readers": [{"batteryPercent": 101}]}"#, "readers[0].batteryPercent"), (#"[]"#, ""),
            (#"{"cards": ["../../etc/passwd"]}"#, "cards[0]"), (#"{"cards": ["/etc/x.yaml"]}"#, "cards[0]"),
            (#"{"cards": ["visa-credit", "visa-credit"]}"#, "cards[1]"),
            (#"{"store": {"unpaid": ["x"]}}"#, "store.unpaid[0]"),
            (#"{"store": {"faults": ["sometimes"]}}"#, "store.faults[0]"),
            (#"{"host": {"wire": "iso8583"}}"#, "host"),
            (#"{"host": {"wire": "iso8583", "profile": "iso2003", "faults": ["busy:0"]}}"#, "host.faults[0]"),
            (#"{"host": {"wire": "iso8583", "profile": "iso2003", "faultPercent": 101}}"#, "host.faultPercent"),
        ])
    func types(_ plan: String, _ path: String) async throws {
        let reply = await Asked().ask("POST", "/v1/sessions", plan)
        #expect(reply.status == 422, "\(reply.text)")
        #expect(reply.path == path || path.isEmpty, "\(reply.text)")
    }

    @Test("is not created from invalid JSON", arguments: ["{", "seed: 1", "{\"seed\": }", "\u{0}", "nul"])
    func noJSON(_ body: String) async throws {
        #expect(await Asked().ask("POST", "/v1/sessions", body).code == "invalid_json")
    }

    /// What decodes JSON takes time for each level that a value is in.
    @Test("is not created from JSON of many levels, in any encoding")
    func levels() async throws {
        let deep = String(repeating: #"{"seed":"#, count: 17) + "1" + String(repeating: "}", count: 17)
        let reply = await Asked().ask("POST", "/v1/sessions", deep)
        #expect(reply.code == "invalid_json")
        #expect(reply.text.contains("16 levels"))
        let wide = deep.map { "\($0)\u{0}" }.joined()
        #expect(await Asked().ask("POST", "/v1/sessions", wide).code == "invalid_json")
        // Brackets in texts are no levels, also behind an escaped quote.
        let named = #"{"cards": [{"name": "\""# + String(repeating: "[", count: 40) + #"", "profile": "visa-credit"}]}"#
        #expect(await Asked().ask("POST", "/v1/sessions", named).status == 201)
    }

    @Test("is rejected when there are too many, until one is deleted")
    func limit() async throws {
        let asked = Asked(SimulationServiceConfiguration(sessionsLimit: 2))
        let first = try await asked.session()
        _ = try await asked.session()
        let third = await asked.ask("POST", "/v1/sessions")
        #expect(third.status == 429)
        #expect(third.code == "too_many_sessions")
        #expect(await asked.ask("DELETE", first).status == 204)
        #expect(await asked.ask("GET", first).code == "unknown_session")
        _ = try await asked.session()
    }

    @Test("ends after its idle time, unless it is used")
    func idle() async throws {
        let asked = Asked(SimulationServiceConfiguration(idleLimit: .seconds(60)))
        let (idle, used) = (try await asked.session(), try await asked.session())
        asked.time.advance(by: .seconds(40))
        await asked.ask("GET", used)
        asked.time.advance(by: .seconds(40))
        #expect(await asked.ask("GET", used).status == 200)
        #expect(await asked.ask("GET", idle).code == "unknown_session")
    }

    @Test("starts again after a reset")
    func reset() async throws {
        let asked = Asked()
        let session = try await asked.session(#"{"cards": ["visa-credit"], "seed": 5}"#)
        await asked.ask("POST", session + "/payments", #"{"amount": "1.00", "cardholder": "by_hand"}"#)
        let anew = await asked.ask("POST", session + "/reset")
        #expect(anew.json["running"] == nil)
        #expect(anew.json["clock"]?["now"]?.text != nil)
        #expect(await asked.ask("GET", session + "/payments").json.elements.isEmpty)
        #expect(await asked.ask("POST", session + "/payments", #"{"amount": "1.00"}"#).json["id"]?.text == "P000001")
    }

    @Test("has readers that are plugged in and unplugged")
    func readers() async throws {
        let asked = Asked()
        let session = try await asked.session(#"{"cards": ["visa-credit"]}"#)
        let made = await asked.ask("POST", session + "/readers", #"{"name": "counter", "model": "pinpad"}"#)
        #expect(made.status == 201)
        #expect(made.json["pluggedIn"]?.bool == true)
        #expect(await asked.ask("POST", session + "/readers", #"{"name": "counter"}"#).code == "invalid_plan")
        #expect(await asked.ask("POST", session + "/readers/counter/unplug").status == 200)
        #expect(await asked.ask("GET", session + "/readers/counter").json["pluggedIn"]?.bool == false)
        await asked.ask("POST", session + "/readers/counter/plug")
        await asked.ask("POST", session + "/readers/reader/disconnect")
        let connected = await asked.ask("POST", session + "/readers/counter/connect")
        #expect(connected.json["readers"]?[1]?["connected"]?.bool == true, "\(connected.text)")
        let missing = await asked.ask("POST", session + "/readers/countr/plug")
        #expect(missing.code == "unknown_reader")
        #expect(missing.fix?.contains("'counter'") == true)
        #expect(
            await asked.ask("POST", session + "/readers/reader/insert", #"{"card": "visa"}"#).code == "unknown_card")
        #expect(await asked.ask("POST", session + "/readers/reader/press", #"{"keys": ["a"]}"#).path == "keys[0]")
    }

    @Test("has an issuer, a printer, and a disk that fail on request")
    func faults() async throws {
        let asked = Asked()
        let session = try await asked.session(#"{"cards": ["visa-credit"]}"#)
        await asked.ask("POST", session + "/issuer/faults", #"{"fault": "not_reachable", "times": 1}"#)
        let failed = await asked.ask("POST", session + "/payments", #"{"amount": "1.00"}"#)
        #expect(failed.json["outcome"]?.text != "approved", "\(failed.text)")
        #expect(await asked.ask("DELETE", session + "/issuer/faults").status == 204)
        #expect(await asked.ask("PUT", session + "/issuer/rules", #"{"rules": "cents"}"#).status == 204)
        #expect(await asked.ask("PUT", session + "/issuer/rules", #"{"rules": "a:\n  b"}"#).path == "rules")
        let taken = await asked.ask("POST", session + "/payments", #"{"amount": "2.00"}"#)
        #expect(taken.json["outcome"]?.text == "approved", "\(taken.text)")
        #expect(
            await asked.ask("PUT", session + "/printer", #"{"condition": "ready"}"#).json["condition"]?.text == "ready")
        #expect(await asked.ask("POST", session + "/payments/P000002/print").json["state"]?.text == "completed")
        let printer = await asked.ask("GET", session + "/printer").json
        #expect(printer["documents"]?[0]?["lines"]?.elements.isEmpty == false)
        await asked.ask("PUT", session + "/printer", #"{"condition": "away"}"#)
        #expect(await asked.ask("POST", session + "/payments/P000002/print").code == "printer")
        await asked.ask("PUT", session + "/disk", #"{"condition": "full"}"#)
        let full = await asked.ask("POST", session + "/payments", #"{"amount": "3.00"}"#)
        #expect(full.status >= 400, "\(full.text)")
        #expect(await asked.ask("POST", session + "/store/faults", #"{"rule": "cut"}"#).code == "no_store")
    }

    @Test("returns its events in pages, and the card exchanges")
    func events() async throws {
        let asked = Asked()
        let session = try await asked.session(#"{"cards": ["visa-credit"]}"#)
        await asked.ask("POST", session + "/payments", #"{"amount": "1.00"}"#)
        let page = await asked.ask("GET", session + "/events?limit=10").json
        #expect(page["events"]?.elements.count == 10)
        let next = await asked.ask("GET", session + "/events?after=\(page["last"]?.int ?? 0)&limit=1").json
        #expect(next["events"]?[0]?["id"]?.int == 11)
        let shown = await asked.ask("GET", session + "/events?kind=display").json
        #expect(shown["events"]?.elements.allSatisfy { $0["kind"]?.text == "display" } == true)
        #expect(await asked.ask("GET", session + "/events?limit=0").code == "invalid_parameter")
        #expect(await asked.ask("GET", session + "/events?kind=dispay").fix == "did you mean 'display'?")
        #expect(await asked.ask("GET", session + "/trace").text.split(separator: "\n").count > 5)
    }

    @Test("sends over the wire of its plan, with the faults of its acquirer, and the same events each time")
    func wire() async throws {
        let plan =
            #"{"cards": ["visa-credit"], "host": {"wire": "iso8583", "profile": "iso87-ascii", "#
            + #""faults": ["answer-lost:sale:1"], "faultPercent": 0}}"#
        var logs: [JSON] = []
        for _ in 0..<2 {
            let asked = Asked()
            let session = try await asked.session(plan)
            let lost = await asked.ask("POST", session + "/payments", #"{"amount": "12.50"}"#).json
            #expect(lost["state"]?.text == "reversed")
            // Hours without a request.
            await asked.ask("POST", session + "/clock/advance", #"{"seconds": 43200}"#)
            let sold = await asked.ask("POST", session + "/payments", #"{"amount": "20.00"}"#).json
            #expect(sold["outcome"]?.text == "approved")
            logs.append(await asked.ask("GET", session + "/events?kind=host&limit=10000").json)
        }
        let details = logs[0]["events"]?.elements.compactMap { $0["detail"]?.text } ?? []
        #expect(details.contains("wire 0200 sale answered 00 answer-lost"), "\(details)")
        #expect(details.contains("wire 0420 reversal answered 00") && !details.contains { $0.contains("echo") })
        #expect(logs[0] == logs[1])
    }

    @Test("logs every payment like the first one, each event once")
    func once() async throws {
        let asked = Asked()
        let session = try await asked.session(#"{"cards": ["visa-credit"]}"#)
        var counts: [Int] = []
        for _ in 0..<3 {
            await asked.ask("POST", session + "/payments", #"{"amount": "1.00"}"#)
            counts.append(await asked.ask("GET", session + "/events?kind=kernel").json["events"]?.elements.count ?? 0)
        }
        #expect(counts[0] > 5)
        #expect(counts == [counts[0], counts[0] * 2, counts[0] * 3])
    }

    @Test("streams its events from the client's last ID until it is deleted")
    func stream() async throws {
        let asked = Asked()
        let session = try await asked.session(#"{"cards": ["visa-credit"]}"#)
        // On a clock that stands: signs of life would come without end on one that is moved by waiting.
        let served = try asked.service.session(String(session.dropFirst("/v1/sessions/".count)))
        let pieces = try served.stream(after: 3, time: StandingTime())
        let reading = Task {
            var text = ""
            for await piece in pieces { text += String(decoding: piece, as: UTF8.self) }
            return text
        }
        await asked.ask("POST", session + "/payments", #"{"amount": "1.00"}"#)
        let count = try #require(await asked.ask("GET", session).json["events"]?.int)
        await asked.ask("DELETE", session)
        let text = await reading.value
        #expect(text.hasPrefix("id: 4\n"))
        let ids = text.split(separator: "\n").filter { $0.hasPrefix("id: ") }.compactMap { Int($0.dropFirst(4)) }
        #expect(ids == Array(4...max(count, ids.last ?? 0)))
    }
}

/// A stopped clock: its sleeps end only by cancellation.
private struct StandingTime: TimeSource {
    func now() -> Timestamp { VirtualTimeSource.standardStart }
    func offsetSeconds(at moment: Timestamp) -> Int { 0 }
    func sleep(for duration: Duration) async throws(CancellationError) {
        let (silence, end) = AsyncStream.makeStream(of: Void.self)
        for await _ in silence {}
        end.finish()
        throw CancellationError()
    }
}
