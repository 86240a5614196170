import Foundation
import Testing

@Suite("A till and an acquirer with MACs, PINs, and exchanged keys")
struct SealedHostTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private static let master = "0123456789ABCDEFFEDCBA9876543210"
    private static let profile = URL(filePath: #filePath).appending(path: "../../../../../Examples/hosts/mac-host.yaml")
        .standardized.path

    /// A key file, with its mode.
    private func keys(_ lines: String, mode: Int = 0o600, name: String = "keys.yaml") throws -> String {
        let path = try scratch.write(lines, to: name)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        return path
    }

    private func masterKey(_ digits: String = master, check: String = "08D7B4", name: String = "keys.yaml") throws
        -> String
    {
        try keys("TMK: { cipher: tdes, key: \(digits), check: \(check) }\n", name: name)
    }

    /// Starts an acquirer, and writes the configuration of a till.
    private func start(keys: String, faults: [String] = []) throws -> (child: Child, configuration: String) {
        let child = try Child(
            [
                "simulate", "acquirer", "--listen", "127.0.0.1:0", "--profile", Self.profile, "--keys", keys,
                "--ledger", scratch.file("acquirer.sqlite"), "--seed", "1",
            ] + faults.flatMap { ["--fault", $0] }, in: scratch)
        #expect(child.wait { child.output.contains("\n") }, "\(child.errorOutput)")
        let line = try #require(child.output.split(separator: "\n").first)
        let address = try #require(line.split(separator: " ").last)
        let configuration = try scratch.write(
            "host: { kind: iso8583, address: '\(address)', profile: '\(Self.profile)', keys: keys.yaml, "
                + "timeouts: { answer: 3 } }\n",
            to: "till.yaml")
        return (child, configuration)
    }

    private func run(_ arguments: [String], _ configuration: String) throws -> ProgramResult {
        try Program.run(arguments + ["--config", configuration, "--database", scratch.database], in: scratch)
    }

    private func outcome(_ configuration: String, _ more: String...) throws -> String? {
        try run(["pay", "12.50", "--json"] + more, configuration).object()["outcome"] as? String
    }

    @Test func `pays, is declined, refunds, and loses an answer, and the books agree`() throws {
        let (child, configuration) = try start(keys: try masterKey(), faults: ["wrong-mac:sale:1"])
        // The host approves, and its answer counts as none: the payment is taken back.
        #expect(try outcome(configuration, "--card", "visa-dda") == "failed")
        #expect(try outcome(configuration, "--card", "visa-dda") == "approved")
        #expect(try outcome(configuration, "--card", "insufficient-funds") == "declined")
        #expect(try outcome(configuration, "--card", "online-pin", "--pin", "1234") == "approved")
        #expect(try outcome(configuration, "--card", "online-pin", "--pin", "4321") == "declined")
        let refund = try run(["refund", "P000002", "--amount", "2.50", "--json"], configuration)
        #expect(try refund.object()["outcome"] as? String == "approved")
        let books = try run(["issuer", "reconcile", "--acquirer", scratch.file("acquirer.sqlite")], configuration)
        #expect(books.status == 0 && books.output.contains("till 22.50 USD  issuer 22.50 USD"), "\(books.output)")
        let check = try Program.run(["host", "check", "--config", configuration], in: scratch)
        #expect(check.status == 0, "\(check.error)")
        let names = ["connect ", "sign-on ", "key exchange ", "echo "]
        let steps = check.output.split(separator: "\n").map { line in names.first { line.hasPrefix($0) } }
        #expect(steps == names, "\(check.output)")
        child.send(SIGTERM)
        #expect(try child.result().status == 0)
        #expect(child.output.contains("0800 keyExchange"), "\(child.output)")
        try expectNoKeys()
    }

    /// No file of the folder but the key file has a digit of the key.
    private func expectNoKeys() throws {
        let folder = URL(filePath: scratch.file(""))
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) where name != "keys.yaml" {
            guard let data = try? Data(contentsOf: folder.appending(path: name)) else { continue }
            #expect(data.range(of: Data(Self.master.utf8)) == nil, "\(name)")
            #expect(data.range(of: Data([0x01, 0x23, 0x45, 0x67, 0x89, 0xAB, 0xCD, 0xEF, 0xFE])) == nil, "\(name)")
        }
    }

    @Test func `a key file that others can read, or with a mistake, is refused at both ends`() throws {
        let (child, configuration) = try start(keys: try masterKey())
        defer { child.send(SIGTERM) }
        let readable = try masterKey()
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: readable)
        let check = try Program.run(["host", "check", "--config", configuration, "--json"], in: scratch)
        #expect(check.status == 78, "\(check.error)")
        #expect(check.error.contains("run: chmod 600 \(readable)") || check.output.contains("chmod 600"))
        let wrong = try masterKey(check: "08D7B5", name: "wrong.yaml")
        let acquirer = try Program.run(
            ["simulate", "acquirer", "--listen", "127.0.0.1:0", "--profile", Self.profile, "--keys", wrong], in: scratch
        )
        #expect(acquirer.status == 78)
        #expect(acquirer.error.contains("wrong.yaml:1: TMK.check: the key has another check value"))
        #expect(!acquirer.error.contains("89ABCDEF"))
        let none = try Program.run(
            ["simulate", "acquirer", "--listen", "127.0.0.1:0", "--profile", Self.profile], in: scratch)
        #expect(none.status == 78 && none.error.contains("--keys"), "\(none.error)")
    }

    @Test func `the check fails without a key that payments need, and warns of one that PINs need`() throws {
        let (child, _) = try start(keys: try masterKey())
        defer { child.send(SIGTERM) }
        let address = try #require(child.output.split(separator: "\n").first?.split(separator: " ").last)
        func check(_ profile: String) throws -> ProgramResult {
            try Program.run(
                [
                    "host", "check", "--address", String(address), "--profile", profile, "--terminal", "TERM0001",
                    "--json",
                ], in: scratch)
        }
        let sealed = try check(Self.profile)
        #expect(sealed.status == 78, "\(sealed.output)")
        let object = try sealed.object()
        let error = try #require(object["error"] as? [String: Any])
        #expect(error["code"] as? String == "key_missing", "\(error)")
        #expect((error["message"] as? String)?.contains("there is no key 'TMK'") == true, "\(error)")
        #expect((error["fix"] as? String)?.contains("host.keys in the configuration, or --keys") == true, "\(error)")
        #expect((object["steps"] as? [[String: Any]])?.count == 3, "\(object)")
        let plain = try check("iso87-ascii")
        #expect(plain.status == 0, "\(plain.output)")
        #expect(plain.error.contains("there is no key 'TPK'"), "\(plain.error)")
        #expect((try plain.object()["warnings"] as? [String])?.count == 1, "\(plain.output)")
    }

    @Test func `an answer with a wrong MAC names the key to check, in the error and in the trace`() throws {
        let (child, configuration) = try start(keys: try masterKey(), faults: ["wrong-mac:sale:1"])
        let trace = scratch.file("trace.jsonl")
        let result = try run(["pay", "12.50", "--card", "visa-dda", "--json", "--host-trace", trace], configuration)
        #expect(try result.object()["outcome"] as? String == "failed", "\(result.output)")
        let words =
            "the answer had a wrong MAC, so it counts as none; compare the check value of the key 'TAK', and of "
        #expect(result.error.contains(words + "'TMK'"), "\(result.error)")
        let problems = try scratch.text("trace.jsonl").split(separator: "\n").compactMap { line -> String? in
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            return object?["problem"] as? String
        }
        #expect(problems.count == 1 && problems[0].hasPrefix("the answer had a wrong MAC"), "\(problems)")
        let shown = try run(["payments", "show", "P000001"], configuration)
        #expect(shown.output.contains("wrong MAC"), "\(shown.output)")
        child.send(SIGTERM)
        #expect(try child.result().status == 0)
    }

    @Test func `the check of a host with another master key says so`() throws {
        let (child, _) = try start(keys: try masterKey())
        defer { child.send(SIGTERM) }
        let other = try masterKey("C1D0F8FB4958670DBA40AB1F3752EF0D", check: "2DAF03", name: "other.yaml")
        let address = try #require(child.output.split(separator: "\n").first?.split(separator: " ").last)
        let result = try Program.run(
            [
                "host", "check", "--address", String(address), "--profile", Self.profile, "--keys", other, "--terminal",
                "TERM0001", "--json",
            ], in: scratch)
        #expect(result.status == 69)
        let error = try #require(try result.object()["error"] as? [String: Any])
        #expect(error["code"] as? String == "keys_not_exchanged", "\(error)")
        #expect((error["message"] as? String)?.contains("another check value") == true, "\(error)")
    }
}
