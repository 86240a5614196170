public import Determinism

/// Names one wish for an order, so that the order can be found again when the answer to its creation is lost.
public struct OrderCreationKey: Hashable, Sendable, CustomStringConvertible {
    /// The name of the metadata in which an order keeps its key. With an underscore in front the shop's people do not
    /// see it.
    public static let metadataName = "_cardpresent_key"

    public let description: String

    /// A key that nobody has drawn before: 128 random bits.
    public init(random: any RandomSource) {
        description = random.bytes(16).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// A key that was drawn before.
    public init(_ text: String) { description = text }
}
