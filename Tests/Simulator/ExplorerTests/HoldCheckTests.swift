import Money
import Payments
import Sessions
import Simulator
import Testing

@testable import Explorer

/// Each test takes a session that is all right, and plants one mistake about a hold.
@Suite("The holds of explored sessions")
struct HoldCheckTests {
    /// A hold that is raised, and one that is raised and captured in part.
    private static let sound = Result {
        try record(
            [], "connect", ["pay": ["amount": "150.00", "authorizeOnly": "true"]], ["increment": "20.00"],
            ["pay": ["amount": "60.00", "authorizeOnly": "true"]], ["increment": "5.00"], ["capture": "61.00"])
    }

    private func broken(_ plant: (inout SessionRecord) throws -> Void) throws -> Set<Invariant> {
        var record = try Self.sound.get()
        try plant(&record)
        return Set(InvariantCheck(record).violations.map(\.invariant))
    }

    @Test func `a session that is all right breaks nothing`() throws {
        let record = try Self.sound.get()
        #expect(InvariantCheck(record).violations == [])
        #expect(record.attempts.map(\.kind) == ["sale", "increment", "sale", "increment"])
        #expect(record.charges.map(\.held) == [17_000, 0, 0, 0])
        #expect(record.charges.map(\.minorUnits).contains(6100))
        #expect(record.payments.map(\.state) == ["authorized", "captured"])
    }

    @Test func `a hold that the issuer does not have, or has with another amount or currency, is found`() throws {
        #expect(try broken { $0.charges[0].held = 15_000 } == [.booksAgree], "without the increment")
        #expect(try broken { $0.charges[0].held = 0 } == [.booksAgree])
        #expect(try broken { $0.charges[0].currency = "EUR" } == [.booksAgree])
        #expect(try broken { $0.attempts[0].states.append("reversed") }.contains(.booksAgree), "canceled at the till")
    }

    @Test func `a hold that no till knows, and a second one of a payment, are found`() throws {
        let unknown = try broken { record in
            var charge = record.charges[0]
            charge.key = "nobody's"
            record.charges.append(charge)
        }
        #expect(unknown == [.booksAgree])
        let second = try broken { record in
            let place = try #require(record.charges.firstIndex { $0.minorUnits == 6100 })
            var (charge, sale) = (record.charges[place], record.attempts[2])
            (charge.key, charge.minorUnits, charge.held, sale.key) = ("another", 0, 6500, "another")
            sale.states = ["created", "authorizing", "authorizedOnly"]
            record.charges.append(charge)
            record.attempts.insert(sale, at: 2)
        }
        #expect(second.contains(.oneCharge))
    }

    @Test func `a capture above what was held is found`() throws {
        let found = try broken { record in
            let place = try #require(record.charges.firstIndex { $0.minorUnits == 6100 })
            let amount = try Money(minorUnits: 6600, currency: record.attempts[2].amount.currency)
            record.charges[place].minorUnits = 6600
            (record.attempts[2].amount, record.payments[1].amount) = (amount, amount)
        }
        #expect(found.contains(.booksAgree))
    }

    @Test func `an increment that only one side has is found, also after the capture`() throws {
        for place in [1, 3] {
            let key = try Self.sound.get().attempts[place].key
            let lost = try broken { $0.book.removeAll { $0.kind == .increment && $0.key.rawValue == key } }
            #expect(lost.contains(.booksAgree))
            #expect(try broken { $0.attempts[place].states.append("failed") }.contains(.booksAgree))
        }
    }

    @Test func `a payment whose row says something else than its sale is found`() throws {
        #expect(try broken { $0.payments[0].state = "reversed" } == [.booksAgree])
        #expect(try broken { $0.payments[0].state = "declined" } == [.booksAgree])
        #expect(try broken { $0.payments[1].state = "authorized" }.contains(.booksAgree))
        let amount = try broken { record in
            record.payments[0].amount = try Money(minorUnits: 1, currency: record.payments[0].amount.currency)
        }
        #expect(amount == [.booksAgree])
    }

    @Test func `a hold without the card's request is found`() throws {
        #expect(try broken { $0.cryptograms = [] } == [.approvalsAreProven])
    }
}
