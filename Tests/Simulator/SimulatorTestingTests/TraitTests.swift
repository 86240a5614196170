import Sessions
import Simulator
import SimulatorTesting
import Testing

@Suite("The trait that opens a shop")
struct TraitTests {
    @Test(
        "a test has a shop with the requested reader and card", .simulatedReader(.chip(.combo), card: "visa-dda"))
    func shop() async throws {
        let shop = try SimulatedShop.current
        #expect(shop.plan.readers.map(\.model.name) == ["combo"])
        #expect(shop.plan.cards.map(\.name) == ["visa-dda"])
        try await Counter(in: shop).pay()
        #expect(try await shop.charges() == 1)
    }

    @Test("each case of a test has its own shop", .simulatedReader(), arguments: 1...5)
    func cases(_ number: Int) async throws {
        let shop = try SimulatedShop.current
        let till = try await Counter(in: shop)
        for sale in 1...number { try await till.pay(number: UInt32(sale)) }
        #expect(try await shop.charges() == number)
        #expect(shop.events.count { $0.kind == .start } == 1)
    }

    @Test(
        "the plan of the shop can be changed", .simulatedReader(card: "visa-credit", seed: 9) { $0.disk = .full })
    func changed() throws {
        #expect(try SimulatedShop.current.plan.disk == .full)
        #expect(try SimulatedShop.current.plan.seed == 9)
    }

    @Test("tasks of a test are in its shop", .simulatedReader())
    func tasks() async throws {
        let shop = try SimulatedShop.current
        async let child = SimulatedShop.current.wait(.seconds(5))
        let task = Task { try await SimulatedShop.current.wait(.seconds(7)) }
        _ = try await (child, task.value)
        #expect(shop.elapsed == .seconds(7))
    }

    @Test("without the trait there is no shop, and the error contains the fix")
    func missing() {
        let error = #expect(throws: SimulatedShopMissing.self) { try SimulatedShop.current }
        #expect(error?.description.contains(".simulatedReader()") == true)
    }

    @Test(
        "a failure is reported with the seed and the last events",
        .recordsOneIssue {
            $0.text.contains("seed 7; the last events:") && $0.text.contains("host authorize answered 00")
        },
        .simulatedReader(seed: 7))
    func told() async throws {
        try await Counter(in: try .current).pay()
        #expect(try await SimulatedShop.current.charges() == 2)
    }

    @Test(
        "an unknown card fails the test, and the error has a suggestion",
        .recordsOneIssue { "\($0)".contains("visa-credit") }, .simulatedReader(card: "visa-cedit"))
    func noSuchCard() { Issue.record("the test ran without its card") }

    @Test(
        "a test that waits forever fails",
        .recordsOneIssue { "\($0)".contains("no event is planned that moves it") }, .simulatedReader())
    func neverEnds() async throws {
        let (words, _) = AsyncStream.makeStream(of: String.self)
        for await _ in words {}
    }
}

@Suite("A suite with the trait", .simulatedReader(card: "amex"))
struct SuiteTraitTests {
    @Test("gives every test of it a shop", arguments: 1...2)
    func every(_ number: Int) async throws {
        #expect(try SimulatedShop.current.plan.cards.map(\.name) == ["amex"])
        #expect(try SimulatedShop.current.elapsed == .zero)
        try await SimulatedShop.current.wait(.seconds(number))
    }
}
