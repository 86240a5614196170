import Foundation
import Testing

@Suite("A card number in the wrong place")
struct MistypedCardNumberTests {
    private static let number = "4761739001010010"

    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// Runs the command with and without `--json`, and looks for the number in everything that it writes.
    private func expectNoEcho(
        _ arguments: [String], status: Int32? = nil, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        for more in [[], ["--json"]] {
            let result = try Program.run(arguments + more, in: scratch)
            #expect(result.status != 0, sourceLocation: sourceLocation)
            if let status { #expect(result.status == status, sourceLocation: sourceLocation) }
            #expect(!(result.output + result.error).isEmpty, sourceLocation: sourceLocation)
            for told in [result.output, result.error] {
                for part in ["4761", "7390", "0101", "0010", "4.761", "739.001"] {
                    #expect(!told.contains(part), "\(told)", sourceLocation: sourceLocation)
                }
            }
        }
    }

    private static let spellings = [
        [number], ["4761 7390 0101 0010"], ["4761-7390-0101-0010"], ["4761", "7390", "0101", "0010"],
        ["4761 7390 0101 0019"], ["x" + number], [number + "=35122010012345678"], ["4761.7390.0101.0010"],
        ["4761,7390,0101,0010"], ["4761/7390/0101/0010"], ["4761:7390:0101:0010"], ["4.761.739.001.010.010"],
        ["47617390.01010010"], ["47617390,01010010"],
    ]

    private static let commands = [
        ["pay"], ["payments", "show"], ["refund"], ["cards", "show"], ["payments"], ["payments", "list"],
        ["orders", "show"], [],
    ]

    @Test(arguments: spellings)
    func `an argument is not repeated`(words: [String]) throws {
        for command in Self.commands { try expectNoEcho(command + words) }
    }

    @Test(arguments: ["--card", "--reader", "--currency", "--config", "--timeout", "--order", "--nonsense"])
    func `the value of an option is not repeated`(option: String) throws {
        try expectNoEcho(["pay", "5", "--database", scratch.database, option, Self.number])
        try expectNoEcho(["pay", "5", "--database", scratch.database, "\(option)=\(Self.number)"])
    }

    @Test(arguments: [number, "4761.7390.0101.0010", "4.761.739.001.010.010"])
    func `the name of a file or a folder is not repeated`(name: String) throws {
        try expectNoEcho(["config", "check", name], status: 78)
        try expectNoEcho(["payments", "list", "--database", name], status: 66)
        try expectNoEcho(["payments", "list", "--amount", name, "--database", scratch.database])
        for more in [[], ["--json"], ["--verbose"]] {
            for command in [
                ["doctor", "--only", "configuration", "--config", name],
                ["doctor", "--only", "database", "--database", name],
                ["doctor", "--only", "clock", "--database", name],
                ["man-pages", scratch.file(name)],
            ] {
                let result = try Program.run(command + more, in: scratch)
                for told in [result.output, result.error] {
                    #expect(!told.contains(name), "\(told)")
                    #expect(!told.contains("0101"), "\(told)")
                }
            }
        }
    }

    @Test func `a setting is not repeated`() throws {
        for setting in [
            "currency: \(Self.number)", "\(Self.number): 1", "terminal: { country: 4761 7390 0101 0010 }",
            "maximumAmount: \(Self.number)x", "terminal: { \(Self.number): { a: b } }", "host: \(Self.number)",
        ] {
            let config = try scratch.write(setting + "\n", to: "till.yaml")
            try expectNoEcho(["config", "check", config], status: 78)
            try expectNoEcho(["config", "show", "--config", config], status: 78)
            try expectNoEcho(["doctor", "--only", "configuration", "--config", config], status: 78)
        }
    }

    @Test func `a card profile's expiry is not repeated`() throws {
        let text = PayTests.card().replacing("2035-12-31", with: Self.number)
        let card = try scratch.write(text, to: "card.yaml")
        try expectNoEcho(["pay", "5", "--card", card, "--database", scratch.database], status: 65)
    }

    @Test func `a scenario's mistake is not repeated`() throws {
        let scenario = try scratch.write("description: x\n\(Self.number): y\n", to: "scenario.yaml")
        let result = try Program.run(["simulate", "run", scenario], in: scratch)
        #expect(result.status == 65)
        #expect(!(result.output + result.error).contains("4761"), "\(result.error)")
    }
}
