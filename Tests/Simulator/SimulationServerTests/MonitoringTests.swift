import Determinism
import HTTPInterface
import Monitoring
import Sessions
import Synchronization
import TestOpenAPI
import Testing
import Text

@testable import SimulationServer

/// A clock on which every look takes a millisecond, as work does.
private struct BusyTimeSource: TimeSource {
    let virtual = VirtualTimeSource()

    func now() -> Timestamp { virtual.now() }

    func reading() -> Duration {
        virtual.advance(by: .milliseconds(1))
        return virtual.reading()
    }

    func offsetSeconds(at moment: Timestamp) -> Int { 0 }

    func sleep(for duration: Duration) async throws(CancellationError) { try await virtual.sleep(for: duration) }
}

@Suite("Watching the service", .timeLimit(.minutes(10)))
struct MonitoringTests {
    @Test("tells that it runs, and whether it can make a session")
    func health() async throws {
        let asked = Asked(SimulationServiceConfiguration(sessionsLimit: 1))
        #expect(await asked.ask("GET", "/healthz").json["status"]?.text == "ok")
        #expect(await asked.ask("GET", "/readyz").json["status"]?.text == "ready")
        let session = try await asked.session()
        let full = await asked.ask("GET", "/readyz")
        #expect((full.status, full.code) == (503, "not_ready"))
        #expect(await asked.ask("GET", "/healthz").status == 200)
        await asked.ask("DELETE", session)
        #expect(await asked.ask("GET", "/readyz").status == 200)
        asked.service.beginEnd()
        #expect(await asked.ask("GET", "/readyz").code == "ending")
        #expect(await asked.ask("POST", "/v1/sessions").code == "ending")
        #expect(await asked.ask("GET", "/healthz").status == 200)
    }

    @Test("has other methods for none of it", arguments: ["/healthz", "/readyz", "/metrics"])
    func methods(_ path: String) async throws {
        for method in ["HEAD", "POST", "DELETE"] {
            let reply = await Asked().ask(method, path)
            #expect(reply.status == 405)
            #expect(reply.headers["Allow"] == "GET")
        }
    }

    @Test("keeps its metrics for those with the token, and its health for all")
    func token() async throws {
        let asked = Asked(token: "correct horse battery staple")
        for (path, status) in [("/healthz", 200), ("/readyz", 200), ("/metrics", 401)] {
            #expect(await asked.ask("GET", path, headers: ["authorization": ""]).status == status)
        }
        #expect(await asked.ask("GET", "/metrics").status == 200)
    }

