import Payments
import ScenarioFormat
import Sessions
import Simulator
import Testing

@testable import Explorer

@Suite("Two tills that take payments at the same time")
struct TwoTillsTests {
    private static func till(_ database: String) -> DraftEntry {
        DraftEntry("secondTill", ["database": .text(database), "card": "mastercard-credit"])
    }

    private static let site = DraftEntry("site", ["unpaid": ["25.00"]])

    /// A step beside which something happens at the second till.
    private static func beside(_ step: DraftNode, _ acts: DraftNode...) -> DraftNode {
        var step = step
        step["during"] = .list(acts)
        return step
    }

    private static let pay: DraftNode = ["pay": ["amount": "12.00"]]
    private static let payOrder: DraftNode = ["pay": ["order": "1"]]
    private static let paysToo: DraftNode = ["after": "1ms", "set": ["neighborPays": ["amount": "8.00"]]]
    private static let paysOrderToo: DraftNode = ["after": "1ms", "set": ["neighborPays": ["order": "1"]]]

    private func violations(_ record: SessionRecord) -> [Violation] { InvariantCheck(record).violations }

    /// A session whose database is in a file, where both tills count as alive.
    private func recordInFiles(_ draft: SessionDraft) -> SessionRecord {
        DraftPlay(folder: scratchFolder()).record(draft, seed: 1, number: 1, in: .ownFiles)
    }

    // MARK: One database

    @Test(arguments: ["shared", "own"])
    func `both tills take a payment at the same time, and tell the truth`(database: String) throws {
        let record = try record([Self.till(database)], "connect", Self.beside(Self.pay, Self.paysToo), ["wait": "1min"])
        #expect(violations(record) == [])
        #expect(record.attempts.map(\.state) == ["captured", "captured"])
        #expect(Set(record.charges.map(\.minorUnits)) == [1200, 800])
        let told = record.tellings.filter { $0.command == .pay }
        #expect(Set(told.map(\.till)) == [.first, .second])
        #expect(told.allSatisfy { $0.wasSent && !$0.attempts.isEmpty })
        #expect(record.hasTwoDatabases == (database == "own"))
        // They are interleaved: the second payment begins before the first one has ended.
        let begun = try #require(record.events.firstIndex { $0.text.hasPrefix("act neighbor_pays") })
        let ended = try #require(record.events.firstIndex { $0.kind == .stepEnded && $0.detail.hasPrefix("pay") })
        #expect(record.events[begun..<ended].contains { record.eventsOfSecondTill.contains($0.number) })
    }

    @Test func `the same session has the same events twice`() throws {
        let play = {
            try record(
                [Self.till("own"), Self.site], "connect", Self.beside(Self.payOrder, Self.paysOrderToo),
                ["wait": "1min"])
        }
        #expect(try play().events == play().events)
    }

    @Test func `a living till does not take over what the other one works on`() throws {
        let draft = SessionDraft(
            setup: [Self.till("shared")],
            steps: [
                "connect",
                Self.beside(
                    Self.pay, Self.paysToo,
                    // The clerk there has it done after the payment, while the first till may work still.
                    ["on": "host authorize sent", "set": ["neighbor": "recover"]]),
                ["wait": "1min"],
            ])
        let record = recordInFiles(draft)
        #expect(record.refusal == nil)
        #expect(violations(record) == [])
        #expect(record.attempts.map(\.state) == ["captured", "captured"])
    }

    @Test func `two tills of one database begin one payment of an order`() throws {
        let record = recordInFiles(
            SessionDraft(
                setup: [Self.till("shared"), Self.site],
                steps: ["connect", Self.beside(Self.payOrder, Self.paysOrderToo), ["wait": "1min"]]))
        #expect(record.refusal == nil)
        #expect(violations(record) == [])
        #expect(record.payments.count { $0.state == "captured" } == 1)
        #expect(record.storeCharges.count == 1)
    }

    @Test(arguments: ["shared", "own"], ["host authorize sent", "journal authorizing", "saving captured"])
    func `a second till that dies in its payment is recovered`(database: String, words: String) throws {
        let record = try record(
            [Self.till(database)], "connect", ["set": ["neighborPays": "8.00"]],
            ["wait": "1min", "during": [["on": .text(words), "set": ["neighbor": "crash"]]]])
        #expect(violations(record) == [])
    }

