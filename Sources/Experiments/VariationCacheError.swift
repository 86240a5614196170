/// Why what experiments gave cannot be read or kept.
public struct VariationCacheError: Error, Hashable, Sendable, CustomStringConvertible {
    public let description: String
}
