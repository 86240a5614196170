import Foundation
import ISO8583
import Testing

@testable import Acquirer

@Suite struct AcquirerInquiryTests {
    private let world: AcquirerWorld

    init() throws {
        let example = URL(filePath: #filePath).appending(path: "../../../../Examples/hosts/inquiry-host.yaml")
        let form = try #require(try MessageProfile(path: example.standardized.path).messages[.inquiry])
        world = try AcquirerWorld { $0.messages[.inquiry] = form }
    }

    @Test func `an inquiry is answered from the ledger, as the message was, and adds nothing to it`() async throws {
        let client = world.client()
        let sale = try world.sale(1)
        let answer = try await client.ask(sale)
        let told = try await client.ask(try world.message(.inquiry, 900, about: sale, answered: answer))
        #expect("\(told.type)" == "0610")
        for field in [37, 38, 39] { #expect(told.text(of: field) == answer.text(of: field), "\(field)") }
        #expect(await world.book() == ["sale approved 1250"])
    }

    @Test func `what never came, and what was taken back, is not found`() async throws {
        let client = world.client()
        let (lost, sale) = (try world.sale(1), try world.sale(2))
        #expect(try await client.code(try world.message(.inquiry, 900, about: lost, answered: lost)) == "25")
        let answer = try await client.ask(sale)
        #expect(try await client.code(try world.reversal(of: sale, 2)) == "00")
        #expect(try await client.code(try world.message(.inquiry, 901, about: sale, answered: answer)) == "25")
        #expect(await world.book().first == "sale reversed 0")
    }

    @Test func `a refund that was declined is told as declined`() async throws {
        let client = world.client()
        let sale = try world.sale(1)
        let answer = try await client.ask(sale)
        let refund = try world.message(.refund, 2, amount: 9999, about: sale, answered: answer)
        let code = try await client.code(refund)
        #expect(code != "00")
        #expect(try await client.code(try world.message(.inquiry, 900, about: refund, answered: refund)) == code)
    }
}
