import Determinism
import ScenarioFormat
import Sessions
import Simulator
import Testing

@testable import Explorer

@Suite("Taps in explored sessions")
struct TapFaultTests {
    private func draft(_ seed: Int) -> SessionDraft {
        let draft = FaultModel(choices: choices(UInt64(seed))).draft(Coverage())
        return TapFaults(choices: choices(UInt64(seed) + 1_000_000)).added(to: draft)
    }

    @Test("are valid scenarios with a reader that has a field")
    func readable() throws {
        for seed in 1...300 {
            let text = draft(seed).text(seed: 1, description: "a draft")
            let scenarios = try? ScenarioFile.scenarios(text: text, path: "draft.yaml")
            let readers = try #require(scenarios?.first?.readers, "\(text)")
            #expect(readers.contains { ["contactless", "dual-interface"].contains($0.model.name) }, "\(text)")
        }
    }

    @Test("have every card and every fault of the field")
    func variety() {
        let text = (1...400).map { draft($0).text(seed: 1, description: "a draft") }.joined()
        for name in CardProfileLibrary.contactlessNames { #expect(text.contains(name), "\(name)") }
        for word in [
            "moveAwayAt", "moveBackAfter", "secondCardFor", "present: tap", "present: insert", "moveAway", "tapCard",
            "unlock", "insertCard", "card_tapped", FaultModel.pin,
        ] { #expect(text.contains(word), "\(word)") }
    }

    @Test("leave the choices of other sessions alone")
    func apart() {
        for seed in 1...50 {
            let one = FaultModel(choices: choices(UInt64(seed))).draft(Coverage())
            _ = TapFaults(choices: choices(7)).added(to: one)
            #expect(FaultModel(choices: choices(UInt64(seed))).draft(Coverage()) == one)
        }
    }

    @Test("are paid, and the judges hold")
    func judged() throws {
        let record = try record(
            [DraftEntry("reader", "contactless"), DraftEntry("card", "k8-credit")], "connect",
            ["pay": ["amount": "12.50"]])
        #expect(record.payments.first?.card?.entryMode == "contactless")
        #expect(InvariantCheck(record).violations.isEmpty)
    }

    @Test("need the card's own request as proof")
    func proof() throws {
        var record = try record(
            [DraftEntry("reader", "contactless"), DraftEntry("card", "k8-credit")], "connect",
            ["pay": ["amount": "12.50"]])
        record.cryptograms = []
        #expect(InvariantCheck(record).violations.contains { $0.invariant == .approvalsAreProven })
    }

    @Test("moved away at any exchange charge at most once", arguments: 1...8)
    func movedAway(exchange: Int) throws {
        let record = try record(
            [DraftEntry("reader", "dual-interface"), DraftEntry("card", "k8-credit")], "connect",
            [
                "pay": ["amount": "12.50", "presents": "false"],
                "during": [
                    ["on": "waiting", "do": "tapCard"], ["on": "apdu", "count": .number(exchange), "do": "moveAway"],
                    ["on": "apdu", "count": .number(exchange), "after": "2s", "do": "tapCard"],
                ],
            ])
        #expect(InvariantCheck(record).violations.isEmpty)
        #expect(record.charges.count { $0.minorUnits != 0 } <= 1)
    }
}
