import Hardware
import Money
import ScenarioFormat
import ScenarioRunner
import Sessions
import Simulator
import SimulatorTesting
import StoreSite
import Testing

@Suite("Scenarios in code")
struct ScenarioInCodeTests {
    /// The same session in a file and in code.
    struct Pair: Sendable, CustomTestStringConvertible {
        var yaml: String
        var code: @Sendable () throws -> Scenario
        var testDescription: String { String(yaml.prefix { $0 != "\n" }) }
    }

    private static let pairs = [
        Pair(
            yaml: """
                description: A card that is pulled out, and pays at the second try
                card: visa-dda
                steps:
                  - connect
                  - pay: 12.50
                    during: [{ on: host authorize sent, do: removeCard }]
                    expect: { outcome: failed }
                  - do: retry
                    expect: { outcome: approved, entry: chip }
                expect: { charges: 1 }
                """
        ) {
            try Scenario(
                "A card that is pulled out, and pays at the second try", card: CardSetup("visa-dda"),
                steps: [
                    .connect(),
                    .pay("12.50").during(.removeCard(.on("host authorize sent"))).expect(.outcome("failed")),
                    .retry().expect(.outcome("approved"), .entry("chip")),
                ]
            ).expect(.charges(1))
        },
        Pair(
            yaml: """
                description: A till that dies, a refund and a print
                reader: { model: combo, faults: [{ xfrBlock: 5, do: wrongSequence }] }
                card: pin-required
                cardholder: { pins: ["2345", "1234"] }
                steps:
                  - connect
                  - pay: 20.00
                    during: [{ on: host authorize answered, do: crash }]
                    expect: { outcome: crashed }
                  - restart
                  - connect
                  - pay: { amount: 5, currency: EUR, timeout: 30s, forceOnline: true }
                  - refund: { amount: 2.50, currency: EUR }
                  - print
                  - wait: 5s
                """
        ) {
            try Scenario(
                "A till that dies, a refund and a print",
                readers: [ReaderSetup(model: .chip(.combo), faults: [.xfrBlock(5, .wrongSequence)])],
                card: CardSetup("pin-required") { $0.types([.wrong, .right]) },
                steps: [
                    .connect(),
                    .pay("20.00").during(.crash(.on("host authorize answered"))).expect(.outcome("crashed")),
                    .restart(), .connect(),
                    .pay("5", in: Currency(code: "EUR"), timeout: .seconds(30), forcesOnline: true),
                    .refund("2.50", in: Currency(code: "EUR")), .print(), .wait(.seconds(5)),
                ])
        },
        Pair(
            yaml: """
                description: A store that answers its first capture with an error
                site: { unpaid: [25.00, 30.00], faults: ["POST /*/capture_terminal_payment #1 500"] }
                steps:
                  - connect
                  - pay: { order: 2 }
                  - set: { printer: away }
                  - wait: 10min
                  - settle
                expect: { site: { charges: 1, order: completed } }
                """
        ) {
            try Scenario(
                "A store that answers its first capture with an error",
                site: SiteSetup(
                    unpaid: ["25.00", "30.00"], faults: ["POST /*/capture_terminal_payment #1 500"]),
                steps: [
                    .connect(), .pay(order: 2), .set(WorldChange(printer: .away)), .wait(.seconds(600)), .settle(),
                ]
            ).expect(.site(SiteExpectation(charges: 1, order: "completed", requests: [])))
        },
    ]

    @Test("have the same events as files, byte for byte", arguments: pairs)
    func equals(pair: Pair) async throws {
        let file = try ScenarioFile.scenarios(text: "template_version: 1\n" + pair.yaml, path: "pair.yaml")
        let written = await file[0].run(seed: 3, keepsEvents: true)
        let coded = try await pair.code().run(seed: 3, keepsEvents: true)
        #expect(written.status == .passed, "\(written.mismatches)")
        #expect(coded.status == .passed, "\(coded.mismatches)")
        #expect(written.events == coded.events)
        #expect(written.events?.isEmpty == false)
        #expect(written.virtualMilliseconds == coded.virtualMilliseconds)
    }

    @Test("a mismatch is an issue at the line of its expectation")
    func failing() async throws {
        let line = #line
        let scenario = try Scenario(
            "A payment that nobody expects",
            steps: [
                .connect(),
                .pay("12.50")
                    .expect(.outcome("approved"))
                    .expect(.outcome("declined")),
            ]
        )
        .expect(.charges(2))
        await withKnownIssue {
            await scenario.check()
        } matching: { issue in
            let isFirst =
                issue.sourceLocation?.line == line + 7 && issue.text.contains("- declined")
                && issue.text.contains("the last events:") && issue.text.contains("with seed 1")
            let isSecond =
                issue.sourceLocation?.line == line + 10 && issue.text.contains("charges: expected '2', seen '1'")
            return (isFirst || isSecond) && issue.sourceLocation?.fileName == "ScenarioInCodeTests.swift"
        }
        #expect(await scenario.run().mismatches.map(\.line) == [line + 7, line + 10])
    }

    @Test("mismatches of a file are issues at its lines", .recordsOneIssue { $0.sourceLocation?.line == 5 })
    func failingFile() async throws {
        let scenarios = try ScenarioFile.scenarios(
            text: """
                template_version: 1
                description: A payment that nobody expects
                steps:
                  - connect
                  - { pay: 12.50, expect: { outcome: declined } }
                """, path: "shop/unexpected.yaml")
        await scenarios[0].check()
    }

    @Test("an expected failure is a known issue, and a failure if it passes")
    func expectedFailure() async throws {
        let failing = try Scenario(
            "The reader has no display", expectedFailure: "nobody has built it", steps: [.connect(), .pay("12.50")]
        ).expect(.display(["no such text"]))
        #expect(await failing.check().status == .failedAsExpected)
        let passing = try Scenario(
            "It has", expectedFailure: "nobody has built it", steps: [.connect(), .pay("12.50")])
        await withKnownIssue {
            await passing.check()
        } matching: {
            $0.text.contains("nobody has built it")
        }
    }

    @Test("a wrong amount, card, or store fault is an error before anything runs")
    func wrong() {
        #expect(throws: MoneyError.self) { try ScenarioStep.pay("12.505") }
        #expect(throws: CardProfileError.self) { try CardSetup("no-such-card") }
        #expect(throws: FaultRuleError.self) { try SiteSetup(unpaid: ["1.00"], faults: ["no such fault"]) }
    }

    @Test("a missing reader is reported at its step with the available ones")
    func noSuchReader() async throws {
        let line = #line + 1
        let scenario = try Scenario("Somewhere else", steps: [.connect("back")])
        let mismatch = try #require(await scenario.run().mismatches.first)
        #expect(mismatch.line == line && mismatch.key == "step")
        #expect(mismatch.seen.first?.contains("the session has no reader 'back': it has reader") == true)
    }

    @Test("the seed of the scenario overrides that of the run, and both are repeatable")
    func seeds() async throws {
        let scenario = try Scenario("A payment", seed: 4, steps: [.connect(), .pay("12.50")])
        let first = await scenario.run(seed: 1, keepsEvents: true)
        let second = await scenario.run(seed: 2, keepsEvents: true)
        #expect(first == second)
        #expect(first.seed == 4)
    }
}