    @Test func `a payment that is canceled at the second till charges nothing`() throws {
        let record = try record(
            [Self.till("own")], "connect",
            Self.beside(
                Self.pay, ["on": "waiting", "set": ["neighborPays": "8.00"]],
                ["on": "waiting", "count": "2", "set": ["neighbor": "cancel"]]),
            ["wait": "1min"])
        #expect(violations(record) == [])
        #expect(record.charges.map(\.minorUnits).filter { $0 != 0 } == [1200])
    }

    // MARK: Two databases, one order

    /// Both tills take the money for one order before one of them sees that it is paid.
    private static let oneOrder = Result {
        try record(
            [TwoTillsTests.till("own"), TwoTillsTests.site], "connect",
            TwoTillsTests.beside(TwoTillsTests.payOrder, TwoTillsTests.paysOrderToo), ["wait": "1min"])
    }

    @Test func `one capture remains of an order that two tills pay, and the other till is told so`() throws {
        let record = try Self.oneOrder.get()
        #expect(violations(record) == [])
        #expect(record.storeCharges.count == 1)
        #expect(record.captures.map(\.state).sorted() == ["confirmed", "conflict"])
        #expect(record.payments.map(\.id) == [1, SessionRecord.firstOfSecondDatabase + 1])
    }

    private func broken(_ plant: (inout SessionRecord) throws -> Void) throws -> [Violation] {
        var record = try Self.oneOrder.get()
        try plant(&record)
        return violations(record)
    }

    @Test func `two captures of an order at two tills are found`() throws {
        let found = try broken { record in
            for place in record.captures.indices { record.captures[place].state = "confirmed" }
        }
        let order = try orderNumber()
        #expect(found.contains(Violation(.oneCharge, "order \(order) has 2 captures at two tills")))
    }

    @Test func `two payments of an order without a conflict are found`() throws {
        let found = try broken { $0.captures.removeAll { $0.state == "conflict" } }
        let words = "order \(try orderNumber()) is paid at two tills, and neither shows a conflict"
        #expect(found.contains(Violation(.oneCharge, words)))
    }

    @Test func `a charge of the second till without a record is found`() throws {
        let found = try broken { record in
            record.attempts.removeAll { $0.id > SessionRecord.firstOfSecondDatabase }
        }
        #expect(found.contains { $0.invariant == .booksAgree })
    }

    @Test func `a doubled charge of the second till is found`() throws {
        let found = try broken { record in
            let attempt = try #require(record.attempts.first { $0.id > SessionRecord.firstOfSecondDatabase })
            record.book.append(
                try #require(record.book.first { $0.kind == .authorization && $0.key.rawValue == attempt.key }))
        }
        #expect(found.contains { $0.invariant == .oneCharge })
    }

    @Test func `an approval of the second till that is taken back is found`() throws {
        let found = try broken { record in
            let place = try #require(
                record.attempts.firstIndex { $0.id > SessionRecord.firstOfSecondDatabase && $0.state == "captured" })
            record.attempts[place].states.append("reversed")
        }
        #expect(found.contains { $0.invariant == .toldIsTrue })
    }

    private func orderNumber() throws -> Int64 {
        try #require(try Self.oneOrder.get().payments.compactMap(\.orderID).first)
    }

    // MARK: The generator

    @Test func `drafts with a second till are valid scenarios, also as variations of others`() throws {
        var (all, other) = ("", SessionDraft())
        for seed in 1...300 {
            let model = FaultModel(choices: choices(UInt64(seed)))
            var draft = model.draft(Coverage())
            if seed.isMultiple(of: 2) { draft = model.variation(of: other, with: draft, Coverage()) }
            draft = TwoTills.fitted(draft)
            if !seed.isMultiple(of: 3) {
                let tills = TwoTills(choices: choices(UInt64(seed) + 2_000_000), keepsFiles: seed.isMultiple(of: 5))
                draft = tills.added(to: draft)
            }
            let text = draft.text(seed: 1, description: "a draft")
            #expect(throws: Never.self, "\(text)") { try ScenarioFile.scenarios(text: text, path: "draft.yaml") }
            (all, other) = (all + text, draft)
        }
        for word in ["neighborPays", "shared", "own", "cancel", "order: 1"] { #expect(all.contains(word), "\(word)") }
    }

    @Test func `a wire has one database`() {
        for seed in 1...100 {
            let tills = TwoTills(choices: choices(UInt64(seed)), hasWire: true)
            let draft = tills.added(to: SessionDraft(setup: [], steps: ["connect", Self.pay]))
            #expect(draft.setup.first { $0.key == "secondTill" }?.value["database"] == "shared")
        }
    }
}
