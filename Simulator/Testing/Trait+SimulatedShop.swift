public import Sessions
public import Simulator
public import Testing

extension Trait where Self == SimulatedShopTrait {
    /// Gives a test a reader with somebody who holds a card, and an issuer behind it.
    ///
    /// - Parameters:
    ///   - model: the reader.
    ///   - card: the name of a built-in card profile, or the path of one.
    ///   - seed: what chance is made of. `CARDPRESENT_SEED` in the environment goes before it.
    ///   - change: changes what the shop begins with, before it opens.
    /// - Returns: the trait. A card that does not exist fails the test.
    public static func simulatedReader(
        _ model: SimulatedReader = .chip(.shortAPDU), card: String = "visa-credit", seed: UInt64 = 1,
        _ change: @escaping @Sendable (inout SessionPlan) throws -> Void = { _ in }
    ) -> SimulatedShopTrait {
        simulatedShop {
            var plan = try SessionPlan(card: card, seed: seed)
            plan.readers = [PlannedReader(model: model)]
            try change(&plan)
            return plan
        }
    }

    /// Gives a test a shop.
    ///
    /// - Parameter plan: what the shop begins with; asked for each test.
    /// - Returns: the trait. A plan that cannot be made fails the test.
    public static func simulatedShop(
        _ plan: @escaping @Sendable () throws -> SessionPlan
    ) -> SimulatedShopTrait {
        SimulatedShopTrait(plan)
    }
}
