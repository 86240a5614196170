import Foundation
import Glibc
import Testing

@Suite("simulate serve", .timeLimit(.minutes(10)))
struct SimulateServeTests {
    @Test("prints its address, responds there, and ends on request")
    func serves() throws {
        let scratch = try Scratch()
        let child = try Child(
            ["simulate", "serve", "--port", "0", "--json", "--token", scratch.file("token")], in: scratch)
        let isUp = child.wait { child.output.hasSuffix("}\n") }
        try #require(isUp, "\(child.errorOutput)")
        let view = try #require(try JSONSerialization.jsonObject(with: Data(child.output.utf8)) as? [String: Any])
        let address = try #require(view["address"] as? String)
        #expect(address.hasPrefix("http://127.0.0.1:"))
        #expect(view["openapi"] as? String == address + "/openapi.json")
        let token = try String(contentsOfFile: scratch.file("token"), encoding: .utf8)
        #expect(!child.output.contains(token.dropLast()))
        child.send(SIGTERM)
        #expect(try child.result().status == 0)
    }

    @Test("logs requests, and the end of a session that a signal ends")
    func log() throws {
        let scratch = try Scratch()
        let child = try Child(["simulate", "serve", "--port", "0", "--json", "--log", "json"], in: scratch)
        try #require(child.wait { child.output.hasSuffix("}\n") }, "\(child.errorOutput)")
        let view = try #require(try JSONSerialization.jsonObject(with: Data(child.output.utf8)) as? [String: Any])
        let address = try #require(view["address"] as? String)
        let made = try Child(
            program: "/usr/bin/env", ["curl", "-sS", "--max-time", "300", "-d", "{}", address + "/v1/sessions"],
            in: scratch
        ).result()
        #expect(made.output.contains("\"id\":\"s1\""), "\(made.output) \(made.error)")
        child.send(SIGTERM)
        let result = try child.result()
        #expect(result.status == 0)
        let lines = try result.error.split(separator: "\n").map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any], "\(line)")
        }
        #expect(lines.map { $0["msg"] as? String } == ["session_created", "request", "session_ended"])
        #expect(lines.map { $0["session"] as? String } == ["s1", nil, "s1"])
        #expect(lines.last?["reason"] as? String == "closed")
        #expect(lines.allSatisfy { ($0["time"] as? String)?.hasSuffix("Z") == true })
    }

    @Test("reads its token, its limits, and its log again on SIGHUP, and keeps its sessions")
    func reloads() throws {
        let scratch = try Scratch()
        let (old, new) = ("first-token-of-this-test", "second-token-of-this-test")
        let token = try scratch.write(old + "\n", to: "token")
        let limits = try scratch.write("sessions: 1\n", to: "limits.yaml")
        let log = scratch.file("log")
        let child = try Child(
            [
                "simulate", "serve", "--port", "0", "--json", "--token", token, "--limits", limits, "--log", "json",
                "--log-file", log,
            ], in: scratch)
        try #require(child.wait { child.output.hasSuffix("}\n") }, "\(child.errorOutput)")
        let view = try #require(try JSONSerialization.jsonObject(with: Data(child.output.utf8)) as? [String: Any])
        #expect(view["sessionsLimit"] as? Int == 1)
        let address = try #require(view["address"] as? String)
        func status(_ path: String, _ token: String, _ options: String...) throws -> String {
            try Child(
                program: "/usr/bin/env",
                [
                    "curl", "-sS", "--max-time", "300", "-o", "/dev/null", "-w", "%{http_code}", "-H",
                    "Authorization: Bearer " + token, address + path,
                ] + options, in: scratch
            ).result().output
        }
        /// The words of the log so far.
        func words() -> [String] {
            ((try? scratch.text("log")) ?? "").split(separator: "\n").map { line in
                let object = (try? JSONSerialization.jsonObject(with: Data(line.utf8))) as? [String: Any]
                return ["msg", "part", "code"].compactMap { object?[$0] as? String }.joined(separator: " ")
            }
        }
        func hangUp(_ last: String, lines: Int = 3) {
            let before = words().count
            child.send(SIGHUP)
            #expect(child.wait { words().count == before + lines && words().last == last }, "\(words())")
        }
        #expect(try status("/v1/sessions", old, "-d", "{}") == "201")
        #expect(try status("/v1/sessions", old, "-d", "{}") == "429")

        try FileManager.default.moveItem(atPath: log, toPath: log + ".1")
        _ = try scratch.write(new + "\n", to: "token")
        _ = try scratch.write("sessions: 2\nidleSeconds: 60\n", to: "limits.yaml")
        hangUp("reloaded limits")
        #expect(words() == ["reloaded log", "reloaded token", "reloaded limits"])
        #expect(try scratch.text("log.1").contains("session_created"))
        #expect(try status("/v1/sessions/s1", old) == "401")
        #expect(try status("/v1/sessions/s1", new) == "200")
        #expect(try status("/v1/sessions", new, "-d", "{}") == "201")

        // A mistake changes nothing.
        _ = try scratch.write("sessions: many\n", to: "limits.yaml")
        hangUp("reload_failed limits malformed_limits")
        _ = try scratch.write("", to: "token")
        hangUp("reload_failed limits malformed_limits")
        #expect(words().contains("reload_failed token no_secret"))
        #expect(try status("/v1/sessions/s1", new) == "200")
        #expect(try status("/v1/sessions", new, "-d", "{}") == "429")

        child.send(SIGTERM)
        let result = try child.result()
        #expect((result.status, result.error) == (0, ""))
        #expect(words().last == "session_ended")
        #expect(try !scratch.text("log").contains(new))
    }

    @Test("ends with its terminal")
    func hangup() throws {
        let scratch = try Scratch()
        let (output, program) = (scratch.file("output"), Program.path)
        let terminal = try Child(
            program: "/usr/bin/script",
            ["-qfc", "exec '\(program)' simulate serve --port 0 --json >'\(output)'", "/dev/null"], in: scratch)
        try #require(terminal.wait { (try? scratch.text("output"))?.hasSuffix("}\n") == true })
        // The terminal is closed with its program. The result comes when the server has ended, too.
        terminal.send(SIGKILL)
        #expect(try terminal.result().signal == SIGKILL)
    }

    @Test(
        "rejects invalid options",
        arguments: [
            (["--host", "0.0.0.0"], "add --token, --token-env, or --tokens"),
            (["--port", "65536"], "--port must be 0 to 65535"),
            (["--store", "postgres:///x", "--zvt", "0"], "--zvt and --store cannot be used together"),
            (["--sessions-limit", "0"], "--sessions-limit must be 1 to"),
            (["--token", "a", "--token-env", "B"], "cannot be used together"),
            (["--sessions-limit", "5", "--limits", "a"], "cannot be used together"),
            (["--log-file", "a"], "--log-file needs --log"),
        ])
    func refuses(_ arguments: [String], _ message: String) throws {
        let scratch = try Scratch()
        let result = try Program.run(["simulate", "serve"] + arguments, in: scratch)
        #expect(result.status == 64)
        #expect(result.error.contains(message), "\(result.error)")
    }

    @Test("rejects a file of limits that it can't read, or has something else")
    func limits() throws {
        let scratch = try Scratch()
        let other = try scratch.write("session: 5\n", to: "limits.yaml")
        for file in [other, scratch.file("missing.yaml")] {
            let result = try Program.run(["simulate", "serve", "--limits", file, "--json"], in: scratch)
            #expect(result.status == 78)
            #expect(result.output.contains("\"malformed_limits\""), "\(result.output)")
        }
    }

    @Test("reads its token from the named variable")
    func variable() throws {
        let scratch = try Scratch()
        let result = try Program.run(["simulate", "serve", "--token-env", "NO_SUCH_TOKEN", "--json"], in: scratch)
        #expect(result.status == 78)
        #expect(result.output.contains("\"no_secret\""))
    }

    @Test("refuses a token that can be guessed")
    func shortToken() throws {
        let scratch = try Scratch()
        let file = try scratch.write("abc\n", to: "token")
        let result = try Program.run(["simulate", "serve", "--port", "0", "--token", file], in: scratch)
        #expect(result.status == 65)
        #expect(result.error.contains("has 3 characters"), "\(result.error)")
    }
}
