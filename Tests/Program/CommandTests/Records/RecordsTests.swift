import Foundation
import Testing

@Suite("Showing records")
struct RecordsTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func run(_ arguments: String...) throws -> ProgramResult {
        try Program.run(arguments + ["--database", scratch.database], in: scratch)
    }

    @Test func `without payments lists are empty, and a hint goes to stderr`() throws {
        try scratch.makeDatabase()
        for (list, hint) in [("payments", "No payments yet.\n"), ("receipts", "No receipts yet.\n")] {
            let shown = try run(list, "list")
            #expect((shown.status, shown.output, shown.error) == (0, "", hint))
            let told = try run(list, "list", "--json")
            #expect((told.status, told.output, told.error) == (0, "[]\n", ""))
        }
    }

    @Test func `each payment is a line, newest first`() throws {
        try run("pay", "12.50", "--seed", "1").expectStatus(0)
        try run("pay", "3", "--card", "mute", "--seed", "1").expectStatus(5)
        try run("refund", "1", "--amount", "2.50", "--seed", "1").expectStatus(0)
        let lines = try run("payments", "list").output.split(separator: "\n")
        #expect(lines.count == 3)
        #expect(lines[0].hasPrefix("ID       TIME                     AMOUNT  STATUS             CARD "))
        #expect(lines[1].hasPrefix("P000002  2026-01-02 12:00:00Z   3.00 USD  failed             "))
        #expect(lines[0].hasSuffix("  ORDER  REFUNDED  NOTE"))
        let first = "P000001  2026-01-02 12:00:00Z  12.50 USD  partiallyRefunded  Visa Credit **** 0010 "
        #expect(lines[2].hasPrefix(first))
        #expect(lines[2].dropFirst(first.count).trimmingCharacters(in: .whitespaces) == "2.50 USD")
        // Why the other one failed is in the last column.
        #expect(lines[1].count > lines[0].count)
        #expect(try run("payments", "list", "--json").list().map { $0["refunded"] as? Int } == [0, 250])
        #expect(try run("payments", "list", "--limit", "1", "--json").list().count == 1)
        let receipts = try run("receipts", "list").output.split(separator: "\n")
        #expect(receipts.first?.hasPrefix("PAYMENT  TIME ") == true)
        #expect(receipts.dropFirst().map { $0.suffix(15) } == ["refund approved", "  sale approved"])
    }

    @Test func `the history of a payment shows every step`() throws {
        try run("pay", "5", "--seed", "1").expectStatus(0)
        let shown = try run("payments", "show", "p1").output
        #expect(shown.hasPrefix("P000001  5.00 USD  captured\n  card          Visa Credit **** 0010\n"))
        #expect(
            shown.hasSuffix(
                """
                  sale, STAN 1, host simulated: captured
                    2026-01-02T12:00:00.000Z  created
                    2026-01-02T12:00:00.010Z  authorizing
                    2026-01-02T12:00:00.010Z  captured

                """))
        let told = try run("payments", "show", "P000001", "--json").object()
        let attempt = try #require((told["attempts"] as? [[String: Any]])?.first)
        #expect(
            (attempt["steps"] as? [[String: Any]])?.map { $0["state"] as? String } == [
                "created", "authorizing", "captured",
            ])
    }

    @Test func `a receipt has two copies and any width`() throws {
        try run("pay", "5").expectStatus(0)
        #expect(try run("receipts", "show", "1").output.contains("CUSTOMER COPY"))
        let merchant = try run("receipts", "show", "1", "--copy", "merchant", "--width", "30").output
        #expect(merchant.contains("MERCHANT COPY"))
        #expect(merchant.split(separator: "\n").allSatisfy { $0.count <= 30 })
    }

    @Test func `recovery has nothing to do after a clean run`() throws {
        try run("pay", "5").expectStatus(0)
        #expect(try run("payments", "recover").output == "finished 0, open 0\n")
        let told = try run("payments", "recover", "--json").object()
        #expect((told["finished"] as? [Any])?.isEmpty == true)
        #expect((told["open"] as? [Any])?.isEmpty == true)
    }
}
