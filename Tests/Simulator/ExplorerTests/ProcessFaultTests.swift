import Money
import Payments
import ScenarioFormat
import Sessions
import Simulator
import Synchronization
import Testing

@testable import Explorer

@Suite("Faults between processes")
struct ProcessFaultTests {
    private static let pay: DraftNode = ["pay": ["amount": "12.00"]]

    private func during(_ words: String, _ change: DraftNode, _ step: DraftNode = pay) -> DraftNode {
        var step = step
        step["during"] = [["on": .text(words), "set": change]]
        return step
    }

    private func violations(_ record: SessionRecord) -> [Violation] { InvariantCheck(record).violations }

    // MARK: Requests

    @Test func `a request that arrives after its reversal is refused, and nothing is charged`() throws {
        let record = try record(
            [], "connect", ["set": ["link": [["request": "delayed", "by": "90s", "message": "authorize"]]]], Self.pay,
            ["wait": "5min"])
        #expect(violations(record) == [])
        #expect(record.attempts.map(\.state) == ["reversed"])
        // The issuer keeps the reversal alone: it refuses the request of a reversed attempt without an entry.
        #expect(Set(record.book.map(\.kind)) == [.reversal])
    }

    @Test func `a request that arrives in time is approved`() throws {
        let record = try record(
            [], "connect", ["set": ["link": [["request": "delayed", "by": "40s"]]]], Self.pay)
        #expect(violations(record) == [])
        #expect(record.attempts.map(\.state) == ["captured"])
    }

    @Test(arguments: ["authorize", "refund", "reverse"])
    func `a doubled request moves money once`(message: String) throws {
        let lost: DraftNode = [["name": "lost", "answer": ["lost": "answer"], "times": "1"]]
        let record = try record(
            message == "reverse" ? [DraftEntry("issuer", lost)] : [], "connect",
            ["set": ["link": [["request": "doubled", "by": "1s", "message": .text(message)]]]], Self.pay, "refund",
            ["wait": "1min"])
        #expect(violations(record) == [])
        #expect(record.attempts.first?.state == (message == "reverse" ? "reversed" : "captured"))
    }

    // MARK: Servers

    @Test func `an issuer that dies loses its answer and keeps its ledger`() throws {
        let slow: DraftNode = [["name": "slow", "answer": ["delayMilliseconds": "20000"], "times": "1"]]
        let record = try record(
            [DraftEntry("issuer", slow)], "connect",
            [
                "pay": ["amount": "12.00"],
                "during": [["on": "host authorize sent", "after": "5s", "set": ["issuerDown": "5s"]]],
            ], "restart",
            "connect", Self.pay)
        #expect(violations(record) == [])
        #expect(record.attempts.map(\.state) == ["reversed", "captured"])
    }

    @Test func `an issuer that is starting again is not asked`() throws {
        let record = try record([], "connect", ["set": ["issuerDown": "10min"]], Self.pay)
        #expect(violations(record) == [])
        #expect(record.book.allSatisfy { $0.kind != .authorization })
    }

    @Test func `a store that dies is notified later`() throws {
        let record = try record(
            [DraftEntry("site", ["unpaid": ["25.00"]])], "connect",
            during("capture sent", ["siteDown": "30s"], ["pay": ["order": "1"]]))
        #expect(violations(record) == [])
        #expect(record.captures.map(\.state) == ["confirmed"])
    }

    // MARK: Clock, lease, disk, and a second till

    @Test(arguments: ["clockForward", "clockBack"])
    func `a clock that is set while a payment runs changes nothing about it`(key: String) throws {
        let record = try record(
            [], "connect", during("host authorize sent", .mapping([DraftEntry(key, "24h")])), ["refund": "2.00"])
        #expect(violations(record) == [])
        #expect(record.attempts.map(\.state) == ["captured", "captured"])
    }

