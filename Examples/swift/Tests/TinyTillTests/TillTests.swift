import Money
import Sessions
import Simulator
import SimulatorTesting
import StoreSite
import Testing
import TinyTill
import TinyTillSimulation
import Yosemite

@Suite("A tiny till")
struct TillTests {
    @Test("a payment is approved, and charged once", .simulatedReader(card: "visa-dda"))
    func approves() async throws {
        let payment = try await Till.open(in: .current).sell("12.50")
        #expect(payment.outcome == .approved)
        #expect(try await SimulatedShop.current.charges() == 1)
    }

    @Test("a payment is declined, and nothing is charged", .simulatedReader(card: "insufficient-funds"))
    func declines() async throws {
        let payment = try await Till.open(in: .current).sell("12.50")
        #expect(payment.outcome == .declined)
        #expect(try await SimulatedShop.current.charges() == 0)
    }

    @Test(
        "a customer who enters a wrong PIN is asked again",
        .simulatedReader(card: "pin-required") { $0.cards[0].profile.types([.wrong, .right]) })
    func wrongPIN() async throws {
        let payment = try await Till.open(in: .current).sell("12.50")
        #expect(payment.outcome == .approved)
        #expect(try SimulatedShop.current.events.contains { $0.text == "kernel entering_pin again" })
    }

    @Test("a card that is removed during authorization is not charged", .simulatedReader())
    func cardRemoved() async throws {
        let shop = try SimulatedShop.current
        let till = try await Till.open(in: shop)
        try shop.perform(.removeCard(), when: .at("host authorize sent"))
        #expect(try await till.sell("12.50").outcome != .approved)
        #expect(try await shop.charges() == 0)
    }

    @Test("a reader that is unplugged during a payment charges nothing, and works when it is back", .simulatedReader())
    func readerUnplugged() async throws {
        let shop = try SimulatedShop.current
        let till = try await Till.open(in: shop)
        try shop.perform(.unplug(), when: .at("card_inserted"))
        #expect(try await till.sell("12.50").outcome == .failed)
        #expect(try await shop.charges() == 0)
        try shop.perform(.removeCard())
        try shop.perform(.plugIn())
        try await till.connect()
        try shop.serve()
        #expect(try await till.sell("12.50").outcome == .approved)
    }

    @Test(
        "an issuer without a response leaves nothing charged",
        .simulatedReader { $0.issuerFaults = [IssuerFaultRule(.answerLost, messages: [.authorize])] })
    func issuerSilent() async throws {
        let payment = try await Till.open(in: .current).sell("12.50")
        #expect(payment.outcome != .approved)
        #expect(try await SimulatedShop.current.charges() == 0)
    }

    @Test(
        "a store that missed a notification is notified later, once",
        .simulatedReader {
            $0.store = PlannedStore(
                unpaid: [try Money("25.00", currency: .usDollar)],
                faults: [try FaultRule("POST /*/capture_terminal_payment #1 500")])
        })
    func captureLost() async throws {
        let shop = try SimulatedShop.current
        let till = try await Till.open(in: shop)
        #expect(try await till.sell(order: shop.unpaidOrders[0]).outcome == .approved)
        await shop.wait(.seconds(600))
        try await till.syncPayments()
        #expect(shop.siteLedger.count == 1)
        #expect(shop.orders.first { $0.id == shop.unpaidOrders[0] }?.status == "completed")
    }

    @Test(
        "a till that is killed during authorization reverses the payment when it is restarted",
        .simulatedReader())
    func killed() async throws {
        let shop = try SimulatedShop.current
        let till = try await Till.open(in: shop)
        try shop.perform(.crash, when: .at("host authorize answered"))
        await #expect(throws: (any Error).self) { try await till.sell("12.50") }
        #expect(try await shop.charges() == 1)
        shop.restart()
        let next = try await Till.open(on: Machine(in: shop))
        #expect(try await shop.charges() == 0)
        #expect(try await next.payments().map(\.outcome) != [.approved])
    }
}
