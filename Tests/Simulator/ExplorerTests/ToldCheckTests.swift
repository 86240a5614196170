import Money
import Payments
import Sessions
import Simulator
import Testing

@testable import Explorer

/// Each test takes a session that told the truth, and plants one lie.
@Suite("What people were shown")
struct ToldCheckTests {
    /// A sale whose receipt is printed, a refund of a part with its paper, and a decline.
    private static let sound = Result {
        try record(
            [], "connect", ["pay": ["amount": "12.00"]], "print", ["refund": ["amount": "2.00"]],
            ["print": ["copy": "merchant"]], ["pay": ["amount": "9.00", "card": "declined"]])
    }

    private func broken(
        _ teller: CommandTeller? = nil, _ plant: (inout SessionRecord) throws -> Void
    ) throws -> Set<Invariant> {
        var record = try Self.sound.get()
        try plant(&record)
        return Set(InvariantCheck(record, teller).violations.map(\.invariant))
    }

    /// The words of the commands of the session.
    @Sendable private static func words(_ telling: SessionTelling) -> CommandWords? {
        guard case .payment(let payment, _) = telling.answer else { return nil }
        return switch (telling.command, payment.outcome) {
        case (.refund, _): CommandWords(exitCode: 0, outcome: "approved", text: "REFUNDED")
        case (_, .approved): CommandWords(exitCode: 0, outcome: "approved", text: "APPROVED")
        default: CommandWords(exitCode: 2, outcome: "declined", text: "DECLINED")
        }
    }

    @Test func `a session that told the truth breaks nothing`() throws {
        let record = try Self.sound.get()
        #expect(InvariantCheck(record).violations == [])
        #expect(InvariantCheck(record, Self.words).violations == [])
        #expect(record.tellings.map(\.command) == [.pay, .refund, .pay, .recover, .recover])
        #expect(record.tellings.prefix(3).allSatisfy { $0.attempts.count > 1 })
        #expect(record.displays.map(\.key) == record.attempts.prefix(1).map(\.key))
        #expect(record.receipts.map(\.content.outcome) == [.approved, .approved, .declined])
        #expect(record.papers.count == 2)
        #expect(record.bookMoments.count == record.book.count)
    }

    // MARK: Commands

    @Test func `an approval that is reversed is found`() throws {
        #expect(try broken { $0.attempts[0].states.append("reversed") }.contains(.toldIsTrue))
        #expect(try broken { $0.attempts[1].states.append("reversed") }.contains(.toldIsTrue), "the refund")
    }

    @Test func `an approval that the issuer does not have is found`() throws {
        #expect(try broken { $0.charges.removeAll { !$0.isRefund } }.contains(.toldIsTrue))
        #expect(try broken { $0.charges[0].minorUnits += 1 }.contains(.toldIsTrue), "another amount")
    }

    @Test func `an approval without an attempt is found`() throws {
        #expect(try broken { $0.tellings[0].attempts = [] } == [.toldIsTrue])
    }

