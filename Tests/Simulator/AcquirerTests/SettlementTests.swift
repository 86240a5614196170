import ISO8583
import Testing

@testable import Acquirer

@Suite struct AcquirerSettlementTests {
    private func settlement(
        _ world: AcquirerWorld, _ number: Int, sales: ReconciliationData.Total
    ) throws -> ISOMessage {
        try world.message(.settlement, number) { message in
            message.set(74, bytes: try #require(ReconciliationData(debits: sales).bytes))
            message.set(
                97,
                try #require(
                    NetAmount(SignedAmount(.debit, sales.amount), currency: "840", exponent: 2).text(.v2003)))
        }
    }

    @Test func `2003 has its totals in field 74, and its currency in field 97`() async throws {
        let world = try AcquirerWorld("iso2003")
        let client = world.client()
        _ = try await client.ask(try world.sale(1))
        let wrong = try await client.ask(try settlement(world, 2, sales: .init(number: 2, amount: 1950)))
        #expect(wrong.text(of: 39) == "5001")
        let own = wrong.bytes(of: 74).flatMap { ReconciliationData($0) }
        #expect(own == ReconciliationData(debits: .init(number: 1, amount: 1250)))
        #expect(wrong.text(of: 97) == "D84020000000000001250")
        #expect(try await client.code(try settlement(world, 3, sales: .init(number: 1, amount: 1250))) == "5000")
        #expect(await world.acquirer.records[0].settlement == 3)
        // Another currency has a batch of its own, which is empty.
        let euros = try world.message(.settlement, 4) { $0.set(97, "D97820000000000000000") }
        #expect(try await client.code(euros) == "5000")
    }

    @Test func `a repeat is answered as the first time, with the totals, and closes nothing more`() async throws {
        let world = try AcquirerWorld()
        let client = world.client()
        _ = try await client.ask(try world.sale(1))
        let wrong = try world.message(.settlement, 2)
        for message in [wrong, wrong.repeated] {
            let answer = try await client.ask(message)
            #expect((answer.text(of: 39), answer.text(of: 66)) == ("95", "2"))
            #expect(answer.text(of: 76) == "0000000001" && answer.text(of: 88) == "0000000000001250")
        }
        let right = try world.message(.settlement, 3) { message in
            message.set(76, "0000000001")
            message.set(88, "0000000000001250")
        }
        _ = try await client.ask(right)
        // A sale after it belongs to the next batch, whatever is repeated.
        _ = try await client.ask(try world.sale(4))
        let answer = try await client.ask(right.repeated)
        #expect((answer.text(of: 39), answer.text(of: 66)) == ("00", "1"))
        #expect(answer.text(of: 76) == "0000000001")
        #expect(await world.acquirer.records.map(\.settlement) == [3, nil, nil, nil])
    }

    @Test func `after a settlement a sale can be refunded, and neither voided nor reversed`() async throws {
        let world = try AcquirerWorld()
        let client = world.client()
        let sale = try world.sale(1)
        let answer = try await client.ask(sale)
        let right = try world.message(.settlement, 2) { message in
            message.set(76, "0000000001")
            message.set(88, "0000000000001250")
        }
        #expect(try await client.code(right) == "00")
        #expect(try await client.code(try world.message(.void, 3, about: sale, answered: answer)) == "12")
        #expect(try await client.code(try world.reversal(of: sale, 4)) == "12")
        let refund = try world.message(.refund, 5, amount: 250, about: sale, answered: answer)
        #expect(try await client.code(refund) == "00")
        let next = try world.message(.settlement, 6) { message in
            message.set(74, "0000000001")
            message.set(86, "0000000000000250")
        }
        #expect(try await client.code(next) == "00")
    }
}
