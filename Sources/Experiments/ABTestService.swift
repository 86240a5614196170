/// Gives a till its way of doing things in every experiment.
///
/// The choice is made of the till's identity and the experiment's name, so that experiments do not depend on each other,
/// and it is kept, so that it stays when the identity changes.
public struct ABTestService: Sendable {
    private let identity: String
    private let cache: VariationCache

    /// - Parameters:
    ///   - identity: tells this till from others: drawn once and kept, or the user's name.
    ///   - cache: keeps what was given.
    public init(identity: String, cache: VariationCache) { (self.identity, self.cache) = (identity, cache) }

    /// What an experiment gives this till.
    ///
    /// - Throws: ``VariationCacheError``; then nothing was given, and the old way is right.
    public func variation(of test: ABTest) throws(VariationCacheError) -> Variation {
        try cache.variation(of: test) { Self.choice(of: test, identity: identity) }
    }

    /// Gives this till everything that runs in such tills.
    ///
    /// - Throws: ``VariationCacheError``
    public func start(for context: ABTest.Context) throws(VariationCacheError) {
        for test in ABTest.allCases where test.context == context { _ = try variation(of: test) }
    }

    static func choice(of test: ABTest, identity: String) -> Variation {
        // FNV-1a, mixed so that its high bits count too.
        let hash = "\(test.rawValue)/\(identity)".utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) {
            ($0 ^ UInt64($1)) &* 0x100_0000_01B3
        }
        let variations = test.variations
        guard !variations.isEmpty else { return .control }
        return variations[Int((hash ^ hash >> 32) & 0xFFFF_FFFF) % variations.count]
    }
}
