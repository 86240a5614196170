import Foundation
import ScenarioFormat
import ScenarioRunner
import Testing

@Suite("Running scenarios")
struct ScenarioRunnerTests {
    private let folder: ScratchFolder

    init() throws { folder = try ScratchFolder() }

    @Test("a matching scenario passes, with its simulated duration")
    func passes() async throws {
        let result = try #require(try await results(payment(step: "{ outcome: approved }")).first)
        #expect(result.status == .passed)
        #expect(result.virtualMilliseconds >= 1000)
        #expect(result.mismatches.isEmpty && result.lastEvents.isEmpty && result.events == nil)
        #expect(result.replay == "cardpresent simulate run shop/test.yaml --seed 1")
    }

    @Test("a mismatch is reported with its step, line, both sides, and the last events")
    func fails() async throws {
        let result = try #require(try await results(payment(step: "{ outcome: declined }")).first)
        #expect(result.status == .failed)
        #expect(
            result.mismatches == [
                Mismatch(
                    step: 2, action: "pay 12.50 USD", key: "outcome", file: "shop/test.yaml", line: 6,
                    expected: ["declined"], seen: ["approved"])
            ])
        #expect(result.lastEvents.last?.contains("step_ended pay 12.50 USD: P000001 approved") == true)
    }

    @Test(
        "every unmet expectation fails with its key",
        arguments: [
            "outcome: unknown", "error: card_timeout", "state: refunded", "events: [remove_card, card_inserted]",
            "noEvents: authorizing", "display: \"no such text\"", "apdu: \"0020*\"", "noAPDU: \"00A404*\"",
            "receipt: \"*DECLINED*\"", "noReceipt: \"*APPROVED*\"", "merchantReceipt: \"no such line\"",
            "printed: \"*\"", "prints: [completed]", "journal: [created, authorizing, authorized, captured]",
            "rows: [{ query: SELECT state FROM payment, are: [declined] }]",
            "rows: [{ query: SELECT nothing FROM nowhere, are: [] }]", "ledger: []",
            "ledger: [{ kind: authorisation, amount: 12.51 }]", "ledger: [{ kind: authorisation }, { kind: reversal }]",
            "charged: 12.49", "charges: 2", "site: { charges: 1 }", "site: { requests: { \"POST *\": 1 } }",
            "tvr: { set: ddaFailed }", "tvr: { clear: floorLimitExceeded }", "tsi: { set: scriptProcessingPerformed }",
            "cvm: online_pin", "entry: swipe", "elapsed: 500ms", "elapsed: { atLeast: 1min }", "reconciled: false",
        ])
    func everyExpectation(_ line: String) async throws {
        let key = line.prefix { $0 != ":" }
        for text in [payment(step: "{ \(line) }"), payment(end: "{ \(line) }")] {
            let result = try #require(try await results(text).first)
            #expect(result.status == .failed)
            #expect(result.mismatches.map(\.key) == [String(key)])
        }
    }

    @Test func `a session that needs more jobs than it may run fails, with its events so far`() async throws {
        var runner = ScenarioRunner(keepsEvents: true)
        runner.mostTurns = 50
        let result = try #require(try await results(payment(), runner: runner).first)
        #expect(result.status == .failed)
        #expect(result.mismatches.map(\.key) == ["session"])
        #expect(result.sessionEvents?.isEmpty == false)
        runner.mostTurns = 3_000_000
        #expect(try await results(payment(), runner: runner).first?.status == .passed)
    }

    @Test func `an empty list of reader faults removes those that have not happened`() async throws {
        let text = """
            template_version: 1
            description: A payment with a reader that was repaired
            steps:
              - connect
              - set: { readerFaults: [{ xfrBlock: 1, do: unanswered }, { hang: untilReset }] }
              - set: { readerFaults: [] }
              - pay: 12.50
                expect: { outcome: approved, noEvents: recovering }

            """
        let result = try #require(try await results(text).first)
        #expect(result.status == .passed, "\(result.mismatches)")
        let read = try #require(try ScenarioFile.scenarios(text: text, path: "shop/test.yaml").first)
        #expect(try read.yaml().contains("readerFaults: []"))
    }

    @Test("amounts are shown in units of their currency")
    func amounts() async throws {
        let lines = ["charged: 12.49", "ledger: [{ kind: authorisation, amount: 12.51, currency: USD }]"]
        for (line, words) in zip(lines, ["12.49 USD", "authorisation, 12.51 USD"]) {
            let result = try #require(try await results(payment(end: "{ \(line) }")).first)
            let told = result.mismatches.map { "\($0)" }.joined()
            #expect(told.contains(words), "\(told)")
            #expect(!told.contains("minor units"), "\(told)")
        }
    }

    @Test("a step that cannot be performed is a failure, unless it is expected")
    func failingStep() async throws {
        let text = "template_version: 1\ndescription: Too early\nsteps: [{ do: retry }]\n"
        #expect(try await results(text).first?.mismatches.first?.key == "step")
        let said = text.replacing("{ do: retry }", with: "{ do: retry, expect: { outcome: failed } }")
        #expect(try await results(said).first?.status == .passed)
    }

    @Test("a session that does not end is reported with its last events and its time")
    func stuck() async throws {
        // A day is the most that a step takes, and the journal has taken a second of it before the card is waited for.
        let text = """
            template_version: 1
            description: No card is presented
            disk: slow
            steps: [connect, { pay: { amount: 12.50, presents: false, timeout: 24h } }]
            """
        let result = try #require(try await results(text).first)
        #expect(result.status == .failed)
        #expect(result.mismatches.map(\.seen) == [["'pay 12.50 USD' waits for something that never comes"]])
        #expect(result.lastEvents.first == "0.000 s  start 1")
        #expect(result.lastEvents.last == "3.000 s  waiting insert")
        #expect(result.virtualMilliseconds == 3000)
        #expect(FailureText.text(result).contains("the last events:\n    0.000 s  start 1\n"))
    }

    @Test("a wait can take a day")
    func longWaits() async throws {
        let text = "template_version: 1\ndescription: Closed\nsteps: [connect, { wait: 24h }, { wait: 24h }]\n"
        let result = try #require(try await results(text).first)
        #expect(result.status == .passed)
        #expect(result.virtualMilliseconds >= 172_800_000)
    }

    @Test("an interruption that did not happen is a failure")
    func missedInterruption() async throws {
        for during in ["{ on: card_swiped, do: cancel }", "{ after: 1h, do: cancel }"] {
            let text = """
                template_version: 1
                description: Nothing comes between
                steps: [connect, { pay: 12.50, during: [\(during)] }]
                """
            let mismatches = try await results(text).first?.mismatches
            #expect(mismatches?.map(\.key) == ["during"])
        }
    }

    @Test("a difference between journal and ledger is a failure even without an expectation")
    func standingExpectation() async throws {
        let text = payment("issuer: [{ when: { messages: [authorize, reverse] }, answer: { lost: answer } }]")
        #expect(try await results(text).first?.mismatches.map(\.key) == ["reconciled"])
        let told = payment(
            "issuer: [{ when: { messages: [authorize, reverse] }, answer: { lost: answer } }]",
            end: "{ reconciled: false }")
        #expect(try await results(told).first?.status == .passed)
    }

    @Test("an expected failure counts while it fails, and is an error if it passes")
    func expectedFailure() async throws {
        let reason = "expectedFailure: not there yet"
        #expect(try await results(payment(reason, step: "{ outcome: declined }")).first?.status == .failedAsExpected)
        let passed = try #require(try await results(payment(reason)).first)
        #expect(passed.status == .passedUnexpectedly)
        #expect(passed.isFailure)
        #expect(passed.reason?.contains("remove 'expectedFailure'") == true)
    }

    // MARK: Runs of several

    private static let mixed = """
        template_version: 1
        description: ${card}
        matrix: { card: [visa-credit, declined, amex, pin-required, removed-early, slow-card] }
        card: ${card}
        steps: [connect, { pay: 12.50, expect: { outcome: approved } }]
        """

    @Test("the number of jobs does not change the result")
    func jobs() async throws {
        var texts: Set<String> = []
        for jobs in [1, 2, 5] {
            let found = try ScenarioFile.scenarios(text: Self.mixed, path: "shop/mixed.yaml").map {
                ScenarioFinder.Found(name: "shop/\($0.name)", scenario: $0)
            }
            let selection = ScenarioSelection(seed: 9, repetitions: 3)
            let report = await ScenarioRunner(jobs: jobs, keepsEvents: true).run(selection.runs(of: found), seed: 9)
            texts.insert(try JSONReport.text(report))
        }
        #expect(texts.count == 1)
    }

    @Test("another seed has other bytes on the wire, and the same outcome")
    func seeds() async throws {
        var exchanges: Set<[String]> = []
        for seed in [1, 2] as [UInt64] {
            let runner = ScenarioRunner(keepsEvents: true)
            let result = try #require(
                try await results(
                    payment(step: "{ outcome: approved }"), runner: runner, selection: ScenarioSelection(seed: seed)
                ).first)
            #expect(result.status == .passed && result.seed == seed)
            exchanges.insert(result.events?.filter { $0.contains(" apdu ") } ?? [])
        }
        #expect(exchanges.count == 2)
    }

    @Test("fail-fast starts no more scenarios, and reports how many were skipped")
    func failFast() async throws {
        let found = try ScenarioFile.scenarios(text: Self.mixed, path: "shop/mixed.yaml").map {
            ScenarioFinder.Found(name: "shop/\($0.name)", scenario: $0)
        }
        let runs = ScenarioSelection().runs(of: found)
        let report = await ScenarioRunner(jobs: 1, stopsAtFailure: true).run(runs, seed: 1)
        #expect(report.scenarios.map(\.status) == [.passed, .failed])
        #expect(report.counts.notRun == 4 && report.counts.all == 6)
    }

    @Test("results are in the order of the scenarios")
    func order() async throws {
        let names = try await results(Self.mixed, runner: ScenarioRunner(jobs: 4)).map(\.name)
        #expect(
            names
                == ["visa-credit", "declined", "amex", "pin-required", "removed-early", "slow-card"].map {
                    "shop/test[card=\($0)]"
                })
    }

    // MARK: Golden files

    @Test("a golden file can be missing, written, equal, or different")
    func golden() async throws {
        let path = folder.path + "/sale.yaml"
        let text = payment("golden: [journal, receipt]\nseed: 1")
        let missing = try await results(text, path: path)
        #expect(missing.first?.mismatches.first?.seen == ["none: write it with --update-golden"])
        #expect(
            try await results(text, path: path, runner: ScenarioRunner(updatesGolden: true)).first?.status == .passed)
        #expect(try await results(text, path: path).first?.status == .passed)
        let written = try String(contentsOfFile: folder.path + "/golden/sale.txt", encoding: .utf8)
        #expect(written.hasPrefix("== journal\nP000001 sale: created authorizing captured\n== receipt\n"))
        let other = try await results(text.replacing("12.50", with: "12.51"), path: path)
        let mismatch = try #require(other.first?.mismatches.first)
        #expect(mismatch.key == "golden" && mismatch.file == folder.path + "/golden/sale.txt")
        #expect(mismatch.difference.contains("- TOTAL                             $12.50"))
        #expect(mismatch.difference.contains("+ TOTAL                             $12.51"))
    }
}
