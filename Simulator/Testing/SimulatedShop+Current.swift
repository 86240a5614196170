public import Sessions

extension SimulatedShop {
    @TaskLocal static var shopOfTest: SimulatedShop?

    /// The shop of the test that runs, which a ``SimulatedShopTrait`` opened for it.
    ///
    /// - Throws: ``SimulatedShopMissing`` in a test without the trait, and outside of tests.
    public static var current: SimulatedShop {
        get throws(SimulatedShopMissing) {
            guard let shop = shopOfTest else { throw SimulatedShopMissing() }
            return shop
        }
    }
}
