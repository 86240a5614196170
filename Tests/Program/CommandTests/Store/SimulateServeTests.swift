import Foundation
import Glibc
import Testing

@Suite("simulate serve", .timeLimit(.minutes(2)))
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
            program: "/usr/bin/env", ["curl", "-sS", "--max-time", "30", "-d", "{}", address + "/v1/sessions"],
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

    @Test(
        "rejects invalid options",
        arguments: [
            (["--host", "0.0.0.0"], "add --token or --token-env"), (["--port", "65536"], "--port must be 0 to 65535"),
            (["--sessions-limit", "0"], "--sessions-limit must be 1 to"),
            (["--token", "a", "--token-env", "B"], "cannot be used together"),
        ])
    func refuses(_ arguments: [String], _ message: String) throws {
        let scratch = try Scratch()
        let result = try Program.run(["simulate", "serve"] + arguments, in: scratch)
        #expect(result.status == 64)
        #expect(result.error.contains(message), "\(result.error)")
    }

    @Test("reads its token from the named variable")
    func variable() throws {
        let scratch = try Scratch()
        let result = try Program.run(["simulate", "serve", "--token-env", "NO_SUCH_TOKEN", "--json"], in: scratch)
        #expect(result.status == 78)
        #expect(result.output.contains("\"no_secret\""))
    }
}
