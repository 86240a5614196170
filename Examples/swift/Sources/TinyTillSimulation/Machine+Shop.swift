import Sessions
import TinyTill

extension Machine {
    /// The environment of a simulated shop.
    public init(in shop: SimulatedShop) throws {
        self.init(
            bus: shop.bus, host: shop.host, storage: try shop.openStorage(), cardholder: shop.cardholder,
            network: shop.network, signIn: shop.signIn, time: shop.time, random: shop.random.stream("till"),
            terminal: { shop.terminal(for: $0) })
    }
}

extension Till {
    /// A till in a simulated shop, with its reader connected and its customers following it.
    public static func open(in shop: SimulatedShop) async throws -> Till {
        let till = try await open(on: Machine(in: shop))
        await shop.follow(till.reader)
        try await till.connect()
        return till
    }
}
