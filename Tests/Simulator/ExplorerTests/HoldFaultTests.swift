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

    @Test("leave the choices of other sessions alone")
    func apart() {
        for seed in 1...50 {
            let one = FaultModel(choices: choices(UInt64(seed))).draft(Coverage())
            _ = HoldFaults(choices: choices(7)).added(to: one)
            #expect(FaultModel(choices: choices(UInt64(seed))).draft(Coverage()) == one)
        }
    }

    @Test("hold orders never")
    func orders() {
        for seed in 1...100 {
            let orders = draft(seed).steps.compactMap { $0["pay"] }.filter { $0["order"] != nil }
            #expect(orders.allSatisfy { $0["authorizeOnly"] == nil })
        }
    }

    @Test("come to increments, captures, and cancellations that are sent")
    func sent() throws {
        var messages: [String: Int] = [:]
        for seed in 1...40 {
            let draft = draft(seed)
            let record = try record(draft.setup, draft.steps)
            for line in record.book where [.increment, .advice, .reversal].contains(line.kind) {
                messages[line.kind.rawValue, default: 0] += 1
            }
            #expect(InvariantCheck(record).violations == [], "draft \(seed)")
        }
        #expect(messages["increment"] ?? 0 >= 5 && messages["advice"] ?? 0 >= 5 && messages["reversal"] ?? 0 >= 5)
    }

    @Test(
        "hold and move what the till says, whatever moment it dies at",
        arguments: ["increment", "capture", "cancelPayment"],
        [
            "journal created", "saving authorizing", "host increment sent", "host increment answered",
            "saving authorizedOnly", "journal authorizedOnly", "saving authorized", "host advise sent",
            "host advise answered", "saving captured", "saving reversing", "host reverse sent",
            "host reverse answered", "saving reversed", "receipt",
        ])
    func death(command: String, point: String) throws {
        var step: DraftNode = command == "increment" ? ["increment": "20.00"] : ["do": .text(command)]
        step["during"] = [["on": .text(point), "do": "crash"]]
        let record = try record([], "connect", ["pay": ["amount": "150.00", "authorizeOnly": "true"]], step)
        #expect(InvariantCheck(record).violations == [])
        #expect(record.charges.allSatisfy { [0, 15_000, 17_000].contains($0.held) })
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
