import HTTPListening
import Testing
import Text

@testable import SimulationServer

@Suite("The service", .timeLimit(.minutes(2)))
struct AccessTests {
    @Test("with a token rejects requests without it, and does not reveal it")
    func token() async throws {
        let asked = Asked(token: "correct horse battery staple")
        #expect(await asked.ask("GET", "/v1").status == 200)
        for header in [
            "", "Bearer", "Bearer ", "Bearer correct", "Basic correct horse battery staple",
            "Bearer correct horse battery staplf", "Bearer correct horse battery staple ",
        ] {
            for (method, path) in [("GET", "/v1"), ("POST", "/v1/sessions"), ("GET", "/v1/sessions/s1/events")] {
                let reply = await asked.ask(method, path, headers: ["authorization": header])
                #expect(reply.status == 401)
                #expect(reply.code == "unauthorized")
                #expect(reply.headers["WWW-Authenticate"] == "Bearer")
                #expect(!reply.text.contains("horse"))
            }
        }
        #expect(asked.service.sessionCount == 0)
        // The page asks for the token itself.
        #expect(await asked.ask("GET", "/", headers: ["authorization": ""]).status == 200)
        #expect(!"\(asked.service.configuration)".contains("horse"))
    }

    @Test(
        "cannot be controlled by pages of other sites",
        arguments: ["http://evil.example", "null", "http://127.0.0.1:9999"])
    func origin(_ origin: String) async throws {
        let asked = Asked()
        #expect(await asked.ask("POST", "/v1/sessions", headers: ["origin": origin]).code == "foreign_origin")
        #expect(await asked.ask("POST", "/v1/sessions", headers: ["host": "evil.example:8200"]).code == "foreign_host")
        #expect(await asked.ask("POST", "/v1/sessions", headers: ["origin": "http://127.0.0.1:8200"]).status == 201)
        #expect(await asked.ask("GET", "/v1", headers: ["host": "LOCALHOST:8200"]).status == 200)
        #expect(await asked.ask("GET", "/v1", headers: ["host": "[::1]:8200"]).status == 200)
    }

    @Test("reports unknown paths, and the allowed methods")
    func routes() async throws {
        let asked = Asked()
        #expect(await asked.ask("GET", "/v2").code == "not_found")
        #expect(await asked.ask("GET", "/v1/sessions/s9").code == "unknown_session")
        let reply = await asked.ask("PATCH", "/v1/sessions")
        #expect(reply.status == 405)
        #expect(reply.json["error"]?["message"]?.text?.contains("GET, POST") == true)
        #expect(await asked.ask("GET", "/v1", "{}").code == "unexpected_body")
        #expect(await asked.ask("GET", "/v1/sessions/%zz/clock").status == 404)
    }

    @Test("accepts only loopback addresses as host")
    func loopback() async throws {
        for host in ["127.0.0.1", "127.1.2.3", "::1", "localhost"] { #expect(SimulationServer.isLoopback(host)) }
        for host in ["0.0.0.0", "::", "192.168.1.2", "127.0.0.1.example.com", "127.example.1.2", "", "128.0.0.1"] {
            #expect(!SimulationServer.isLoopback(host))
        }
        await #expect(throws: HTTPListenerError.self) {
            try await SimulationServer.start(Asked().service, host: "0.0.0.0")
        }
    }

    @Test("has a console that loads nothing from elsewhere and has a name for every control")
    func console() async throws {
        let asked = Asked()
        let page = await asked.ask("GET", "/").text
        for name in Console.files.keys {
            let file = await asked.ask("GET", "/console/\(name)")
            #expect(file.status == 200)
            for outside in ["src=\"http", "href=\"http", "@import", "url(http", "innerHTML", "insertAdjacentHTML"] {
                #expect(!file.text.contains(outside), "\(name) has \(outside)")
            }
            // Each file is in use.
            #expect(page.contains("/console/\(name)") || name.hasSuffix(".js"))
        }
        #expect(await asked.ask("GET", "/console/other.js").status == 404)
        for inside in ["<style", "<script>", "style=", "onclick=", "src=\"http", "href=\"http"] {
            #expect(!page.contains(inside), "the page has \(inside)")
        }
        for field in page.split(separator: "<").filter({ $0.hasPrefix("input") || $0.hasPrefix("select") }) {
            let id = field.split(separator: "id=\"").last?.prefix { $0 != "\"" } ?? ""
            #expect(page.contains("for=\"\(id)\""), "\(id) has no label")
        }
        #expect(page.contains("lang=\"en\"") && page.contains("role=\"status\""))
    }

    @Test("lets no script or style into the console that is not its own file")
    func policy() async throws {
        let policy = try #require(await Asked().ask("GET", "/").headers["Content-Security-Policy"])
        #expect(policy.hasPrefix("default-src 'none'; script-src 'self'; style-src 'self';"))
        #expect(!policy.contains("unsafe"))
        #expect(policy.contains("require-trusted-types-for 'script'"))
    }
}
