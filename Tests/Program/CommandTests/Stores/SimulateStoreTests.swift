import Foundation
import Glibc
import Testing

@Suite("The simulated store")
struct SimulateStoreTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func start(_ arguments: String...) throws -> (child: Child, view: [String: Any]) {
        let child = try Child(
            ["simulate", "store", "--port", "0", "--json", "--orders", "20", "--now", "2026-01-02T12:00:00Z"]
                + arguments, in: scratch)
        #expect(child.wait { child.output.hasSuffix("}\n") })
        let view = try JSONSerialization.jsonObject(with: Data(child.output.utf8))
        return (child, try #require(view as? [String: Any]))
    }

    /// The body of the answer to a request.
    private func ask(
        _ view: [String: Any], _ method: String, _ path: String, _ body: String = "", host: String = "127.0.0.1"
    ) throws -> String {
        let address = try #require(view["address"] as? String)
        let port = try #require(address.split(separator: ":").last)
        let script = """
            exec 3<>/dev/tcp/127.0.0.1/$1
            printf '%s %s HTTP/1.1\\r\\nHost: %s\\r\\nConnection: close\\r\\n' "$2" "$3" "$5" >&3
            printf 'Content-Length: %d\\r\\n\\r\\n%s' "${#4}" "$4" >&3
            cat <&3
            """
        let answer = try Program.run(shell: script, [String(port), method, path, body, host], in: scratch).output
        let end = try #require(answer.range(of: "\r\n\r\n"))
        return String(answer[end.upperBound...])
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func `it prints its address, stores its secrets in files, and ends on a signal without an error`(
        signal: Int32
    ) throws {
        let (child, view) = try start()
        let password = try #require(view["passwordFile"] as? String)
        let attributes = try FileManager.default.attributesOfItem(atPath: password)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        let secret = try String(contentsOfFile: password, encoding: .utf8).trimmingCharacters(in: .newlines)
        #expect(secret.count == 24)
        #expect(try ask(view, "GET", "/wp-json/").contains(#""namespaces":"#))
        #expect(try ask(view, "GET", "/wp-json/wc/v3/orders").contains("woocommerce_rest_cannot_view"))
        child.send(signal)
        let result = try child.result()
        #expect(result.status == 0 && result.error == "")
        #expect(!result.output.contains(secret))
    }

    @Test func `the same seed creates the same store, and secrets are reused`() throws {
        var secrets: [String] = []
        var states: [String] = []
        for _ in 0..<2 {
            let (child, view) = try start("--seed", "9", "--password-file", scratch.file("pw"))
            secrets.append(try scratch.text("pw"))
            let state = try ask(view, "GET", "/_simulator/state")
            let orders = try #require(state.split(separator: "\"orders\":").dropFirst().first)
            states.append(String(orders.prefix { $0 != "}" }))
            child.send(SIGTERM)
            #expect(try child.result().status == 0)
        }
        #expect(secrets[0] == secrets[1])
        #expect(states[0] == states[1] && states[0].contains("completed"))
    }

    @Test func `requests are logged without credentials, and faults take effect`() throws {
        let (child, view) = try start("--verbose", "--fault", "GET /wp-json/ #2 503:1")
        _ = try ask(view, "GET", "/?rest_route=/wc/v3/orders&search=canary")
        _ = try ask(view, "GET", "/wp-json/")
        #expect(try ask(view, "GET", "/wp-json/").contains("service_unavailable"))
        #expect(try ask(view, "POST", "/_simulator/faults", #"{"rule":"teapot"}"#).contains("invalid_rule"))
        child.send(SIGTERM)
        let result = try child.result()
        #expect(result.status == 0)
        #expect(result.error.contains("GET /wc/v3/orders (/): 401"))
        #expect(result.error.contains("fault: 503:1"))
        #expect(!result.error.contains("canary"))
    }

    @Test func `SIGHUP reads its secrets again, and opens its log again`() throws {
        let log = scratch.file("log")
        let token = try scratch.write("first-token\n", to: "token")
        let (child, view) = try start("--token-file", token, "--log", "logfmt", "--log-file", log)
        let address = try #require(view["address"] as? String)
        func status(_ token: String) throws -> String {
            try Child(
                program: "/usr/bin/env",
                [
                    "curl", "-sS", "--max-time", "300", "-o", "/dev/null", "-w", "%{http_code}", "-H",
                    "Authorization: Bearer " + token, address + "/rest/v1.1/me",
                ], in: scratch
            ).result().output
        }
        #expect(try status("first-token") == "200")
        try FileManager.default.moveItem(atPath: log, toPath: log + ".1")
        _ = try scratch.write("second-token\n", to: "token")
        child.send(SIGHUP)
        #expect(child.wait { (try? scratch.text("log"))?.hasSuffix("msg=reloaded part=secrets\n") == true })
        #expect(try status("first-token") == "401")
        #expect(try status("second-token") == "200")
        child.send(SIGTERM)
        #expect(try child.result().status == 0)
    }

    @Test func `a port in use is reported`() throws {
        let (child, view) = try start()
        let address = try #require(view["address"] as? String)
        let port = String(try #require(address.split(separator: ":").last))
        let result = try Program.run(["simulate", "store", "--port", port, "--json"], in: scratch)
        #expect(result.status == 69)
        let error = try #require(try result.object()["error"] as? [String: Any])
        #expect(error["code"] as? String == "cannot_listen")
        #expect(result.error.contains("another program uses the port"))
        child.send(SIGTERM)
        #expect(try child.result().status == 0)
    }

    @Test(arguments: [
        ["--port", "65536"], ["--orders", "-1"], ["--fault", "teapot"], ["--now", "soon"], ["--username", "a:b"],
    ])
    func `invalid options are rejected`(arguments: [String]) throws {
        let result = try Program.run(["simulate", "store"] + arguments, in: scratch)
        #expect(result.status == 64)
        #expect(result.error.contains(arguments[0]) || result.error.contains(arguments[1]))
    }

    @Test func `a consumer key is created once, and a file without one is rejected`() throws {
        let file = scratch.file("key")
        let (child, view) = try start("--consumer-key-file", file)
        #expect(view["consumerKeyFile"] as? String == file)
        child.send(SIGTERM)
        #expect(try child.result().status == 0)
        let key = try scratch.text("key")
        let parts = key.trimmingCharacters(in: .newlines).split(separator: ":")
        #expect(parts.count == 2 && parts[0].hasPrefix("ck_") && parts[1].hasPrefix("cs_"))
        #expect(parts.allSatisfy { $0.count == 43 })
        let wrong = try scratch.write("secret\n", to: "wrong")
        let result = try Program.run(["simulate", "store", "--port", "0", "--consumer-key-file", wrong], in: scratch)
        #expect(result.status == 65)
        #expect(result.error.contains("does not contain a consumer key"))
    }

    @Test func `the control answers only requests to this machine by its own name`() throws {
        let (child, view) = try start()
        for host in ["evil.example", "[evil", "[evil]", "[::1", "[::1]x", "[::1]:x"] {
            #expect(try ask(view, "GET", "/_simulator/state", host: host).contains("foreign_host"), "\(host)")
        }
        #expect(!(try ask(view, "GET", "/_simulator/state", host: "[::1]:80").contains("foreign_host")))
        #expect(try ask(view, "GET", "/_simulator/state", host: "localhost").contains("woocommerce"))
        child.send(SIGTERM)
        #expect(try child.result().status == 0)
    }

    @Test func `an empty password file is rejected`() throws {
        let file = try scratch.write("\n", to: "pw")
        let result = try Program.run(["simulate", "store", "--port", "0", "--password-file", file], in: scratch)
        #expect(result.status == 65)
        #expect(result.error.contains("does not contain one line with a secret"))
    }
}
