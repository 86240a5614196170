import Determinism
import ScenarioFormat
import Sessions
import Simulator
import Testing

@testable import Explorer

@Suite("Pre-authorizations in explored sessions")
struct HoldFaultTests {
    private func draft(_ seed: Int) -> SessionDraft {
        let draft = FaultModel(choices: choices(UInt64(seed))).draft(Coverage())
        return HoldFaults(choices: choices(UInt64(seed) + 1_000_000)).added(to: draft)
    }

    @Test("are valid scenarios")
    func readable() throws {
        for seed in 1...300 {
            let text = draft(seed).text(seed: 1, description: "a draft")
            let scenarios = try? ScenarioFile.scenarios(text: text, path: "draft.yaml")
            _ = try #require(scenarios?.first, "\(text)")
        }
    }

    @Test("are raised, captured, and canceled, and the till dies and gets no answers in the middle of it")
    func variety() {
        let text = (1...400).map { draft($0).text(seed: 1, description: "a draft") }.joined()
        for word in [
            "authorizeOnly", "allowPartial", "do: capture", "capture: { amount", "increment: { amount",
            "cancelPayment", "do: recover", "host increment sent", "do: crash", "messages: advise", "lost: answer",
            "reachable: false", "disk: full", "responseCode: 51", "journal authorizedOnly",
        ] { #expect(text.contains(word), "\(word)") }
    }

    @Test("leave orders and the choices of other sessions alone")
    func apart() {
        for seed in 1...50 {
            let one = FaultModel(choices: choices(UInt64(seed))).draft(Coverage())
            let held = HoldFaults(choices: choices(7)).added(to: one)
            #expect(FaultModel(choices: choices(UInt64(seed))).draft(Coverage()) == one)
            let orders = { (draft: SessionDraft) in draft.steps.filter { $0["pay"]?["order"] != nil } }
            #expect(orders(held) == orders(one))
        }
    }

    @Test(
        "hold what the till says, whatever moment it dies at",
        arguments: [
            "journal created", "saving authorizing", "host increment sent", "host increment answered",
            "saving authorizedOnly", "journal authorizedOnly", "receipt",
        ])
    func death(point: String) throws {
        let record = try record(
            [], "connect", ["pay": ["amount": "150.00", "authorizeOnly": "true"]],
            ["increment": "20.00", "during": [["on": .text(point), "do": "crash"]]])
        #expect(InvariantCheck(record).violations == [])
        #expect([15_000, 17_000].contains(record.charges.first?.held))
    }

    @Test(
        "are told as not recorded when the disk fails after a message was tried",
        arguments: [
            ("capture", "advise"), ("cancelPayment", "reverse"),
        ])
    func notRecorded(command: String, message: String) throws {
        let record = try record(
            [
                DraftEntry(
                    "issuer",
                    [["when": ["messages": .text(message)], "answer": ["reachable": "false"], "times": "1"]])
            ],
            "connect", ["pay": ["amount": "150.00", "authorizeOnly": "true"]],
            [
                "do": .text(command),
                "during": [["on": .text("host \(message) sent"), "set": ["disk": "failing"]]],
            ])
        #expect(record.steps[2].errorMessage?.contains("could not be recorded") == true)
        #expect(InvariantCheck(record).violations == [])
        #expect(record.attempts.map(\.state) == [command == "capture" ? "captured" : "reversed"])
    }
}
