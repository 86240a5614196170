import Foundation
import Glibc
import Testing

/// `simulate terminal --protocol nexo` and `simulate certificates`, with curl as the till.
@Suite("Simulated nexo terminals")
struct SimulateNexoTerminalTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func run(_ program: String, _ arguments: String...) throws -> (status: Int32?, output: String) {
        let result = try Child(program: "/usr/bin/env", [program] + arguments, in: scratch).result()
        return (result.status, result.output)
    }

    @Test func `a till that trusts the authority is answered over TLS, and another one refuses the terminal`() throws {
        let child = try Child(
            [
                "simulate", "terminal", "--protocol", "nexo", "--port", "0", "--http-port", "0", "--certificates",
                scratch.file("certificates"), "--json",
            ], in: scratch)
        #expect(child.wait { child.output.hasSuffix("}\n") })
        let view = try JSONSerialization.jsonObject(with: Data(child.output.utf8)) as? [String: Any]
        let address = try #require(view?["address"] as? String)
        let header =
            #""ProtocolVersion":"3.0","MessageClass":"Service","MessageCategory":"Diagnosis","#
            + #""MessageType":"Request","SaleID":"T","ServiceID":"1","POIID":"V400m-000000001""#
        let body = #"{"SaleToPOIRequest":{"MessageHeader":{\#(header)},"DiagnosisRequest":{}}}"#
        let trusted = try run(
            "curl", "-sS", "--max-time", "60", "--cacert", scratch.file("certificates/ca.pem"), "-d", body,
            address + "/nexo/")
        #expect(trusted.output.contains(#""GlobalStatus":"OK""#))
        #expect(try run("curl", "-s", "--max-time", "60", "-d", body, address + "/nexo/").status == 60)
        child.send(SIGTERM)
        #expect(try child.result().status == 0)
    }

    @Test(arguments: [
        (["--terminal", "X"], "--terminal needs --protocol nexo"),
        (["--http-port", "0", "--key-version", "2"], "--http-port, --key-version need --protocol nexo"),
    ])
    func `options that only nexo has are named where they have no effect`(_ options: [String], _ words: String) throws {
        let result = try Child(["simulate", "terminal", "--protocol", "zvt"] + options, in: scratch).result()
        #expect(result.status == 64 && result.error.contains(words), "\(result.error)")
    }

    @Test func `a certificate has the common name that libraries look for`() throws {
        let made = try Child(
            ["simulate", "certificates", "--terminal", "P400Plus-123456789", "--certificates", scratch.file("c")],
            in: scratch
        ).result()
        #expect(made.status == 0)
        let shown = try run("openssl", "x509", "-in", scratch.file("c/server.pem"), "-noout", "-subject")
        #expect(shown.output.contains("P400Plus-123456789.test.terminal.adyen.com"))
        let wrong = try Child(["simulate", "certificates", "--terminal", "nothing"], in: scratch).result()
        #expect(wrong.status == 64)
    }
}