    @Test func `a till whose attempt was taken over does not show it as approved`() throws {
        let slow: DraftNode = [["name": "slow", "answer": ["delayMilliseconds": "20000"], "times": "1"]]
        let record = try record(
            [DraftEntry("issuer", slow)], "connect",
            [
                "pay": ["amount": "12.00"],
                "during": [
                    ["on": "host authorize sent", "after": "5s", "set": ["loseLease": "true", "neighbor": "recover"]]
                ],
            ])
        #expect(violations(record) == [])
        #expect(record.attempts.map(\.state) == ["reversed"])
        #expect(record.displays == [])
        #expect(record.tellings.first { $0.command == .recover } != nil)
    }

    @Test func `a second till refunds, and dies`() throws {
        let record = try record(
            [], "connect", Self.pay, ["set": ["neighbor": "refund"]], ["wait": "1min"],
            ["set": ["neighbor": "crash"]])
        #expect(violations(record) == [])
        #expect(record.attempts.map(\.kind) == ["sale", "refund"])
        #expect(record.tellings.filter { $0.command == .refund }.count == 1)
    }

    @Test(arguments: ["full", "readOnly", "failing"], ["created", "authorizing", "captured"])
    func `a commit that fails once makes no lie`(disk: String, state: String) throws {
        let record = try record(
            [], "connect",
            [
                "pay": ["amount": "12.00"],
                "during": [
                    ["on": .text("saving " + state), "set": ["disk": .text(disk)]],
                    ["on": .text("saving " + state), "after": "1ms", "set": ["disk": "working"]],
                ],
            ])
        #expect(violations(record) == [])
        #expect(record.events.contains { $0.kind == .diskRefused })
    }

    @Test func `a refund above what was paid is refused before there is an attempt`() throws {
        let record = try record([], "connect", Self.pay, ["refund": ["amount": "12.01"]])
        #expect(violations(record) == [])
        #expect(record.attempts.map(\.kind) == ["sale"])
        var planted = record
        var refund = try #require(record.attempts.first)
        (refund.kind, refund.key) = ("refund", "another")
        refund.amount = try Money("12.01", currency: .usDollar)
        planted.attempts.append(refund)
        #expect(violations(planted).map(\.invariant).contains(.oneCharge))
    }

    // MARK: The generator, and pairs of deaths

    @Test func `faults between processes make valid scenarios, in one session of four, and of every kind`() throws {
        var all = ""
        for seed in 1...300 {
            let draft = FaultModel(choices: choices(UInt64(seed))).draft(Coverage())
            let more = ProcessFaults(choices: choices(UInt64(seed) + 1_000_000)).added(to: draft)
            #expect(ProcessFaults(choices: choices(UInt64(seed) + 1_000_000)).added(to: draft) == more)
            let text = more.text(seed: 1, description: "a draft")
            #expect(throws: Never.self, "\(text)") { try ScenarioFile.scenarios(text: text, path: "draft.yaml") }
            all += text
        }
        for word in [
            "delayed", "doubled", "issuerDown", "siteDown", "clockForward", "clockBack", "loseLease", "neighbor",
            "working", "9999999",
        ] { #expect(all.contains(word), "\(word)") }
    }

    @Test func `a till that dies in a sale, and again in its recovery, keeps every promise`() async throws {
        let report = await Explorer(seed: 1, jobs: 2, folder: scratchFolder()).crashPairs(cases: 1)
        #expect(report.failures == [])
        #expect(report.sessions > 15)
    }

    @Test func `a search through deaths ends on request, and tells each failure at once`() async throws {
        var explorer = Explorer(seed: 1, jobs: 1, folder: scratchFolder())
        #expect(await explorer.crashPairs(goesOn: { false }).sessions == 0)
        explorer.judge = { _ in [Violation(.oneCharge, "twice")] }
        let told = Mutex<[FoundFailure]>([])
        explorer.onFailure = { failure in told.withLock { $0.append(failure) } }
        let count = Mutex(0)
        let report = await explorer.crashPairs(
            cases: 1,
            goesOn: {
                count.withLock {
                    $0 += 1
                    return $0 < 6
                }
            })
        #expect((1...5).contains(report.sessions))
        #expect(told.withLock { $0 } == report.failures && !report.failures.isEmpty)
    }
}
