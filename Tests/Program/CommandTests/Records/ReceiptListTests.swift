import Testing

@Suite("Finding receipts")
struct ReceiptListTests {
    @Test func `receipts are found by card, amount, payment, authorization code, and day`() throws {
        let scratch = try Scratch()
        func run(_ arguments: String...) throws -> ProgramResult {
            try Program.run(arguments + ["--database", scratch.database], in: scratch)
        }
        for amount in ["12.50", "7"] { #expect(try run("pay", amount).status == 0) }
        #expect(try run("pay", "8", "--card", "mastercard-credit").status == 0)
        func found(_ arguments: String...) throws -> [String] {
            let list = try Program.run(
                ["receipts", "list", "--json", "--database", scratch.database] + arguments, in: scratch
            ).list()
            return list.compactMap { $0["payment"] as? String }
        }
        #expect(try found() == ["P000003", "P000002", "P000001"])
        #expect(try found("--limit", "1") == ["P000003"])
        #expect(try found("--last4", "0010") == ["P000002", "P000001"])
        #expect(try found("--amount", "12.5") == ["P000001"])
        #expect(try found("--amount", "12.50", "--currency", "EUR") == [])
        #expect(try found("--payment", "p2") == ["P000002"])
        #expect(try found("--order", "42") == [])
        let shown = try run("payments", "show", "P2", "--json").object()
        let code = try #require((shown["payment"] as? [String: Any])?["authCode"] as? String)
        #expect(try found("--auth-code", code) == ["P000002"])
        #expect(try found("--since", "2020-01-01", "--until", "2099-12-31").count == 3)
        #expect(try found("--since", "2099-12-31") == [])
        #expect(try found("--until", "2020-01-01") == [])
        let none = try run("receipts", "list", "--last4", "9999")
        #expect((none.status, none.output, none.error) == (0, "", "No matching receipts.\n"))
    }

    @Test(
        arguments: [
            (["list", "--last4", "4761739001010010"], "four digits"), (["list", "--last4", "00a0"], "four digits"),
            (["list", "--since", "yesterday"], "--since"), (["list", "--until", "2026-02-30"], "--until"),
            (["list", "--since", "2026-02-02", "--until", "2026-02-01"], "--until must not be before --since"),
            (["list", "--limit", "0"], "--limit"), (["list", "--order", "0"], "--order"),
            (["list", "--currency", "EUR"], "--currency requires --amount"), (["list", "--amount", "1.234"], "1.234"),
            (["list", "--amount", "x"], "amount"), (["list", "--auth-code", ""], "--auth-code"),
            (["print", "P1", "--copies", "0"], "--copies"), (["print", "P1", "--copies", "21"], "--copies"),
            (["print", "P1", "--timeout", "0"], "--timeout"), (["print", "P1", "--printer", ""], "--printer"),
            (["print", "P1", "--copy", "mine"], "--copy"), (["print", "P1", "--media", ""], "--media"),
            (["print", "P9"], "P000009"), (["jobs", "P9"], "P000009"), (["cancel", "J9"], "print job 9"),
            (["cancel", "nine"], "nine"), (["reprint", "P9"], "P000009"),
        ] as [([String], String)])
    func `invalid filters are rejected with a reason`(arguments: [String], word: String) throws {
        let scratch = try Scratch()
        try scratch.makeDatabase()
        let result = try Program.run(
            ["receipts"] + arguments + ["--database", scratch.database], in: scratch,
            environment: ["CUPS_SERVER": scratch.file("no.sock")])
        #expect(result.status == 64)
        #expect(result.error.contains(word), "\(result.error)")
        #expect(result.output == "")
    }

    @Test func `without prints the output says so, and JSON is an empty list`() throws {
        let scratch = try Scratch()
        try scratch.makeDatabase()
        let shown = try Program.run(["receipts", "jobs", "--database", scratch.database], in: scratch)
        #expect((shown.status, shown.output, shown.error) == (0, "", "No print jobs yet.\n"))
        let told = try Program.run(["receipts", "jobs", "--json", "--database", scratch.database], in: scratch)
        #expect(told.output == "[]\n")
    }
}