    @Test func `a decline that is charged is found, at the end and later`() throws {
        let charged = try broken { record in
            let (key, template) = (try #require(record.attempts.last).key, try #require(record.charges.first))
            record.charges.removeAll { $0.key == key }
            var charge = template
            charge.key = key
            record.charges.append(charge)
        }
        #expect(charged.contains(.toldIsTrue))
        let late = try broken { record in
            let key = try #require(record.attempts.last).key
            var line = try #require(record.book.first { $0.kind == .authorization && $0.isApproved })
            line.key = IdempotencyKey(rawValue: key)
            record.book.append(line)
            record.bookMoments.append(record.events.count)
        }
        #expect(late == [.toldIsTrue])
    }

    @Test func `a payment that was told as unknown and stays open is found`() throws {
        let found = try broken { record in
            guard case .payment(var payment, let history) = record.tellings[0].answer else { return }
            payment.state = .unknown
            record.tellings[0].answer = .payment(payment, history)
            record.attempts[0].states.append("unknown")
        }
        #expect(found.contains(.toldIsTrue))
    }

    @Test(arguments: [
        CommandWords(exitCode: 1, outcome: "approved", text: "APPROVED"),
        CommandWords(exitCode: 0, outcome: "approved", text: "DECLINED"),
        CommandWords(exitCode: 0, outcome: "paid", text: "APPROVED"),
        CommandWords(exitCode: 2, outcome: "declined", text: "DECLINED"),
        CommandWords(exitCode: 69, outcome: "failed", text: ""),
        CommandWords(exitCode: 4, outcome: "unknown", text: ""),
    ])
    func `exit code, JSON, text and payment that say different things are found`(words: CommandWords) throws {
        #expect(try broken({ $0.command == .pay ? words : Self.words($0) }) { _ in } == [.toldIsTrue])
    }

    @Test func `a refund that is told as not made and was made is found`() throws {
        let words = CommandWords(exitCode: 69, outcome: "failed", text: "NOT REFUNDED")
        #expect(try broken({ $0.command == .refund ? words : Self.words($0) }) { _ in } == [.toldIsTrue])
        let open = CommandWords(exitCode: 4, outcome: "unknown", text: "NOT REFUNDED")
        #expect(try broken({ $0.command == .refund ? open : Self.words($0) }) { _ in } == [.toldIsTrue])
    }

    @Test func `a refund whose result can't be read afterward was made, and has no result to tell`() throws {
        let record = try record(
            [DraftEntry("site", ["unpaid": ["25.00"]])], "connect", ["pay": ["order": "1"]],
            ["refund": ["amount": "5.00"], "during": [["on": "site", "set": ["disk": "failing"]]]])
        let telling = try #require(record.tellings.first { $0.command == .refund })
        guard case .payment(let payment, let history) = telling.answer else {
            Issue.record("the refund had no answer: \(telling.answer)")
            return
        }
        #expect(payment.refundedAmount.minorUnits == 500)
        #expect(history == nil)
        #expect(InvariantCheck(record).violations == [])
    }

    // MARK: Pre-authorizations

    @Test func `a hold and a capture with other amounts than shown are found`() throws {
        func found(_ plant: (inout SessionRecord) throws -> Void) throws -> Set<Invariant> {
            var record = try record(
                [], "connect", ["pay": ["amount": "150.00", "authorizeOnly": "true"]], ["capture": "80.00"],
                ["pay": ["amount": "20.00", "authorizeOnly": "true"]])
            #expect(InvariantCheck(record).violations == [])
            #expect(record.attempts.map(\.state) == ["captured", "authorizedOnly"])
            try plant(&record)
            return Set(InvariantCheck(record).violations.map(\.invariant))
        }
        #expect(try found { $0.charges[0].minorUnits += 1 } == [.booksAgree, .toldIsTrue])
        let held = try found { record in
            let place = try #require(record.book.lastIndex { $0.kind == .authorization })
            record.book[place].minorUnits += 1
        }
        #expect(held == [.toldIsTrue, .approvalsAreProven])
        #expect(try found { $0.attempts[1].states.append("failed") }.contains(.toldIsTrue))
    }

    @Test func `receipts of a hold, an increment, and a capture with other amounts are found`() throws {
        func found(_ plant: (inout SessionRecord) throws -> Void) throws -> Set<Invariant> {
            var record = try record(
                [], "connect", ["pay": ["amount": "150.00", "authorizeOnly": "true"]], ["increment": "20.00"],
                ["capture": "80.00"])
            #expect(InvariantCheck(record).violations == [])
            #expect(record.receipts.map(\.content.approvedAmount) == ["150.00", "170.00", "80.00"])
            try plant(&record)
            return Set(InvariantCheck(record).violations.map(\.invariant))
        }
        #expect(try found { $0.receipts[0].content.approvedAmount = "151.00" } == [.toldIsTrue])
        #expect(try found { $0.receipts[1].content.approvedAmount = "20.00" } == [.toldIsTrue])
        #expect(try found { $0.receipts[2].content.approvedAmount = "170.00" } == [.toldIsTrue])
        #expect(try found { $0.receipts[2].content.kind = .void } == [.toldIsTrue], "it is captured")
        #expect(try found { $0.attempts[0].states.append("authorizedOnly") }.contains(.toldIsTrue), "it is only held")
    }

    // MARK: Display

    @Test func `an approval on the display that is none is found`() throws {
        let declined = try broken { record in
            record.displays.append(SessionDisplay(key: try #require(record.attempts.last).key, moment: 0))
        }
        #expect(declined == [.toldIsTrue])
        #expect(try broken { $0.displays.append(SessionDisplay(key: "nobody's", moment: 0)) } == [.toldIsTrue])
        let reader = try broken { record in
            let place = record.tellings[2].events.lowerBound
            record.events[place].kind = .approvedAndRemoved
        }
        #expect(reader == [.toldIsTrue], "at the reader")
    }

    // MARK: Receipts and paper

    @Test func `a receipt that says something else than the journal is found`() throws {
        #expect(try broken { $0.receipts[0].content.outcome = .declined } == [.toldIsTrue])
        #expect(try broken { $0.receipts[0].content.outcome = .unknown } == [.toldIsTrue], "it was never corrected")
        #expect(try broken { $0.receipts[0].content.approvedAmount = "12.01" } == [.toldIsTrue])
        #expect(try broken { $0.receipts[0].content.currency = "EUR" } == [.toldIsTrue])
        #expect(try broken { $0.receipts[0].content.payment = "P000009" } == [.toldIsTrue])
        #expect(try broken { $0.receipts[1].content.kind = .void } == [.toldIsTrue])
        #expect(try broken { $0.receipts[2].content.outcome = .approved } == [.toldIsTrue])
        #expect(try broken { $0.receipts[2].attempt = 77 } == [.toldIsTrue])
    }

    @Test func `paper that says something else than its receipt is found`() throws {
        func replacing(_ text: String, with other: String) throws -> Set<Invariant> {
            try broken { record in
                let before = record.papers[0].lines
                record.papers[0].lines = before.map { $0.replacing(text, with: other) }
                #expect(record.papers[0].lines != before)
            }
        }
        #expect(try replacing("APPROVED", with: "DECLINED") == [.toldIsTrue])
        #expect(try replacing("12.00", with: "13.00") == [.toldIsTrue])
        #expect(try replacing("P000001", with: "P000002") == [.toldIsTrue])
        #expect(try broken { $0.papers[0].lines.append("DECLINED") } == [.toldIsTrue])
    }
}
