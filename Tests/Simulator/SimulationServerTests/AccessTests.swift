import FoundationEssentials
import HTTPListening
import SessionViews
import Simulator
import TestOpenAPI
import Testing
import Text

@testable import SimulationServer

@Suite("The service", .timeLimit(.minutes(10)))
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
                #expect(reply.text.contains(header.isEmpty ? "a token is required" : "not that of this server"))
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

    @Test("takes another token and other limits while it runs, and keeps its sessions")
    func reload() async throws {
        var asked = Asked(token: "correct horse battery staple")
        let session = try await asked.session()
        asked.service.configure {
            $0.token = SealedBytes(Array("another horse battery staple".utf8))
            $0.sessionsLimit = 1
        }
        #expect(await asked.ask("GET", session).status == 401)
        asked.token = "another horse battery staple"
        #expect(await asked.ask("GET", session).status == 200)
        #expect(await asked.ask("POST", "/v1/sessions").code == "too_many_sessions")
        #expect(await asked.ask("GET", "/readyz").code == "not_ready")
        asked.service.configure { $0.sessionsLimit = 2 }
        #expect(await asked.ask("POST", "/v1/sessions").status == 201)
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

    @Test("has a console of one file that loads nothing from elsewhere and has a name for every control")
    func console() async throws {
        let page = await Asked().ask("GET", "/").text
        for outside in ["src=", "href=\"", "@import", "url(http", "innerHTML", "insertAdjacentHTML"] {
            #expect(!page.contains(outside), "the page has \(outside)")
        }
        for inside in ["style=\"", "onclick=", "\nimport ", "\nexport "] {
            #expect(!page.contains(inside), "the page has \(inside)")
        }
        #expect(page.components(separatedBy: "<script").count == 2)
        #expect(page.components(separatedBy: "<style").count == 2)
        for field in page.split(separator: "<").filter({ $0.hasPrefix("input") || $0.hasPrefix("select") }) {
            let id = field.split(separator: "id=\"").last?.prefix { $0 != "\"" } ?? ""
            #expect(page.contains("for=\"\(id)\""), "\(id) has no label")
        }
        #expect(page.contains("lang=\"en\"") && page.contains("role=\"status\""))
    }

    @Test func `the console's script is made of all its modules, each after those that it imports`() {
        let joined = JoinedScript("main.js", of: PageFiles.modules)
        // The scripts of a report page and of a fleet use some of them.
        #expect(Set(joined.names) == Set(PageFiles.modules.keys).subtracting(["report.js", "fleet.js"]))
        #expect(joined.names.last == "main.js")
        let two = JoinedScript(
            "a.js",
            of: [
                "a.js": "import { one as first,\n  two } from \"./b.js\";\nimport * as b from \"./b.js\";\nfirst(two);",
                "b.js": "export const one = 1;\nexport async function two(x) {}\n",
            ])
        #expect(
            two.text.contains(
                """
                modules["b.js"] = (() => {
                const one = 1;
                async function two(x) {}

                return { one, two };
                })();
                modules["a.js"] = (() => {
                const { one : first,  two } = modules["b.js"];
                const b = modules["b.js"];
                first(two);
                """), "\(two.text)")
    }

    @Test("lets no script or style into the console that is not its own file")
    func policy() async throws {
        let policy = try #require(await Asked().ask("GET", "/").headers["Content-Security-Policy"])
        let hash = "'sha256-[A-Za-z0-9+/]{43}='"
        let start = "^default-src 'none'; script-src \(hash); style-src \(hash); connect-src 'self';"
        #expect(policy.contains(try Regex(start)))
        #expect(!policy.contains("unsafe"))
        #expect(policy.contains("require-trusted-types-for 'script'"))
    }
}
