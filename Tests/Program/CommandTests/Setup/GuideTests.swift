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

    @Test(arguments: [true, false])
    func `a restored backup comes first, until the host was asked and what it lost is accepted`(
        isRestored: Bool
    ) throws {
        let database = ["--database", scratch.database]
        func run(_ arguments: String..., status: Int32) throws {
            try Program.run(arguments + database, in: scratch).expectStatus(status)
        }
        try run("pay", "12.50", status: 0)
        try run("backup", scratch.file("backup"), status: 0)
        #expect(try !steps(database[0], database[1]).contains { $0.code.hasPrefix("backup") })
        for amount in ["3", "4"] { try run("pay", amount, status: 0) }
        if isRestored {
            try run("restore", "--force", scratch.file("backup"), status: 0)
        } else {
            // A copy that was put in place by hand.
            for suffix in ["", "-wal", "-shm"] {
                try? FileManager.default.removeItem(atPath: scratch.database + suffix)
            }
            try FileManager.default.copyItem(atPath: scratch.file("backup"), toPath: scratch.database)
        }
        let found = try steps(database[0], database[1])
        #expect(found.prefix(2).map(\.code) == ["backup_restored", "backup_lacks_payments"])
        #expect(found.first?.command == "cardpresent payments recover --database \(scratch.database)")
        try run("payments", "recover", status: 0)
        let recovered = try steps(database[0], database[1])
        #expect(recovered.first?.code == "backup_lacks_payments")
        #expect(recovered.first?.command == "cardpresent issuer reconcile --database \(scratch.database)")
        let shown = try Program.run(database, in: scratch).output
        #expect(shown.contains("2 payments that the host has and the restored backup lacks\n"))
        try run("issuer", "reconcile", "--accept-lost", "--reason", "booked by hand", status: 0)
        #expect(try !steps(database[0], database[1]).contains { $0.code.hasPrefix("backup") })
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
