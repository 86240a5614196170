import Foundation
import Testing

@Suite("The simulated acquirer as a process")
struct SimulateAcquirerTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// Starts an acquirer, and waits for its address.
    private func start(_ more: String...) throws -> (child: Child, port: String) {
        let child = try Child(
            ["simulate", "acquirer", "--listen", "127.0.0.1:0", "--profile", "iso87-ascii"] + more, in: scratch)
        #expect(child.wait { child.output.contains("\n") }, "\(child.errorOutput)")
        let line = try #require(child.output.split(separator: "\n").first)
        return (child, String(try #require(line.split(separator: ":").last { $0.contains { $0.isNumber } }).prefix(5)))
    }

    private func check(_ address: String, _ more: String...) throws -> ProgramResult {
        try Program.run(
            [
                "host", "check", "--address", address, "--profile", "iso87-ascii", "--timeout", "5", "--terminal",
                "TERM0001",
            ] + more, in: scratch)
    }

    @Test func `prints its address and each message, and ends with a signal`() throws {
        let (child, port) = try start("--ledger", scratch.file("a.sqlite"), "--seed", "1")
        #expect(try check("127.0.0.1:\(port)").status == 0)
        #expect(child.wait { child.output.contains("echo") })
        child.send(SIGTERM)
        let result = try child.result()
        #expect(result.status == 0)
        let lines = result.output.split(separator: "\n")
        #expect(lines.first == "listening at 127.0.0.1:\(port)")
        #expect(lines.dropFirst().allSatisfy { $0.contains("  TERM0001 ") && $0.hasSuffix("  00 approved") })
        #expect(lines.count == 3 && lines[1].hasPrefix("0800 signOn "), "\(lines)")
        #expect(FileManager.default.fileExists(atPath: scratch.file("a.sqlite")))
    }

    @Test func `TLS uses the certificates of its folder, and JSON has a line for each event`() throws {
        let (child, _) = try start("--tls", scratch.file("certificates"), "--json")
        let first = try #require(child.output.split(separator: "\n").first)
        let object = try #require(try JSONSerialization.jsonObject(with: Data(first.utf8)) as? [String: Any])
        #expect(object["event"] as? String == "listening" && object["tls"] as? Bool == true)
        let address = try #require(object["address"] as? String)
        let good = try check(address, "--ca", scratch.file("certificates/ca.pem"))
        #expect(good.status == 0, "\(good.error)")
        #expect(good.output.contains("TLSv1.3"))
        #expect(child.wait { child.output.contains("\"closed\"") })
        child.send(SIGINT)
        let events = try child.result().output.split(separator: "\n").map { line in
            (try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])?["event"] as? String
        }
        #expect(events == ["listening", "connected", "message", "message", "closed"])
    }

    @Test func `a fault of the echo is what the check of the host tells`() throws {
        let (child, port) = try start("--fault", "closed-before:echo:1")
        let result = try check("127.0.0.1:\(port)")
        #expect(result.status == 69)
        #expect(result.error.contains("echo") || result.output.contains("echo"), "\(result.error)")
        child.send(SIGTERM)
        #expect(try child.result().output.contains("no answer [closed-before]"))
    }

    @Test func `wrong options and wrong files are told`() throws {
        func run(_ more: String...) throws -> ProgramResult {
            try Program.run(
                ["simulate", "acquirer", "--listen", "127.0.0.1:0", "--profile", "iso87-ascii"] + more, in: scratch)
        }
        let fault = try run("--fault", "anser-lost")
        #expect(fault.status == 64)
        #expect(fault.error.contains("did you mean 'answer-lost'?"), "\(fault.error)")
        #expect(try run("--fault-rate", "2").status == 64)
        let file = try scratch.write(String(repeating: "no ledger\n", count: 100), to: "text")
        #expect(try run("--ledger", file).status == 65)
        let mac = try scratch.write(
            """
            profile: mac
            basedOn: iso87-ascii
            security:
              mac: { algorithm: iso9797-3, padding: 1, bytes: 8, scheme: masterSession, key: TAK, on: [sale] }

            """, to: "mac.yaml")
        let refused = try Program.run(
            ["simulate", "acquirer", "--listen", "127.0.0.1:0", "--profile", mac], in: scratch)
        #expect(refused.status == 78, "\(refused.error)")
    }

    @Test func `a till without attempts agrees with an empty ledger, and a missing one is told`() throws {
        try scratch.makeDatabase()
        let ledger = scratch.file("a.sqlite")
        func reconcile() throws -> ProgramResult {
            try Program.run(["issuer", "reconcile", "--acquirer", ledger, "--database", scratch.database], in: scratch)
        }
        #expect(try reconcile().status == 66)
        let (child, _) = try start("--ledger", ledger)
        let result = try reconcile()
        #expect(result.status == 0, "\(result.error)")
        #expect(result.output == "0 attempts, 0 still open: ledger and journal agree\n")
        child.send(SIGTERM)
        _ = try child.result()
        #expect(try reconcile().status == 0)
    }

    @Test func `an address names the ledger of the acquirer that listens there`() throws {
        try scratch.makeDatabase()
        func reconcile(_ address: String) throws -> ProgramResult {
            try Program.run(
                ["issuer", "reconcile", "--acquirer", address, "--database", scratch.database], in: scratch)
        }
        let (child, port) = try start("--ledger", scratch.file("a.sqlite"))
        let note = scratch.file(".local/share/cardpresent/simulated-acquirers/127.0.0.1:\(port)")
        let attributes = try FileManager.default.attributesOfItem(atPath: note)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        for host in ["127.0.0.1", "localhost"] {
            let result = try reconcile("\(host):\(port)")
            #expect(result.status == 0, "\(result.error)")
            #expect(result.output == "0 attempts, 0 still open: ledger and journal agree\n")
        }
        // A killed acquirer leaves its note, and no process has the lock then.
        child.send(SIGKILL)
        #expect(try child.result().signal == SIGKILL && FileManager.default.fileExists(atPath: note))
        let gone = try reconcile("127.0.0.1:\(port)")
        #expect(gone.status == 66)
        #expect(
            gone.error.contains("no acquirer of this user listens at '127.0.0.1:\(port)' on this machine")
                && gone.error.contains("or give the path of its ledger"), "\(gone.error)")
        let (second, memory) = try start()
        let other = try reconcile("127.0.0.1:\(memory)")
        #expect(other.status == 66)
        #expect(other.error.contains("has its ledger in memory only"), "\(other.error)")
        second.send(SIGTERM)
        #expect(try second.result().status == 0)
        let folder = scratch.file(".local/share/cardpresent/simulated-acquirers")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).contains("127.0.0.1:\(memory)") == false)
    }
}
