import Foundation
import Testing

@Suite struct ConfiguredHostTests {
    private let scratch: Scratch

    init() throws {
        scratch = try Scratch()
        // Nothing listens at port 1.
        try "host: { kind: iso8583, address: \"127.0.0.1:1\", profile: iso87-ascii }\n"
            .write(toFile: scratch.file("acq.yaml"), atomically: true, encoding: .utf8)
    }

    private func run(_ words: String...) throws -> ProgramResult {
        try Program.run(words + ["--config", scratch.file("acq.yaml")], in: scratch)
    }

    @Test func `a payment fails when the configured host is not reached, and nothing waits for it`() throws {
        let paid = try run("pay", "12.50", "--card", "visa-dda", "--database", scratch.database, "--json")
        let result = try paid.object()
        #expect(result["outcome"] as? String == "failed")
        #expect(result["host"] as? String == "iso8583")
        let status = try run("host", "status", "--database", scratch.database, "--json")
        #expect(status.status == 0)
        #expect(try status.object()["host"] as? String == "iso8583")
        #expect((try status.object()["waiting"] as? [Any])?.isEmpty == true)
        #expect(try status.object()["configuration"] as? String == scratch.file("acq.yaml"))
        // Without a configuration it is the simulated host that is asked about, and the command says so.
        let other = try Program.run(["host", "status", "--database", scratch.database], in: scratch)
        #expect(
            other.output
                == "host simulated: nothing waits\nconfiguration: no file, all defaults; name one with --config FILE\n")
    }

    @Test func `the configured host is checked without an address`() throws {
        let result = try run("host", "check", "--json")
        #expect(result.status == 69)
        #expect(try result.object()["address"] as? String == "127.0.0.1:1")
        #expect(try run("host", "check", "--address", "127.0.0.1:1", "--profile", "iso2003").status == 64)
        #expect(try Program.run(["host", "check"], in: scratch).status == 64)
    }
}
