import CardSecrets
import Foundation
import Sessions
import Simulator
import TestOpenAPI
import TestPostgreSQL
import Testing
import Text

@testable import SimulationServer

@Suite(
    "Tokens and quotas of stored sessions", .timeLimit(.minutes(10)),
    .enabled(if: TemporaryPostgreSQL.isUsed, "\(TemporaryPostgreSQL.missing)"))
struct QuotaTests {
    private static let secrets = ["anna": "secret-of-anna-123", "ci": "secret-of-ci-12345"]

    private func instances(_ quota: TokenQuota) async throws -> (StoredBench, Asked, Asked) {
        let bench = try await StoredBench()
        var configuration = SimulationServiceConfiguration()
        configuration.quota = quota
        configuration.tokens = Self.secrets.map {
            ServiceToken(name: $0.key, secret: SealedBytes(Array($0.value.utf8)))
        }
        return (bench, try await bench.instance(configuration), try await bench.instance(configuration))
    }

    private func ask(
        _ asked: Asked, as name: String, _ method: String, _ target: String, _ body: String = ""
    ) async -> Asked.Reply {
        await asked.ask(method, target, body, headers: ["authorization": "Bearer " + (Self.secrets[name] ?? name)])
    }

    @Test func `a token sees and uses only its own sessions`() async throws {
        let (bench, first, second) = try await instances(TokenQuota())
        #expect(await ask(first, as: "anna", "POST", "/v1/sessions", "{}").status == 201)
        #expect(await ask(second, as: "ci", "POST", "/v1/sessions", "{}").status == 201)
        #expect(await ask(second, as: "anna", "GET", "/v1/sessions").json.elements.map { $0["id"]?.text } == ["s1"])
        #expect(await ask(second, as: "anna", "GET", "/v1").json["sessions"]?.int == 1)
        for (method, place, body) in [
            ("GET", "", ""), ("DELETE", "", ""), ("POST", "/reset", ""), ("POST", "/repeat", "{}"),
            ("POST", "/payments", #"{"amount": "1.00"}"#), ("GET", "/events", ""),
        ] {
            let reply = await ask(first, as: "anna", method, "/v1/sessions/s2" + place, body)
            #expect(reply.status == 404 && reply.code == "unknown_session", "\(method) \(place): \(reply.text)")
        }
        #expect(await ask(first, as: "no-such-token-here", "GET", "/v1").status == 401)
        #expect(await ask(first, as: "ci", "POST", "/v1/sessions/s2/payments", #"{"amount": "1.00"}"#).status == 201)
        // Names are in the database, and no secrets.
        #expect(try await bench.text("SELECT string_agg(name, ',' ORDER BY name) FROM service_token") == "anna,ci")
    }

    @Test func `the limit of sessions holds over all instances`() async throws {
        let (bench, first, second) = try await instances(TokenQuota(sessions: 3))
        let statuses = await withTaskGroup(of: Int.self) { group in
            for number in 0..<10 {
                group.addTask {
                    await ask([first, second][number % 2], as: "ci", "POST", "/v1/sessions", "{}").status
                }
            }
            return await group.reduce(into: [Int]()) { $0.append($1) }
        }
        #expect(statuses.filter { $0 == 201 }.count == 3 && statuses.filter { $0 == 429 }.count == 7)
        #expect(try await bench.number("SELECT count(*) FROM service_session") == 3)
        let refused = await ask(first, as: "ci", "POST", "/v1/sessions", "{}")
        #expect(refused.code == "quota_sessions" && refused.headers["Retry-After"] == "30")
        #expect(await ask(first, as: "anna", "POST", "/v1/sessions", "{}").status == 201)
        let own = await ask(second, as: "ci", "GET", "/v1/sessions").json.elements.first?["id"]?.text ?? ""
        #expect(await ask(second, as: "ci", "DELETE", "/v1/sessions/" + own).status == 204)
        #expect(await ask(first, as: "ci", "POST", "/v1/sessions", "{}").status == 201)
    }

    @Test func `the limit of all sessions holds over all instances`() async throws {
        let bench = try await StoredBench()
        let configuration = SimulationServiceConfiguration(sessionsLimit: 2)
        let (first, second) = (try await bench.instance(configuration), try await bench.instance(configuration))
        _ = try await first.session()
        #expect(await first.ask("GET", "/readyz").status == 200)
        _ = try await second.session()
        let refused = await first.ask("POST", "/v1/sessions", "{}")
        #expect(refused.status == 429 && refused.code == "too_many_sessions")
        #expect(await first.ask("GET", "/readyz").status == 503)
    }

    @Test(arguments: ["minute", "second"])
    func `the limit of requests holds over all instances until the next period`(period: String) async throws {
        let quota =
            period == "minute" ? TokenQuota(requestsPerMinute: 4) : TokenQuota(requestsPerSecond: 4)
        let (bench, first, second) = try await instances(quota)
        #expect(await ask(first, as: "ci", "GET", "/v1").status == 200)
        // A period that does not end while the test runs.
        try await bench.run("UPDATE service_token SET \(period) = \(period) + interval '1 hour'")
        for asked in [second, first, second] { #expect(await ask(asked, as: "ci", "GET", "/v1").status == 200) }
        for asked in [first, second] {
            let refused = await ask(asked, as: "ci", "GET", "/v1")
            #expect(refused.status == 429 && refused.code == "quota_requests", "\(refused.text)")
            #expect((Int(refused.headers["Retry-After"] ?? "") ?? 0) >= 1)
        }
        #expect(await ask(first, as: "anna", "GET", "/v1").status == 200)
        try await bench.run("UPDATE service_token SET \(period) = '-infinity'")
        #expect(await ask(first, as: "ci", "GET", "/v1").status == 200)
    }

    @Test func `the limit of kept bytes refuses a request, of which nothing remains`() async throws {
        let (bench, first, second) = try await instances(TokenQuota(retainedBytes: 120))
        #expect(await ask(first, as: "ci", "POST", "/v1/sessions", "{}").status == 201)
        let body = #"{"amount": "1.00"}"#
        #expect(await ask(first, as: "ci", "POST", "/v1/sessions/s1/payments", body).status == 201)
        #expect(await ask(second, as: "ci", "POST", "/v1/sessions/s1/payments", body).status == 201)
        let before = await ask(second, as: "ci", "GET", "/v1/sessions/s1")
        var refused = await ask(second, as: "ci", "POST", "/v1/sessions/s1/payments", body)
        for _ in 0..<3 where refused.status == 201 {
            refused = await ask(second, as: "ci", "POST", "/v1/sessions/s1/payments", body)
        }
        #expect(refused.status == 429 && refused.code == "quota_bytes", "\(refused.text)")
        let count = try await bench.number("SELECT requests FROM service_session")
        for asked in [first, second] {
            #expect(await ask(asked, as: "ci", "GET", "/v1/sessions/s1/payments").json.elements.count == Int(count))
        }
        #expect(before.status == 200)
        #expect(try await bench.number("SELECT bytes FROM service_token WHERE name = 'ci'") <= 120)
        #expect(await ask(first, as: "ci", "POST", "/v1/sessions/s1/reset").status == 200)
        #expect(await ask(second, as: "ci", "POST", "/v1/sessions/s1/payments", body).status == 201)
    }
}

@Suite(
    "Card data of stored sessions", .timeLimit(.minutes(10)),
    .enabled(if: TemporaryPostgreSQL.isUsed, "\(TemporaryPostgreSQL.missing)"))
struct StoredCardDataTests {
    @Test func `a PIN is kept as a reference to the card, and typed again by every instance`() async throws {
        let bench = try await StoredBench()
        let first = try await bench.instance()
        let path = try await first.session(#"{"cards": ["pin-required"], "readers": ["pinpad"]}"#)
        await first.ask("POST", path + "/payments", #"{"amount": "4.00", "cardholder": "by_hand"}"#)
        await first.ask("POST", path + "/readers/reader/insert", "{}")
        let card = try CardProfileLibrary.profile("pin-required")
        guard case .digits(let pin)? = card.cardholder.pinEntry(attempt: 0) else {
            Issue.record("the card has no PIN")
            return
        }
        let digits = pin.bytes.withUnsafeBytes { $0.map { "\($0)" } }
        let keys = digits.map { "\"\($0)\"" }.joined(separator: ",")
        let typed = await first.ask("POST", path + "/readers/reader/press", "{\"keys\": [\(keys), \"confirm\"]}")
        #expect(typed.status == 200, "\(typed.text)")
        let body = try await bench.text(
            "SELECT convert_from(body, 'UTF8') FROM service_request WHERE place LIKE '%/press'")
        #expect(body.contains("#1 pin-required") && body.contains("confirm"))
        for digit in digits { #expect(!body.contains("\"\(digit)\"")) }
        let second = try await bench.instance()
        #expect(await second.ask("GET", path).bytes == (await first.ask("GET", path)).bytes)
        await second.ask("POST", path + "/readers/reader/remove")
        let payment = await first.ask("GET", path + "/payments/P000001")
        #expect(payment.json["outcome"]?.text == "approved" || payment.text.contains("captured"), "\(payment.text)")
    }

    @Test func `a request with a card number is refused, and nothing of it is stored`() async throws {
        let bench = try await StoredBench()
        let asked = try await bench.instance()
        let path = try await asked.session()
        let number = "4111111111111111"
        let refused = [
            await asked.ask("POST", "/v1/sessions", #"{"cards": [{"name": "\#(number)", "profile": "visa-credit"}]}"#),
            await asked.ask("POST", path + "/readers", #"{"name": "\#(number)"}"#),
            await asked.ask("POST", path + "/readers", #"{"name": "4\u003111111111111111"}"#),
            await asked.ask(
                "POST", path + "/payments", #"{"amount": "1.00"}"#, headers: ["idempotency-key": number]),
            await asked.ask("POST", path + "/readers/\(number)/plug"),
        ]
        for reply in refused { #expect(reply.status == 422 && reply.code == "card_number", "\(reply.text)") }
        let profile = await asked.ask(
            "POST", "/v1/sessions", #"{"cards": ["visa-credit", {"name": "mine", "profile": "name: mine\npin: 1"}]}"#)
        #expect(profile.status == 422 && (profile.code == "card_profile" || profile.code == "invalid_body"))
        #expect(try await bench.number("SELECT count(*) FROM service_request") == 0)
        #expect(try await bench.number("SELECT count(*) FROM service_session") == 1)
    }

    @Test func `keys are references where they are digits of a PIN, and come back as they were`() throws {
        let cards = [PlannedCard(try CardProfileLibrary.profile("pin-required"), name: "a card")]
        let references = PINReferences(cards)
        let body = Array(#"{"keys":["1","2","3","4","9","0","correct","confirm"]}"#.utf8)
        let kept = references.replacingDigits(in: body)
        #expect(references.replacingReferences(in: kept) == body)
        #expect(kept != body)
        for other in [#"{"amount":"1.00"}"#, "", "no JSON", #"{"keys":"1"}"#] {
            let bytes = Array(other.utf8)
            #expect(references.replacingReferences(in: references.replacingDigits(in: bytes)) == bytes)
        }
    }
}
