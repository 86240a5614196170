/// An experiment: each till gets one of several variations and keeps it.
public enum ABTest: String, Hashable, Sendable, CaseIterable {
    /// The number of concurrent requests to the store: four or eight.
    case requestConcurrency

    /// The tills in which the experiment runs.
    public enum Context: Hashable, Sendable {
        case loggedOut
        case loggedIn
    }

    public var context: Context {
        switch self {
        case .requestConcurrency: .loggedIn
        }
    }

    /// The variations, each equally likely.
    public var variations: [Variation] {
        switch self {
        case .requestConcurrency: [.control, .treatment]
        }
    }

    public var summary: String {
        switch self {
        case .requestConcurrency: "how many requests to the store are on their way at the same time"
        }
    }
}

/// A till's variation in an experiment.
public enum Variation: Hashable, Sendable {
    /// The present behavior.
    case control
    /// The new behavior.
    case treatment
    /// One of several new behaviors.
    case customTreatment(name: String)

    /// The name under which the variation is stored.
    public var name: String {
        switch self {
        case .control: "control"
        case .treatment: "treatment"
        case .customTreatment(let name): name
        }
    }

    /// Takes the stored name; one that is neither `control` nor `treatment` is a treatment of its own.
    public init(name: String) {
        self =
            switch name {
            case "control": .control
            case "treatment": .treatment
            default: .customTreatment(name: name)
            }
    }
}

/// Assigns a till its variation in each experiment.
///
/// The till's identity and the experiment's name determine the variation, so experiments are independent of each other.
/// The variation is stored, so it stays when the identity changes.
public struct ABTestService: Sendable {
    private let identity: String
    private let cache: VariationCache

    /// - Parameters:
    ///   - identity: identifies this till: a stored random value or the user's name.
    ///   - cache: stores the variations.
    public init(identity: String, cache: VariationCache) { (self.identity, self.cache) = (identity, cache) }

    /// Returns this till's variation in an experiment.
    ///
    /// - Throws: ``VariationCacheError``; use the present behavior then.
    public func variation(of test: ABTest) throws(VariationCacheError) -> Variation {
        try cache.variation(of: test) { Self.choice(of: test, identity: identity) }
    }

    /// Assigns a variation in every experiment of a context.
    ///
    /// - Throws: ``VariationCacheError``
    public func start(for context: ABTest.Context) throws(VariationCacheError) {
        for test in ABTest.allCases where test.context == context { _ = try variation(of: test) }
    }

    static func choice(of test: ABTest, identity: String) -> Variation {
        // FNV-1a, mixed so that its high bits count, too.
        let hash = "\(test.rawValue)/\(identity)".utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) {
            ($0 ^ UInt64($1)) &* 0x100_0000_01B3
        }
        let variations = test.variations
        guard !variations.isEmpty else { return .control }
        return variations[Int((hash ^ hash >> 32) & 0xFFFF_FFFF) % variations.count]
    }
}
