import Foundation
import Testing

/// `cardpresent` without a command
@Suite("The next steps")
struct GuideTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func steps(_ arguments: String..., environment: [String: String] = [:]) throws -> [(
        code: String, command: String
    )] {
        let result = try Program.run(arguments + ["--json"], in: scratch, environment: environment)
        #expect(result.status == 0)
        #expect(result.error == "")
        let steps = try #require(try result.object()["steps"] as? [[String: Any]])
        return try steps.map { step in
            #expect(step["reason"] is String)
            return (try #require(step["code"] as? String), try #require(step["command"] as? String))
        }
    }

    private func command(_ code: String, in steps: [(code: String, command: String)]) -> String? {
        steps.first { $0.code == code }?.command
    }

    @Test func `without arguments there are at most ten lines, each with a command, and no file`() throws {
        let result = try Program.run([], in: scratch)
        #expect(result.status == 0)
        #expect(result.error == "")
        let lines = result.output.split(separator: "\n")
        #expect((3...10).contains(lines.count), "\(result.output)")
        for line in lines {
            #expect(line.hasPrefix("cardpresent "))
            #expect(line.contains("  # "))
        }
        #expect(result.output.contains("cardpresent init "))
        #expect(result.output.contains("cardpresent pay 12.50"))
        #expect(result.output.contains("cardpresent --help "))
        #expect(try scratch.everything().isEmpty)
    }

    @Test func `as JSON it has what there is, and the steps`() throws {
        let result = try Program.run(["--json"], in: scratch)
        let object = try result.object()
        #expect(Set(object.keys) == ["configuration", "database", "readers", "signedIn", "steps"])
        #expect(object["configuration"] is NSNull)
        #expect(object["database"] as? String == scratch.folder + "/.local/share/cardpresent/cardpresent.sqlite")
        #expect(object["readers"] is [String])
        #expect(object["signedIn"] as? Bool == false)
        let steps = try steps()
        #expect(command("configuration_none", in: steps) == "cardpresent init")
        #expect(command("payment_first", in: steps)?.hasPrefix("cardpresent pay 12.50") == true)
        #expect(command("store_none", in: steps)?.hasPrefix("cardpresent login ") == true)
        #expect(steps.last?.code == "help")
    }

    @Test func `a configuration is no step, and one with a mistake, or that is gone, is one`() throws {
        let right = try scratch.write("currency: EUR\n", to: "right.yaml")
        let wrong = try scratch.write("curency: EUR\n", to: "the wrong.yaml")
        let gone = scratch.file("gone.yaml")
        #expect(try !steps("--config", right).contains { $0.code.hasPrefix("configuration") })
        #expect(
            command("configuration_faulty", in: try steps("--config", wrong))
                == "cardpresent config check '\(wrong)'")
        #expect(
            command("configuration_missing", in: try steps("--config", gone)) == "cardpresent init -o \(gone)")
        #expect(
            command("configuration_missing", in: try steps(environment: ["CARDPRESENT_CONFIG": gone]))
                == "cardpresent init")
    }

    @Test func `an unfinished payment comes first, and counting it changes no file`() throws {
        let silent = try scratch.write(
            "rules: [{ when: { messages: [authorize, reverse] }, answer: { lost: request } }]", to: "silent.yaml")
        try Program.run(["pay", "5", "--issuer-rules", silent, "--database", scratch.database], in: scratch)
            .expectStatus(4)
        let names = try scratch.everything().map(\.name).sorted()
        let open = try steps("--database", scratch.database)
        #expect(open.first?.code == "payments_unfinished")
        #expect(open.first?.command == "cardpresent payments recover --database \(scratch.database)")
        #expect(try scratch.everything().map(\.name).sorted() == names)
        try Program.run(["payments", "recover", "--database", scratch.database], in: scratch).expectStatus(0)
        let recovered = try steps(environment: ["CARDPRESENT_DATABASE": scratch.database])
        #expect(!recovered.contains { $0.code == "payments_unfinished" })
        #expect(command("payments_recorded", in: recovered) == "cardpresent payments list")
    }

    @Test func `a file that is no database leads to the doctor`() throws {
        let text = try scratch.write(String(repeating: "no database ", count: 100), to: "till.sqlite")
        #expect(
            command("database_unknown", in: try steps("--database", text))
                == "cardpresent doctor --only database --database \(text)")
    }

    @Test(arguments: [
        ["--nonsense"], ["--json", "pay", "5"], ["--config"], ["--quiet", "--verbose"], ["--color", "sometimes"],
    ])
    func `other options and commands behind them are wrong as before`(arguments: [String]) throws {
        #expect(try Program.run(arguments, in: scratch).status == 64)
    }

    @Test func `options of the output are taken`() throws {
        for arguments in [["--quiet"], ["--color", "never"], ["--color=never", "--verbose"]] {
            let result = try Program.run(arguments, in: scratch)
            #expect(result.status == 0)
            #expect(result.output.contains("cardpresent init "))
        }
    }
}
