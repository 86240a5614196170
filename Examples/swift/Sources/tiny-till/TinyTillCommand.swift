import Sessions
import TinyTill
import TinyTillSimulation

/// `tiny-till AMOUNT [CARD]`: takes a payment in a simulated shop, and prints the result.
@main
struct TinyTillCommand {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        guard let amount = arguments.first else { return print("usage: tiny-till AMOUNT [CARD]") }
        let plan = try SessionPlan(card: arguments.dropFirst().first ?? "visa-credit")
        try await SimulatedShop.run(plan) { shop in
            let payment = try await Till.open(in: shop).sell(amount)
            for event in shop.events where event.kind != .apdu { print("\(event.milliseconds) ms  \(event.text)") }
            print(payment.name, payment.amount, payment.outcome.rawValue)
        }
    }
}