    @Test("counts payments, requests, and sessions")
    func counts() async throws {
        let asked = Asked()
        let before = await asked.ask("GET", "/metrics").text.split(separator: "\n")
        #expect(before.contains(#"cardpresent_simulator_attempts_total{outcome="captured"} 0"#))
        #expect(before.contains("cardpresent_simulator_sessions 0"))
        let session = try await asked.session(#"{"cards": ["visa-credit"]}"#)
        #expect(await asked.ask("POST", session + "/payments", #"{"amount": "12.50"}"#).status == 201)
        #expect(await asked.ask("GET", "/v1/sessions/4111111111111111/clock").status == 404)
        #expect(await asked.ask("BREW", "/no/such/path").status == 404)
        let text = await asked.ask("GET", "/metrics").text
        let lines = text.split(separator: "\n")
        #expect(lines.contains(#"cardpresent_simulator_attempts_total{outcome="captured"} 1"#))
        #expect(lines.contains("cardpresent_simulator_sessions 1"))
        #expect(lines.contains("cardpresent_simulator_sessions_created_total 1"))
        #expect(lines.contains("cardpresent_simulator_unknown_attempts 0"))
        #expect(lines.contains(#"cardpresent_simulator_queue_length{queue="open_attempts"} 0"#))
        let request = "cardpresent_simulator_http_requests_total"
        #expect(
            lines.contains(
                Substring(request + #"{method="POST",route="/v1/sessions/{session}/payments",status="201"} 1"#)))
        #expect(lines.contains(Substring(request + #"{method="other",route="none",status="404"} 1"#)))
        #expect(!text.contains("4111"))
        for part in ["host_seconds_count{message=\"authorize\",result=\"answered\"} 1", "reader_seconds_count "] {
            #expect(text.contains("cardpresent_simulator_" + part), "\(text)")
        }
        await asked.ask("DELETE", session)
        let after = await asked.ask("GET", "/metrics").text.split(separator: "\n")
        #expect(after.contains(#"cardpresent_simulator_sessions_ended_total{reason="deleted"} 1"#))
        // What a session counted stays.
        #expect(after.contains(#"cardpresent_simulator_attempts_total{outcome="captured"} 1"#))
    }

    @Test("counts what goes wrong at the reader")
    func faults() async throws {
        let asked = Asked()
        let session = try await asked.session(#"{"readers": [{"name": "counter", "model": "tpdu"}]}"#)
        #expect(await asked.ask("POST", session + "/readers/counter/unplug").status == 200)
        let lines = await asked.ask("GET", "/metrics").text.split(separator: "\n")
        #expect(lines.contains(#"cardpresent_simulator_usb_faults_total{kind="unplugged"} 1"#))
    }

    @Test("measures an unknown outcome and its age in virtual time")
    func unknown() async throws {
        let asked = Asked()
        let session = try await asked.session(
            #"{"cards": ["visa-credit"], "issuer": {"faults": [{"fault": "answer_lost"}]}}"#)
        _ = await asked.ask("POST", session + "/payments", #"{"amount": "12.50"}"#)
        let text = await asked.ask("GET", "/metrics").text
        #expect(text.contains("cardpresent_simulator_queue_age_seconds{queue=\"unknown\"}"))
    }

    @Test("counts an attempt once that becomes unknown, beside its later result")
    func unknownAttempts() {
        let total = ServiceMeter()
        let meter = SessionMeter(total, time: VirtualTimeSource())
        func attempts(_ outcome: String) -> Substring? {
            total.metrics(of: [], limit: 1).text(.prometheus).split(separator: "\n")
                .first { $0.hasPrefix("cardpresent_simulator_attempts_total{outcome=\"\(outcome)\"} ") }?
                .split(separator: " ").last
        }
        #expect(attempts("unknown") == "0")
        for (number, word) in ["authorizing", "unknown", "reversing", "unknown", "captured"].enumerated() {
            meter.note(SessionEvent(number: number + 1, milliseconds: 0, kind: .journal, detail: word + " 1 sale"))
        }
        #expect(attempts("unknown") == "1")
        #expect(attempts("captured") == "1")
        #expect(attempts("failed") == "0")
    }

    @Test("measures the work for an exchange on its own clock, not what a client takes in between")
    func times() async throws {
        let time = BusyTimeSource()
        let service = SimulationService(time: time)
        func ask(_ method: String, _ target: String, _ body: String = "") async -> String {
            let answer = await service.answer(
                APIRequest(
                    method: method, target: target, headers: ["host": "127.0.0.1:8200"], body: Array(body.utf8)))
            guard case .bytes(let bytes) = answer.content else { return "" }
            return String(decoding: bytes, as: UTF8.self)
        }
        _ = await ask("POST", "/v1/sessions", #"{"cards": ["visa-credit"]}"#)
        for _ in 0..<2 {
            // The client thinks for a while.
            time.virtual.advance(by: .seconds(1000))
            _ = await ask("POST", "/v1/sessions/s1/payments", #"{"amount": "12.50"}"#)
        }
        let lines = await ask("GET", "/metrics").split(separator: "\n")
        func number(_ name: String) -> Double? {
            lines.first { $0.hasPrefix("cardpresent_simulator_" + name + " ") }
                .flatMap { Double($0.split(separator: " ").last ?? "") }
        }
        let labels = #"{message="authorize",result="answered"}"#
        let host = try #require(number("host_seconds_sum" + labels))
        let reader = try #require(number("reader_seconds_sum"))
        #expect(host > 0 && host < 60)
        #expect(reader > 0 && reader < 60)
        #expect(number("host_seconds_count" + labels) == 2)
    }

    @Test("adds simulated waits to the work")
    func waits() {
        let total = ServiceMeter()
        let time = VirtualTimeSource()
        let meter = SessionMeter(total, time: time)
        func note(_ milliseconds: Int64, _ detail: String) {
            meter.note(SessionEvent(number: 1, milliseconds: milliseconds, kind: .host, detail: detail))
        }
        note(0, "authorize sent")
        time.advance(by: .seconds(2))
        meter.rest()
        time.advance(by: .seconds(3600))
        note(30_000, "authorize answered 00")
        let text = total.metrics(of: [], limit: 1).text(.prometheus)
        #expect(
            text.contains(
                #"cardpresent_simulator_host_seconds_sum{message="authorize",result="answered"} 32"#), "\(text)")
    }

    @Test("speaks OpenMetrics to those who ask for it")
    func openMetrics() async throws {
        let reply = await Asked().ask("GET", "/metrics", headers: ["accept": "application/openmetrics-text"])
        #expect(reply.mediaType.hasPrefix("application/openmetrics-text"))
        #expect(reply.text.hasSuffix("# EOF\n"))
        #expect(reply.text.contains("# TYPE cardpresent_simulator_attempts counter\n"))
    }

    @Test("has every metric in a form that Prometheus reads")
    func form() async throws {
        let asked = Asked()
        let session = try await asked.session()
        await asked.ask("POST", session + "/payments", #"{"amount": "1.00"}"#)
        var kinds: [Substring: Substring] = [:]
        for line in await asked.ask("GET", "/metrics").text.split(separator: "\n") {
            let words = line.split(separator: " ", maxSplits: 3)
            if line.hasPrefix("# HELP ") {
                #expect(words.count == 4 && words[3].hasSuffix("."), "\(line)")
            } else if line.hasPrefix("# TYPE ") {
                #expect(kinds.updateValue(words[3], forKey: words[2]) == nil, "\(line)")
            } else {
                let name = line.prefix { $0 != "{" && $0 != " " }
                let family =
                    ["_bucket", "_sum", "_count"].first { name.hasSuffix($0) }
                    .map { name.dropLast($0.count) } ?? name
                #expect(kinds[family] != nil, "\(line)")
                #expect(Double(line.split(separator: " ").last ?? "") != nil, "\(line)")
            }
        }
        #expect(kinds.count > 12)
    }

    @Test("logs each request and the life of a session, without contents")
    func log() async throws {
        let lines = Mutex<[String]>([])
        let time = VirtualTimeSource()
        let service = SimulationService(time: time) { line in lines.withLock { $0.append(line.text(.logfmt)) } }
        func ask(_ method: String, _ target: String, _ body: String = "") async -> APIAnswer {
            await service.answer(
                APIRequest(
                    method: method, target: target, headers: ["host": "127.0.0.1:8200"], body: Array(body.utf8)))
        }
        let made = await ask("POST", "/v1/sessions", #"{"cards": ["visa-credit"]}"#)
        #expect(made.headers.contains { $0.name == "X-Request-Id" && $0.value == "r1" })
        _ = await ask("POST", "/v1/sessions/s1/payments", #"{"amount": "12.50"}"#)
        _ = await ask("GET", "/v1/sessions/4111111111111111?card=4111111111111111")
        _ = await ask("DELETE", "/v1/sessions/s1")
        let found = lines.withLock { $0 }
        let start = "time=2026-01-02T12:00:00.000Z level="
        #expect(found.first == start + "info msg=session_created session=s1")
        #expect(
            found.dropFirst().first == start
                + "info msg=request id=r1 method=POST route=/v1/sessions status=201 milliseconds=0.000")
        #expect(
            found.contains(
                start
                    + "warning msg=request id=r3 method=GET route=/v1/sessions/{session} status=404 milliseconds=0.000")
        )
        #expect(found.contains { $0.hasPrefix(start + "info msg=session_ended session=s1 reason=deleted virtual_") })
        #expect(found.last?.hasSuffix("status=204 milliseconds=0.000 session=s1") == true)
        #expect(!found.joined().contains("4111"))
    }
}
