import ISO8583
import SimulatedTime
import Simulator
import Testing

@testable import Acquirer

@Suite("Money at the simulated acquirer", .simulatedTime)
struct TransactionTests {
    @Test(arguments: MessageProfile.shippedNames)
    func `a completion takes the money of an authorization once`(name: String) async throws {
        let world = try AcquirerWorld(name)
        let client = world.client()
        let authorization = try world.sale(1, as: .authorization)
        let answer = try await client.ask(authorization)
        #expect(await world.book() == ["authorization authorized 0"])
        let completion = try world.message(.completion, 2, amount: 1000, about: authorization, answered: answer)
        let done = ResponseCodes.text("00", answering: .completion, world.profile.version)
        #expect(try await client.code(completion) == done)
        #expect(try await client.code(completion.repeated) == done)
        let again = try world.message(.completion, 3, amount: 1000, about: authorization, answered: answer)
        #expect(try await client.code(again) == ResponseCodes.text("12", answering: nil, world.profile.version))
        #expect(
            await world.book() == [
                "authorization completed 1000", "completion approved 0", "completion declined 0",
            ])
        let ledger = try await world.acquirer.issuer.ledger()
        #expect(ledger.chargeCount == 1)
        #expect(ledger.keys.compactMap { ledger.standing($0)?.minorUnits } == [1000])
    }

    @Test func `a completion takes no more than was authorized, and nothing of an unknown one`() async throws {
        let world = try AcquirerWorld()
        let client = world.client()
        let authorization = try world.sale(1, as: .authorization)
        let answer = try await client.ask(authorization)
        let more = try world.message(.completion, 2, amount: 1251, about: authorization, answered: answer)
        #expect(try await client.code(more) == "13")
        let never = try world.message(.completion, 3, about: try world.sale(9), answered: answer) { _ in }
        #expect(try await client.code(never) == "25")
    }

    @Test func `a completion takes no more than the part that was approved, which a repeat tells again`() async throws {
        let rules = try IssuerRules(
            yaml: "rules: [{ answer: { responseCode: \"10\", approvedPercent: 40 } }]", file: "rules.yaml")
        let world = try AcquirerWorld(rules: rules)
        let client = world.client()
        let authorization = try world.sale(1, as: .authorization)
        let answer = try await client.ask(authorization)
        #expect(answer.text(of: 39) == "10" && answer.text(of: 4) == "000000000500")
        #expect(try await client.ask(authorization.repeated).text(of: 4) == "000000000500")
        let all = try world.message(.completion, 2, amount: 1250, about: authorization, answered: answer)
        #expect(try await client.code(all) == "13")
        let part = try world.message(.completion, 3, amount: 500, about: authorization, answered: answer)
        #expect(try await client.code(part) == "00")
    }

    @Test(arguments: MessageProfile.shippedNames)
    func `refunds give back no more than was paid`(name: String) async throws {
        let world = try AcquirerWorld(name)
        let client = world.client()
        let sale = try world.sale(1)
        let answer = try await client.ask(sale)
        func refund(_ number: Int, _ amount: Int) throws -> ISOMessage {
            try world.message(.refund, number, amount: amount, about: sale, answered: answer)
        }
        let approved = ResponseCodes.text("00", answering: .refund, world.profile.version)
        #expect(try await client.code(try refund(2, 250)) == approved)
        #expect(try await client.code(try refund(2, 250)) == approved)
        let tooMuch = ResponseCodes.text("13", answering: .refund, world.profile.version)
        #expect(try await client.code(try refund(3, 1001)) == tooMuch)
        let last = try refund(4, 1000)
        #expect(try await client.code(last) == approved)
        #expect(
            await world.book() == [
                "sale refunded 1250", "refund approved 250", "refund declined 0", "refund approved 1000",
            ])
        // A reversed refund does not count.
        _ = try await client.ask(try world.reversal(of: last, 5))
        #expect(await world.book().first == "sale approved 1250")
        #expect(try await client.code(try refund(6, 1000)) == approved)
    }

    @Test(arguments: MessageProfile.shippedNames)
    func `a void takes a sale back, and its reversal restores it`(name: String) async throws {
        let world = try AcquirerWorld(name)
        let client = world.client()
        let sale = try world.sale(1)
        let answer = try await client.ask(sale)
        let void = try world.message(.void, 2, about: sale, answered: answer)
        let approved = ResponseCodes.text("00", answering: .void, world.profile.version)
        #expect(try await client.code(void) == approved)
        #expect(try await client.code(void.repeated) == approved)
        #expect(await world.book() == ["sale reversed 0", "void approved 1250"])
        let again = try world.message(.void, 3, about: sale, answered: answer)
        #expect(try await client.code(again) == ResponseCodes.text("12", answering: nil, world.profile.version))
        _ = try await client.ask(try world.reversal(of: void, 4))
        #expect(await world.book().prefix(2) == ["sale approved 1250", "void reversed 0"])
        let unknown = try world.message(.void, 5, about: try world.sale(77), answered: answer) { message in
            message.set(37, "NOBODYKNOWS1")
        }
        #expect(try await client.code(unknown) == ResponseCodes.text("25", answering: nil, world.profile.version))
    }

    @Test(arguments: MessageProfile.shippedNames)
    func `advices are recorded once, and count instead of a sale without an answer`(name: String) async throws {
        let world = try AcquirerWorld(name)
        let client = world.client()
        let done = ResponseCodes.text("00", answering: .offlineAdvice, world.profile.version)
        let advice = try world.message(.offlineAdvice, 1)
        #expect(try await client.code(advice) == done)
        #expect(try await client.code(advice.repeated) == done)
        #expect(try await client.code(try world.message(.declineAdvice, 2)) == done)
        _ = try await client.ask(try world.sale(3))
        #expect(try await client.code(try world.message(.offlineAdvice, 3)) == done)
        #expect(
            await world.book() == [
                "offlineAdvice approved 1250", "declineAdvice approved 0", "sale completed 0",
                "offlineAdvice approved 1250",
            ])
        #expect(try await world.acquirer.issuer.ledger().chargeCount == 2)
    }

    @Test func `the reversal of a void gives back what moved, also of advices and completed authorizations`()
        async throws
    {
        let world = try AcquirerWorld()
        let client = world.client()
        let advice = try world.message(.offlineAdvice, 1)
        let advised = try await client.ask(advice)
        let authorization = try world.sale(2, as: .authorization)
        let authorized = try await client.ask(authorization)
        _ = try await client.ask(
            try world.message(.completion, 3, amount: 1000, about: authorization, answered: authorized))
        let before = await world.book().prefix(2)
        #expect(before == ["offlineAdvice approved 1250", "authorization completed 1000"])
        for (number, original, answer) in [(4, advice, advised), (6, authorization, authorized)] {
            let void = try world.message(.void, number, about: original, answered: answer)
            #expect(try await client.code(void) == "00")
            #expect(try await client.code(try world.reversal(of: void, number + 1)) == "00")
        }
        #expect(await world.book().prefix(2) == before)
    }

    @Test func `the reversal of a void gives back only what a reversal of a part had left`() async throws {
        let world = try AcquirerWorld()
        let client = world.client()
        let sale = try world.sale(1)
        let answer = try await client.ask(sale)
        var part = try world.reversal(of: sale, 0)
        part.set(95, try #require(ReplacementAmounts(transaction: 400).text))
        #expect(try await client.code(part) == "00")
        let void = try world.message(.void, 2, about: sale, answered: answer)
        #expect(try await client.code(void) == "00")
        #expect(try await client.code(try world.reversal(of: void, 3)) == "00")
        #expect(await world.book().first == "sale approved 400")
    }

    @Test(arguments: MessageProfile.shippedNames)
    func `a reversal of a sale that never came forbids it`(name: String) async throws {
        let world = try AcquirerWorld(name)
        let client = world.client()
        let sale = try world.sale(1)
        let reversal = try world.reversal(of: sale, 2)
        let unknown = ResponseCodes.text("25", answering: nil, world.profile.version)
        #expect(world.profile.results.reversalDone.contains(unknown))
        #expect(try await client.code(reversal) == unknown)
        #expect(try await client.code(reversal.repeated) == unknown)
        #expect(try await client.code(sale) == ResponseCodes.text("94", answering: nil, world.profile.version))
        #expect(await world.book() == ["reversal approved 0", "sale declined 0"])
        #expect(try await world.acquirer.issuer.ledger().chargeCount == 0)
    }

    @Test func `a reversed sale is not approved again, and another terminal's is not touched`() async throws {
        let world = try AcquirerWorld()
        let client = world.client()
        let sale = try world.sale(1)
        let other = try world.sale(1, terminal: "TERM0002")
        _ = try await client.ask(sale)
        _ = try await client.ask(other)
        #expect(try await client.code(try world.reversal(of: sale, 0)) == "00")
        #expect(try await client.code(sale) == "94")
        #expect(await world.book().prefix(2) == ["sale reversed 0", "sale approved 1250"])
    }

    @Test func `a reversal that names another trace number takes nothing back, whatever its reference`() async throws {
        let world = try AcquirerWorld()
        let client = world.client()
        let sale = try world.sale(1)
        let reference = try await client.ask(sale).text(of: 37)
        var other = sale
        other.set(11, "000099")
        var reversal = try world.reversal(of: other, 0)
        reversal.set(37, try #require(reference))
        #expect(try await client.code(reversal) == "25")
        #expect(await world.book().first == "sale approved 1250")
    }

    @Test func `a reversal comes as a request or as an advice, and counts once`() async throws {
        let world = try AcquirerWorld()
        let client = world.client()
        let sale = try world.sale(1)
        _ = try await client.ask(sale)
        var request = try world.reversal(of: sale, 0)
        request.type = try #require(MessageType("0400"))
        let answer = try await client.ask(request)
        #expect(answer.type == MessageType("0410") && answer.text(of: 39) == "00")
        #expect(try await client.ask(request.repeated).type == MessageType("0410"))
        #expect(try await client.ask(try world.reversal(of: sale, 0)).type == MessageType("0430"))
        #expect(await world.book() == ["sale reversed 0", "reversal approved 0"])
    }

    @Test func `a reversal for a part leaves what field 95 says`() async throws {
        let world = try AcquirerWorld()
        let client = world.client()
        let sale = try world.sale(1)
        _ = try await client.ask(sale)
        var reversal = try world.reversal(of: sale, 0)
        reversal.set(95, try #require(ReplacementAmounts(transaction: 400).text))
        #expect(try await client.code(reversal) == "00")
        #expect(await world.book() == ["sale approved 400", "reversal approved 0"])
    }

    @Test(arguments: ["iso87-ascii", "iso93-ebcdic"])
    func `a settlement compares totals, and closes the batch that is in balance`(name: String) async throws {
        let world = try AcquirerWorld(name)
        let client = world.client()
        let sale = try world.sale(1)
        let answer = try await client.ask(sale)
        let second = try world.sale(2, amount: 700)
        _ = try await client.ask(second)
        _ = try await client.ask(try world.reversal(of: second, 3))
        _ = try await client.ask(try world.message(.refund, 4, amount: 50, about: sale, answered: answer))
        func totals(_ number: Int, sales: String) throws -> ISOMessage {
            try world.message(.settlement, number) { message in
                for (field, value) in [
                    // The reversed sale in both lines.
                    74: "0000000001", 76: "0000000002", 77: "0000000001", 86: "0000000000000050", 88: sales,
                    89: "0000000000000700",
                ] { message.set(field, value) }
            }
        }
        let version = world.profile.version
        let wrong = try await client.ask(try totals(5, sales: "0000000000001951"))
        #expect(wrong.text(of: 39) == ResponseCodes.text("95", answering: .settlement, version))
        #expect((wrong.text(of: 77), wrong.text(of: 88)) == ("0000000001", "0000000000001950"))
        #expect(wrong.text(of: 97) == "D0000000000001200")
        let right = try totals(6, sales: "0000000000001950")
        #expect(try await client.code(right) == ResponseCodes.text("00", answering: .settlement, version))
        #expect(await world.acquirer.records[0].settlement == 6)
        let void = try world.message(.void, 7, about: sale, answered: answer)
        #expect(try await client.code(void) == ResponseCodes.text("12", answering: nil, version))
        let empty = try world.message(.settlement, 8)
        #expect(try await client.code(empty) == ResponseCodes.text("00", answering: .settlement, version))
    }
}

extension AcquirerWorld {
    fileprivate func message(
        _ kind: MessageKind, _ number: Int, about original: ISOMessage, answered answer: ISOMessage,
        change: (inout ISOMessage) throws -> Void
    ) throws -> ISOMessage {
        var message = try message(kind, number, about: original, answered: answer)
        if kind == .completion { message.set(37, "NOBODYKNOWS1") }
        try change(&message)
        return message
    }
}
