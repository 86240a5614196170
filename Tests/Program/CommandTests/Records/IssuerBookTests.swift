import Foundation
import Testing

@Suite("The issuer's ledger")
struct IssuerBookTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func run(_ arguments: String...) throws -> ProgramResult {
        try Program.run(arguments + ["--database", scratch.database], in: scratch)
    }

    private func fill() throws {
        #expect(try run("pay", "12.50", "--seed", "1").status == 0)
        #expect(try run("pay", "10.51", "--issuer-rules", "cents", "--seed", "2").status == 2)
        #expect(try run("pay", "10.68", "--issuer-rules", "cents", "--seed", "3").status == 69)
        #expect(try run("refund", "1", "--amount", "2.50", "--seed", "4").status == 0)
    }

    @Test func `without payments there is no ledger, and none is created`() throws {
        try scratch.makeDatabase()
        let shown = try run("issuer", "ledger")
        #expect((shown.status, shown.output, shown.error) == (0, "", "No entries yet.\n"))
        let told = try run("issuer", "ledger", "--json")
        #expect((told.status, told.output) == (0, "[]\n"))
        #expect(!FileManager.default.fileExists(atPath: scratch.database + ".issuer"))
    }

    @Test func `each entry is a line, with reasons and rules`() throws {
        try fill()
        let lines = try run("issuer", "ledger").output.split(separator: "\n")
        #expect(lines.count == 6)
        #expect(
            lines[0].split(separator: "  ", omittingEmptySubsequences: true).map {
                $0.trimmingCharacters(in: .whitespaces)
            }
                == ["#", "KIND", "KEY", "CARD", "AMOUNT", "RC", "AUTH CODE", "REASON", "NOTE"])
        #expect(lines[1].hasPrefix("1  authorisation  "))
        #expect(lines[1].contains("**** 0010  12.50 USD  00  "))
        #expect(lines[2].hasSuffix("51             rule    rule '51 insufficient funds'"), "\(lines[2])")
        #expect(lines[5].contains("  2.50 USD  00  "), "\(lines[5])")
        let entries = try run("issuer", "ledger", "--json").list()
        #expect(
            entries.map { $0["kind"] as? String } == [
                "authorisation", "authorisation", "authorisation", "reversal", "refund",
            ])
        #expect(entries.map { $0["number"] as? Int } == [1, 2, 3, 4, 5])
        #expect(entries.map { $0["amount"] as? Int } == [1250, 1051, 1068, 1068, 250])
        #expect(entries[4]["original"] as? String == entries[0]["key"] as? String)
    }

    @Test func `journal and ledger agree after every kind of outcome`() throws {
        try fill()
        let shown = try run("issuer", "reconcile")
        #expect(shown.status == 0)
        #expect(
            shown.output
                == "USD  till 10.00 USD  issuer 10.00 USD\n4 attempts, 0 still open: ledger and journal agree\n")
        let told = try run("issuer", "reconcile", "--json").object()
        #expect(told["agree"] as? Bool == true)
        #expect((told["differences"] as? [Any])?.isEmpty == true)
    }

    @Test func `a difference is reported with both sides, and exits with 7`() throws {
        try fill()
        let book = try scratch.text("till.sqlite.issuer")
        let lines = book.split(separator: "\n")
        // The first payment is no more in the book, and with it what its refund gave back.
        _ = try scratch.write(lines[1...3].joined(separator: "\n") + "\n", to: "till.sqlite.issuer")
        let result = try run("issuer", "reconcile", "--json")
        #expect(result.status == 7)
        let told = try result.object()
        #expect(told["agree"] as? Bool == false)
        let differences = try #require(told["differences"] as? [[String: Any]])
        #expect(differences.map { $0["kind"] as? String } == ["missingAtIssuer", "missingAtIssuer"])
        #expect(differences.map { $0["payment"] as? String } == ["P000001", "P000001"])
        #expect(differences.map { $0["direction"] as? String } == ["sale", "refund"])
        let shown = try run("issuer", "reconcile")
        #expect(shown.status == 7)
        #expect(shown.output.contains("missingAtIssuer    till: 12.50 USD (moved)  issuer: nothing"))
        #expect(shown.output.hasSuffix("4 attempts, 0 still open: 2 differences\n"))
    }

    @Test func `a charge that the till does not know is found`() throws {
        #expect(try run("pay", "12.50", "--seed", "1").status == 0)
        let line = try scratch.text("till.sqlite.issuer").split(separator: "\n")[0]
        let key = try #require(try run("issuer", "ledger", "--json").list().first?["key"] as? String)
        _ = try scratch.write(
            "\(line)\n" + line.replacingOccurrences(of: key, with: "other-1") + "\n", to: "till.sqlite.issuer")
        let result = try run("issuer", "reconcile", "--json")
        #expect(result.status == 7)
        let differences = try #require(try result.object()["differences"] as? [[String: Any]])
        #expect(differences.map { $0["kind"] as? String } == ["unknownToTill"])
        #expect(differences[0]["till"] == nil)
    }

    @Test func `an open attempt makes the comparison exit with 4`() throws {
        let silent = try scratch.write(
            "rules: [{ when: { messages: [authorize, reverse] }, answer: { lost: request } }]", to: "silent.yaml")
        #expect(try run("pay", "5", "--issuer-rules", silent).status == 4)
        let open = try run("issuer", "reconcile", "--issuer-rules", silent)
        #expect(open.status == 4)
        #expect(open.output.hasSuffix("1 attempt, 1 still open: the rest agrees\n"))
        #expect(try run("issuer", "reconcile").status == 0)
    }

    @Test func `an invalid ledger is reported with its line`() throws {
        try scratch.makeDatabase()
        _ = try scratch.write("nonsense\n", to: "till.sqlite.issuer")
        let result = try run("issuer", "ledger")
        #expect(result.status == 65)
        #expect(result.error.contains("till.sqlite.issuer, line 1: not an entry"))
    }
}
