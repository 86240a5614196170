import Foundation
import Testing

@Suite("A till at an acquirer")
struct AcquirerPaymentTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private var ledger: String { scratch.file("acquirer.sqlite") }

    /// Starts an acquirer, and writes a configuration of a till that uses it.
    private func start(
        _ profile: String, faults: [String] = [], ledger: String? = nil
    ) throws -> (child: Child, configuration: String) {
        let child = try Child(
            [
                "simulate", "acquirer", "--listen", "127.0.0.1:0", "--profile", profile, "--ledger",
                ledger ?? self.ledger, "--seed", "1",
            ] + faults.flatMap { ["--fault", $0] }, in: scratch)
        #expect(child.wait { child.output.contains("\n") }, "\(child.errorOutput)")
        let line = try #require(child.output.split(separator: "\n").first)
        let address = try #require(line.split(separator: " ").last)
        return (child, try configuration(profile, address: String(address), name: ledger == nil ? "till" : "other"))
    }

    private func configuration(_ profile: String, address: String, name: String) throws -> String {
        try scratch.write(
            """
            host:
              kind: iso8583
              address: \(address)
              profile: \(profile)

            """, to: "\(name).yaml")
    }

    private func run(_ arguments: [String], _ configuration: String) throws -> ProgramResult {
        try Program.run(arguments + ["--config", configuration, "--database", scratch.database], in: scratch)
    }

    private func pay(_ configuration: String, _ more: String...) throws -> [String: Any] {
        try run(["pay", "12.50", "--card", "visa-dda", "--json"] + more, configuration).object()
    }

    /// Compares the books, and expects that they agree: on this sum, or that no money moved.
    private func expectAgreement(on sum: String? = nil, _ configuration: String) throws {
        let result = try run(["issuer", "reconcile", "--acquirer", ledger], configuration)
        #expect(result.status == 0, "\(result.output)")
        let sums = sum.map { "till \($0) USD  issuer \($0) USD" }
        #expect(sums.map(result.output.contains) ?? !result.output.contains("USD"), "\(result.output)")
        let status = try run(["host", "status"], configuration)
        #expect(status.status == 0 && status.output.contains("nothing waits"), "\(status.output)")
    }

    @Test(arguments: ["iso87-ascii", "iso87-bcd-tpdu", "iso93-ebcdic", "iso2003"])
    func `whatever becomes of an answer, the books of both sides agree`(profile: String) throws {
        let (child, configuration) = try start(
            profile,
            faults: ["answer-doubled:sale:1", "closed-after:sale:1", "closed-before:sale:1", "cut-frame:sale:1"])
        let payments = try (0..<5).map { _ in try pay(configuration) }
        #expect(
            payments.map { $0["outcome"] as? String } == ["approved", "failed", "failed", "failed", "approved"])
        #expect(payments.allSatisfy { $0["host"] as? String == "iso8583" })
        let refund = try run(["refund", "P000001", "--amount", "2.50", "--json"], configuration)
        #expect(try refund.object()["outcome"] as? String == "approved")
        try expectAgreement(on: "22.50", configuration)
        child.send(SIGTERM)
        #expect(try child.result().status == 0)
    }

    @Test func `a till that is killed while it waits takes the payment back afterward`() throws {
        let (child, configuration) = try start("iso87-ascii", faults: ["half-open:sale:1"])
        let till = try Child(
            ["pay", "12.50", "--card", "visa-dda", "--config", configuration, "--database", scratch.database],
            in: scratch)
        #expect(child.wait { child.output.contains("[half-open]") }, "\(child.output)")
        till.send(SIGKILL)
        #expect(try till.result().signal == SIGKILL)
        let waiting = try run(["host", "status"], configuration)
        #expect(waiting.status == 4 && waiting.output.contains("P000001"), "\(waiting.output)")
        // Another acquirer does not know the payment, and what it says of it counts for nothing.
        let (other, elsewhere) = try start("iso87-ascii", ledger: scratch.file("other.sqlite"))
        let misled = try run(["payments", "recover"], elsewhere)
        #expect(misled.status != 0 && misled.output.contains("open 1"), "\(misled.output)")
        #expect(!other.output.contains("reversal"), "\(other.output)")
        other.send(SIGTERM)
        _ = try other.result()
        let recovered = try run(["payments", "recover"], configuration)
        #expect(recovered.status == 0 && recovered.output.contains("finished 1"), "\(recovered.output)")
        try expectAgreement(configuration)
        child.send(SIGTERM)
        _ = try child.result()
    }

    @Test func `without its host a till charges nothing, and says so`() throws {
        let (child, configuration) = try start("iso87-ascii")
        child.send(SIGTERM)
        _ = try child.result()
        let payment = try pay(configuration)
        #expect(payment["outcome"] as? String == "failed")
        #expect((payment["error"] as? [String: Any])?["code"] as? String == "host_unreachable", "\(payment)")
        let status = try run(["host", "status"], configuration)
        #expect(status.status == 0, "\(status.output)")
    }
}
