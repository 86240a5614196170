/// A test asks for the shop that it was not given.
public struct SimulatedShopMissing: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is missing, and what to write.
    public var description: String {
        "no shop is open here: give the test or its suite the trait .simulatedReader() or .simulatedShop { … }"
    }
}
