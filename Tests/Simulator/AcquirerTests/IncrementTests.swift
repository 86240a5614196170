import ISO8583
import SimulatedTime
import Simulator
import Testing

@testable import Acquirer

@Suite("Increments at the simulated acquirer", .simulatedTime)
struct IncrementTests {
    private func code(_ code: String, _ kind: MessageKind, _ world: AcquirerWorld) -> String {
        ResponseCodes.text(code, answering: kind, world.profile.version)
    }

    @Test(arguments: MessageProfile.shippedNames)
    func `an increment raises what a completion can take, once`(name: String) async throws {
        let world = try AcquirerWorld(name)
        let client = world.client()
        let authorization = try world.sale(1, as: .authorization)
        let answer = try await client.ask(authorization)
        let increment = try world.message(.increment, 2, amount: 500, about: authorization, answered: answer)
        #expect(try await client.code(increment) == code("00", .increment, world))
        // The same again, and a repeat of the authorization, change nothing.
        #expect(try await client.code(increment) == code("00", .increment, world))
        #expect(try await client.ask(authorization.repeated).text(of: 39) == answer.text(of: 39))
        let more = try world.message(.completion, 3, amount: 1751, about: authorization, answered: answer)
        #expect(try await client.code(more) == code("13", .completion, world))
        let all = try world.message(.completion, 4, amount: 1750, about: authorization, answered: answer)
        #expect(try await client.code(all) == code("00", .completion, world))
        let late = try world.message(.increment, 5, amount: 500, about: authorization, answered: answer)
        #expect(try await client.code(late) == code("12", .increment, world))
        #expect(
            await world.book() == [
                "authorization completed 1750", "increment approved 0", "completion declined 0",
                "completion approved 0", "increment declined 0",
            ])
    }

    @Test(arguments: MessageProfile.shippedNames)
    func `a reversal takes back the increment alone, and one of the authorization all of it`(
        name: String
    ) async throws {
        let world = try AcquirerWorld(name)
        let client = world.client()
        let authorization = try world.sale(1, as: .authorization)
        let answer = try await client.ask(authorization)
        func increment(_ number: Int) throws -> ISOMessage {
            try world.message(.increment, number, amount: 500, about: authorization, answered: answer)
        }
        let (first, second) = (try increment(2), try increment(3))
        _ = try await client.ask(first)
        _ = try await client.ask(second)
        #expect(try await client.code(try world.reversal(of: first, 4)) == code("00", .reversal, world))
        #expect(
            await world.book() == [
                "authorization authorized 0", "increment reversed 0", "increment approved 0", "reversal approved 0",
            ])
        let more = try world.message(.completion, 5, amount: 1751, about: authorization, answered: answer)
        #expect(try await client.code(more) == code("13", .completion, world))
        #expect(try await client.code(try world.reversal(of: authorization, 6)) == code("00", .reversal, world))
        let ledger = try await world.acquirer.issuer.ledger()
        #expect(ledger.keys.allSatisfy { ledger.held($0) == 0 && ledger.charged($0) == 0 })
    }

    @Test(arguments: MessageProfile.shippedNames)
    func `an increment that comes after its reversal is refused`(name: String) async throws {
        let world = try AcquirerWorld(name)
        let client = world.client()
        let authorization = try world.sale(1, as: .authorization)
        let answer = try await client.ask(authorization)
        let increment = try world.message(.increment, 2, amount: 500, about: authorization, answered: answer)
        #expect(try await client.code(try world.reversal(of: increment, 3)) == code("25", .reversal, world))
        #expect(try await client.code(increment) == code("94", .increment, world))
        let ledger = try await world.acquirer.issuer.ledger()
        #expect(ledger.keys.reduce(0) { $0 + ledger.held($1) } == 1250)
    }

    @Test func `the issuer declines an increment, and one of an unknown hold is not found`() async throws {
        let rules = try IssuerRules(
            yaml: "rules: [{ when: { message: 2 }, answer: { responseCode: \"51\" } }]", file: "rules.yaml")
        let world = try AcquirerWorld(rules: rules)
        let client = world.client()
        let authorization = try world.sale(1, as: .authorization)
        let answer = try await client.ask(authorization)
        let increment = try world.message(.increment, 2, amount: 500, about: authorization, answered: answer)
        #expect(try await client.code(increment) == "51")
        let unknown = try world.sale(9, as: .authorization)
        let never = try world.message(.increment, 3, amount: 500, about: unknown, answered: answer)
        #expect(try await client.code(never) == "25")
        #expect(await world.book().first == "authorization authorized 0")
    }

    @Test func `a till's hold is compared with the sum`() async throws {
        let world = try AcquirerWorld()
        let client = world.client()
        let authorization = try world.sale(1, as: .authorization)
        let answer = try await client.ask(authorization)
        _ = try await client.ask(
            try world.message(.increment, 2, amount: 500, about: authorization, answered: answer))
        let comparison = AcquirerComparison(await world.acquirer.records, till: [], time: world.clock)
        #expect(comparison.states.map { $0.state.held } == [1750, 0])
        #expect(comparison.states.allSatisfy { $0.state.minorUnits == 0 && !$0.state.isReversed })
    }
}
