import Foundation
import Testing

@Suite("Mistakes on the command line")
struct CommandLineTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func run(_ arguments: String...) throws -> ProgramResult { try Program.run(arguments, in: scratch) }

    private func error(_ result: ProgramResult) throws -> [String: String] {
        try #require(try result.object()["error"] as? [String: String])
    }

    @Test(arguments: [
        (["payment", "list"], "did you mean 'cardpresent payments list'?"),
        (["payments", "lst"], "did you mean 'cardpresent payments list'?"),
        (["recipt", "shwo", "1"], "did you mean 'cardpresent receipts show'?"),
        (["simulate", "sotre"], "did you mean 'cardpresent simulate store'?"),
        (
            ["payments", "frobnicate"],
            "cardpresent payments has: list, show, watch, capture, increment, cancel, recover, close, sync"
        ),
        (["frobnicate"], "cardpresent has: pay, refund, payments"),
    ])
    func `an unknown command names the nearest one, or all`(arguments: [String], fix: String) throws {
        let result = try Program.run(arguments + ["--json"], in: scratch)
        #expect(result.status == 64)
        #expect(result.error.contains("unknown command '"))
        #expect(result.error.contains(fix), "\(result.error)")
        let told = try error(result)
        #expect(told["code"] == "usage")
        #expect(told["fix"]?.hasPrefix(fix) == true)
    }

    @Test func `commands with other names or a default keep working`() throws {
        #expect(try run("help", "pay").status == 0)
        #expect(try run("payments", "settle", "--help").status == 0)
        #expect(try run("payments").output.contains("SUBCOMMANDS:"))
        #expect(try run("sites", "--help").status == 0)
    }

    @Test func `an unknown card shows the five nearest`() throws {
        let result = try run("pay", "5", "--card", "visa", "--json", "--database", scratch.database)
        #expect(result.status == 64)
        let told = try error(result)
        #expect(told["code"] == "unknown_card_profile")
        let list = try #require(told["fix"]?.split(separator: "the nearest profiles: ").last)
        let names = try #require(list.split(separator: ";").first).split(separator: ", ")
        #expect(names.count == 5)
        #expect(names.allSatisfy { $0.contains("visa") }, "\(names)")
    }

    @Test func `an amount with a comma says how to write it`() throws {
        let result = try run("pay", "12,50", "--json", "--database", scratch.database)
        #expect(result.status == 64)
        #expect(try error(result)["fix"] == "write 12.50")
    }

    @Test func `an amount with decimals in a currency without any says what to write`() throws {
        let result = try run("pay", "12.50", "--currency", "JPY", "--json", "--database", scratch.database)
        #expect(result.status == 64)
        #expect(try error(result)["message"] == "'12.50' has too many decimals: JPY has none")
        #expect(try error(result)["fix"] == "write 12 or 13")
    }

    @Test func `an unknown card that is near no other says how to list them`() throws {
        let result = try run("pay", "5", "--card", "nope", "--json", "--database", scratch.database)
        #expect(result.status == 64)
        #expect(try error(result)["fix"]?.hasPrefix("'cardpresent cards list' lists all profiles") == true)
    }

    @Test(arguments: [
        (["payments", "list", "--since", "13/01/2026"], "2026-01-02T15:04:05Z"),
        (["receipts", "list", "--until", "Monday"], "a day such as 2026-01-02"),
        (["orders", "list", "--since", "yesterday"], "a date such as 2026-01-02"),
        (["stats", "--range", "quarter"], "2026-01-02..2026-01-31"),
    ])
    func `a mistyped time says how to write it`(arguments: [String], example: String) throws {
        let result = try Program.run(arguments + ["--json"], in: scratch)
        #expect(result.status == 64)
        let told = try error(result)
        #expect(told["code"] == "usage")
        #expect(told["message"]?.hasPrefix("The value '") == true)
        #expect(told["fix"]?.contains(example) == true, "\(told)")
        #expect(result.error.contains(example), "\(result.error)")
    }

    @Test func `a configuration that is not there has no line`() throws {
        let file = scratch.file("none.yaml")
        let result = try run("pay", "5", "--config", file, "--json", "--database", scratch.database)
        #expect(result.status == 78)
        #expect(try error(result)["message"] == "\(file): cannot read the file: No such file or directory")
        #expect(try error(result)["fix"]?.hasPrefix("check the path") == true)
    }

    @Test func `a refund above the rest says what is left, and the command for it`() throws {
        let paid = try run(
            "pay", "12.50", "--card", "visa-credit", "--seed", "7", "--quiet", "--json", "--database", scratch.database)
        #expect(paid.status == 0, "\(paid.error)")
        let result = try run("refund", "P000001", "--amount", "20", "--json", "--database", scratch.database)
        #expect(result.status == 64)
        let told = try #require(try result.object()["error"] as? [String: Any])
        #expect(
            told["fix"] as? String
                == "refund 12.50 or less with --amount, or all of the rest with 'cardpresent refund P000001'")
    }

    @Test func `a wrong host is not blamed on the port`() throws {
        for command in [["simulate", "store"], ["simulate", "serve", "--token", scratch.file("token")]] {
            for host in ["192.0.2.1", "no such host"] {
                let result = try Program.run(command + ["--host", host, "--port", "0", "--json"], in: scratch)
                #expect(result.status == 69)
                #expect(try error(result)["fix"] == "give an address of this machine with --host")
            }
        }
    }

    @Test func `all mistakes of a configuration are told`() throws {
        let file = try scratch.write(
            "curency: EUR\nterminal:\n  contry: US\n  pin: { tries: many }\nmerchant: { id: 1234567890123456 }\n",
            to: "till.yaml")
        let result = try run("config", "check", file, "--json")
        #expect(result.status == 78)
        let object = try result.object()
        let mistakes = try #require(object["mistakes"] as? [[String: String]])
        #expect(mistakes.count == 4)
        for (mistake, words) in zip(mistakes, ["'curency'", "merchant.id", "'contry'", "terminal.pin.tries"]) {
            #expect(mistake["message"]?.contains(words) == true, "\(mistake)")
        }
        #expect(object["error"] as? [String: String] == mistakes.first)
        #expect(result.error.split(separator: "\n").count { $0.hasPrefix("cardpresent: ") } == 4)
        let missing = try run("config", "check", scratch.file("none.yaml"), "--json")
        #expect(missing.status == 78)
        #expect((try missing.object()["mistakes"] as? [Any])?.count == 1)
    }

    @Test func `a mistake in a required value hides no other mistake beside it`() throws {
        let file = try scratch.write(
            """
            applications:
              - { aid: ZZ, floorLimit: abc, versions: [1], actionCodes: { denial: x }, name: "" }
              - { aid: A0000000031010, randomSelection: { threshold: y } }
            capks:
              - { rid: ZZ, index: QQ, modulus: "00", exponent: x, checksum: z }
            printers:
              - { name: "a b", columns: 3, address: nowhere }
            readers:
              quirks:
                - { reader: z, name: "", firmware: q }
              firmware:
                - { reader: z, version: q, required: perhaps }
            revocations:
              - { rid: ZZ, index: QQ, serial: "1" }
            """, to: "till.yaml")
        let result = try run("config", "check", file)
        #expect(result.status == 78)
        for key in [
            "applications[0].aid", "applications[0].floorLimit", "applications[0].versions[0]",
            "applications[0].actionCodes.denial", "applications[0].name", "applications[1].randomSelection.threshold",
            "capks[0].rid", "capks[0].index", "capks[0].modulus", "capks[0].exponent", "capks[0].checksum",
            "printers[0].name", "printers[0].columns", "printers[0].address", "readers.quirks[0].reader",
            "readers.quirks[0].name", "readers.quirks[0].firmware", "readers.firmware[0].reader",
            "readers.firmware[0].version", "readers.firmware[0].required", "revocations[0].rid", "revocations[0].index",
            "revocations[0].serial",
        ] {
            #expect(result.error.contains("\(key): "), "\(key): \(result.error)")
        }
    }

    @Test func `the logo and the sender of a configuration are checked`() throws {
        let text = "receipt: { logo: /nope.png, sender: not mail }\nterminal: { country: 1 }\n"
        let file = try scratch.write(text, to: "till.yaml")
        let mistakes = try run("config", "check", file).error
        for words in [
            "receipt.logo: cannot use the logo '/nope.png'", "receipt.sender: not an e-mail", "terminal.country",
        ] {
            #expect(mistakes.contains(words), "\(mistakes)")
        }
        #expect(mistakes.split(separator: "\n").count { $0.hasPrefix("cardpresent: ") } == 3)
        let wrong = try scratch.write("receipt: { sender: Corner Shop }\n", to: "wrong.yaml")
        #expect(try run("doctor", "--only", "configuration", "--config", wrong).status == 78)
        // Neither matters for a payment.
        #expect(try run("pay", "5", "--config", wrong, "--database", scratch.database).status == 0)
        let right = try scratch.write("receipt: { sender: Corner Shop <till@shop.example> }\n", to: "right.yaml")
        #expect(try run("config", "check", right).output == "\(right) is valid\n")
    }

    @Test func `without a file the configuration that other commands use is checked`() throws {
        #expect(try run("config", "check").output == "there is no configuration file, and the defaults are valid\n")
        #expect(try run("config", "check", "--json").object()["valid"] as? Bool == true)
        let file = try scratch.write("curency: EUR\n", to: "till.yaml")
        let named = try Program.run(["config", "check"], in: scratch, environment: ["CARDPRESENT_CONFIG": file])
        #expect(named.status == 78 && named.error.contains("unknown key 'curency'"), "\(named.error)")
        #expect(try run("config", "check", "--config", file).status == 78)
        #expect(try run("config", "check", file, "--config", file).status == 64)
        let folder = scratch.file(".config/cardpresent")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let standard = try scratch.write("currency: EUR\n", to: ".config/cardpresent/cardpresent.yaml")
        #expect(try run("config", "check").output == "\(standard) is valid\n")
        #expect(try run("config", "check", "--json").object()["file"] as? String == standard)
    }

    @Test func `a duplicate key is told with the other mistakes of a configuration`() throws {
        let file = try scratch.write(
            "curency: EUR\nmerchant: { id: A, id: B }\nmerchant: { nam: x }\n", to: "till.yaml")
        let result = try run("config", "check", file, "--json")
        #expect(result.status == 78)
        let mistakes = try #require(try result.object()["mistakes"] as? [[String: String]])
        #expect(
            mistakes.map { $0["message"]?.dropFirst(file.count) ?? "" } == [
                ":2: duplicate key 'merchant'", ":2: merchant: duplicate key 'id'", ":1: unknown key 'curency'",
                ":3: merchant: unknown key 'nam'",
            ])
    }

    // MARK: --json

    @Test func `the reports of scenarios go to a file or to standard output`() throws {
        let scenario = try scratch.write(
            "template_version: 1\ndescription: A payment\nsteps:\n  - connect\n  - pay: 5.00\n", to: "one.yaml")
        let direct = try run("simulate", "run", scenario, "--json")
        #expect(try direct.object()["scenarios"] is [Any])
        _ = try run("simulate", "run", scenario, "--json-file", scratch.file("report.json"))
        #expect(try scratch.text("report.json") == direct.output)
        let quiet = try run("simulate", "run", scenario, "--json", "--quiet")
        #expect(quiet.error.isEmpty)
    }

    @Test(arguments: [
        ["simulate", "run", "scenarios", "--json", "report.json"], ["simulate", "run", "scenarios", "--json", "-"],
        ["simulate", "run", "scenarios", "--json", "report"], ["simulate", "run", "scenarios", "--json=report.json"],
        ["simulate", "explore", "--json", "report.json"],
    ])
    func `a file after the flag is an error that names the option`(arguments: [String]) throws {
        let result = try Program.run(arguments, in: scratch)
        #expect(result.status == 64)
        #expect(result.error.contains("--json takes no file"))
        #expect(result.error.contains("use '--json-file "))
    }

    @Test(arguments: [
        ["payments", "list", "--json", "out.json"], ["doctor", "--json", "out.json"],
        ["cards", "list", "--json=x.json"],
    ])
    func `a command without such an option says to redirect its output`(arguments: [String]) throws {
        let result = try Program.run(arguments, in: scratch)
        #expect(result.status == 64)
        #expect(try error(result)["code"] == "json_is_a_flag")
        #expect(result.error.contains("redirect standard output"))
    }
}
