import Testing

@Suite("receipts check")
struct CheckReceiptTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func run(_ arguments: String...) throws -> ProgramResult {
        try Program.run(arguments + ["--database", scratch.database], in: scratch)
    }

    private func configure(_ text: String) throws -> String { try scratch.write(text, to: "till.yaml") }

    private static let shop = """
        merchant: { name: Corner Shop, address: [1 High Street], id: "123456789012345" }
        terminal: { id: T0000001 }

        """

    @Test func `accepts a complete receipt`() throws {
        let file = try configure(Self.shop)
        try run("pay", "5", "--config", file, "--seed", "1").expectStatus(0)
        let told = try run("receipts", "check", "1", "--config", file)
        #expect((told.status, told.error) == (0, ""))
        #expect(
            told.output == """
                P000001  sale approved  visa  rules of region us
                All required fields are present.

                """)
    }

    @Test func `exits with 7 and lists the missing parts, their rules, and the fixes`() throws {
        try run("pay", "5", "--seed", "1").expectStatus(0)
        let told = try run("receipts", "check", "1")
        #expect((told.status, told.error) == (7, ""))
        #expect(told.output.contains("MISSING  merchantAddress  (merchant and customer copies)\n"))
        #expect(told.output.contains("fix:     set merchant.address, a line each\n"))
    }

    @Test func `checks the rules of another region, also as JSON`() throws {
        let file = try configure(Self.shop)
        try run("pay", "5", "--config", file, "--seed", "1").expectStatus(0)
        let told = try run("receipts", "check", "1", "--config", file, "--region", "br", "--json")
        #expect(told.status == 7)
        let object = try told.object()
        #expect(object["region"] as? String == "br" && object["isComplete"] as? Bool == false)
        let findings = try #require(object["findings"] as? [[String: Any]])
        #expect(findings.map { $0["field"] as? String } == ["businessNumber"])
        #expect(findings.first?["copies"] as? [String] == ["merchant", "customer"])
    }

    @Test func `rejects an unknown region and an unknown payment`() throws {
        try run("receipts", "check", "1", "--region", "mars").expectStatus(64)
        let told = try run("receipts", "check", "9", "--json")
        #expect(told.status != 0 && told.status != 7)
        #expect(try told.object()["error"] != nil)
    }

    // MARK: What a payment takes for it

    @Test func `a tip is part of the amount, and a chosen account type is on receipts outside the United States`()
        throws
    {
        let file = try configure(Self.shop + "receipt: { region: au, footer: [Bye] }\n")
        let paid = try run(
            "pay", "5", "--tip", "1.50", "--account", "savings", "--config", file, "--seed", "1")
        #expect(paid.status == 0 && paid.output.hasPrefix("APPROVED  6.50 USD  P000001\n"))
        #expect(paid.output.contains("Subtotal                           $5.00\nTip"))
        #expect(paid.output.contains("Account type                     Savings\n"))
        #expect(paid.output.contains("Bye"))
    }

    @Test(arguments: [
        ["--order", "5", "--tip", "1"], ["5", "--tip", "0"], ["5", "--tip", "x"], ["5", "--account", "gold"],
    ])
    func `a tip for an order, a tip of zero, and an invalid tip are rejected before anything is charged`(
        arguments: [String]
    ) throws {
        try Program.run(["pay"] + arguments + ["--database", scratch.database], in: scratch).expectStatus(64)
        #expect(try Records(of: scratch).payments.isEmpty)
    }

    @Test func `a missing logo prevents only graphical receipts, not payments or text receipts`() throws {
        let file = try configure(Self.shop + "receipt: { logo: nowhere.png }\n")
        try run("pay", "5", "--config", file, "--seed", "1").expectStatus(0)
        try run("receipts", "show", "1", "--config", file).expectStatus(0)
        try run("receipts", "render", "1", "--config", file).expectStatus(0)
        let told = try run("receipts", "render", "1", "--config", file, "--format", "html", "-o", "-")
        #expect(told.status == 65 && told.error.contains("nowhere.png"))
    }
}
