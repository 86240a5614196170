import Foundation
import Testing

@Suite("The check of a payment host", .enabled(if: PythonHost.python != nil))
struct HostCheckTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func check(
        _ host: PythonHost, _ more: String..., terminal: String? = "TERM0001", name: String = "127.0.0.1"
    ) throws -> ProgramResult {
        let identity = terminal.map { ["--terminal", $0] } ?? []
        let address = ["--address", "\(name):\(host.port)", "--profile", "iso87-ascii", "--timeout", "5"]
        return try Program.run(["host", "check"] + address + identity + more, in: scratch)
    }

    @Test func `a host that answers is shown step by step`() throws {
        let host = try PythonHost(in: scratch)
        let result = try check(host)
        #expect(result.status == 0, "\(result.error)")
        let lines = result.output.split(separator: "\n")
        #expect(lines.map { $0.split(separator: " ").first } == ["connect", "sign-on", "echo"])
        #expect(result.output.contains("answered 00 (approved)"), "\(result.output)")
        let object = try check(host, "--json", "--merchant", "123456789012345").object()
        #expect(object["error"] is NSNull || object["error"] == nil)
        let steps = try #require(object["steps"] as? [[String: Any]])
        #expect(steps.map { $0["step"] as? String } == ["connect", "sign-on", "echo"])
        #expect(steps.allSatisfy { ($0["milliseconds"] as? Double ?? -1) >= 0 })
    }

    @Test func `a refused sign-on tells the meaning of its code`() throws {
        let result = try check(try PythonHost("--code", "58", in: scratch))
        #expect(result.status == 69)
        #expect(result.error.contains("refused the sign-on with 58 (not permitted to the terminal)"), "\(result.error)")
    }

    @Test func `a host of another profile is told by its bytes`() throws {
        let packed = try check(try PythonHost("--way", "packed", in: scratch), "--timeout", "1", "--json")
        #expect(packed.status == 65, "\(packed.error)")
        let error = try #require(try packed.object()["error"] as? [String: Any])
        #expect(error["code"] as? String == "wrong_profile")
        #expect((error["fix"] as? String)?.contains("'iso87-bcd-tpdu'") == true, "\(error)")
        let page = try check(try PythonHost("--way", "page", in: scratch))
        #expect(page.status == 65)
        #expect(page.error.contains("begins with ** ** ** ** 0x2F 0x31 0x2E"), "\(page.error)")
        #expect(page.error.contains("no shipped profile"))
    }

    @Test func `silence, an end, and an answer to a stranger are told apart`() throws {
        let ways = [("silent", "no_answer"), ("close", "connection_ended"), ("stranger", "answer_not_matched")]
        for (way, code) in ways {
            let result = try check(try PythonHost("--way", way, in: scratch), "--timeout", "1", "--json")
            #expect(result.status == 69, "\(way): \(result.error)")
            let error = try #require(try result.object()["error"] as? [String: Any])
            #expect(error["code"] as? String == code, "\(error)")
        }
    }

    @Test func `what was given wrongly is told before anything is sent`() throws {
        let host = try PythonHost(in: scratch)
        let missing = try check(host, terminal: nil)
        #expect(missing.status == 64)
        #expect(missing.error.contains("give --terminal"), "\(missing.error)")
        #expect(try check(host, "--ca", scratch.file("none.pem")).status == 78)
        #expect(try check(host, "--certificate", "a.pem").status == 64)
        #expect(try Program.run(["host", "check", "--address", "x", "--profile", "iso2003"], in: scratch).status == 64)
        host.end()
        let refused = try check(host)
        #expect(refused.status == 69)
        #expect(refused.error.contains("Connection refused"), "\(refused.error)")
    }

    @Test func `TLS is checked, with both certificates`() throws {
        let (server, client) = (try certificate("server", "DNS:localhost"), try certificate("client", "DNS:till"))
        let host = try PythonHost(
            "--certificate", server.certificate, "--key", server.key, "--ca", client.certificate, in: scratch)
        let own = ["--ca", server.certificate, "--certificate", client.certificate, "--key", client.key]
        let address = ["--address", "localhost:\(host.port)", "--profile", "iso87-ascii", "--terminal", "TERM0001"]
        let good = try Program.run(["host", "check"] + address + own, in: scratch)
        #expect(good.status == 0, "\(good.error)")
        #expect(good.output.contains("TLSv1.3"), "\(good.output)")
        for (more, fix) in [
            (own + ["--server-name", "acquirer.example"], "give --server-name"),
            (["--ca", client.certificate], "give the acquirer's authority with --ca"),
            (["--ca", server.certificate], "--certificate and --key"),
        ] {
            let bad = try Program.run(["host", "check"] + address + more, in: scratch)
            #expect(bad.status == 69, "\(bad.error)")
            #expect(bad.error.contains(fix), "\(bad.error)")
        }
    }

    /// Makes a certificate that signs itself, with openssl.
    private func certificate(_ name: String, _ names: String) throws -> (certificate: String, key: String) {
        let (certificate, key) = (scratch.file(name + ".pem"), scratch.file(name + ".key"))
        let made = try Child(
            program: "/usr/bin/openssl",
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
                "-subj", "/CN=\(name)", "-addext", "subjectAltName=\(names)", "-out", certificate, "-keyout", key,
            ], in: scratch
        ).result()
        #expect(made.status == 0, "\(made.error)")
        chmod(key, 0o600)
        return (certificate, key)
    }
}

/// The host of `Scripts/python/iso8583_host.py`. `Scripts/test` names its interpreter in `CARDPRESENT_ISO8583`.
private final class PythonHost {
    static let python = ProcessInfo.processInfo.environment["CARDPRESENT_ISO8583"]

    let port: Int
    private let child: Child

    init(_ arguments: String..., in scratch: Scratch) throws {
        let root = URL(filePath: #filePath).appending(path: "../../../../..").standardized
        let script = root.appending(path: "Scripts/python/iso8583_host.py").path
        child = try Child(
            program: try #require(Self.python), ["-W", "ignore", script] + arguments, in: scratch, takesSignals: true)
        let child = child
        #expect(child.wait { child.output.hasSuffix("\n") })
        port = try #require(Int(child.output.trimmingCharacters(in: .whitespacesAndNewlines)), "\(child.errorOutput)")
    }

    deinit { child.send(SIGKILL) }

    func end() {
        child.send(SIGKILL)
        _ = try? child.result()
    }
}
