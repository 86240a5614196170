public import Hardware

/// What the issuer's book makes of one payment or refund, all its entries taken together.
public struct IssuerStanding: Hashable, Sendable {
    public var isRefund: Bool
    /// The payment that a refund gives money back for.
    public var original: IdempotencyKey?
    /// What it moves, refunds of it not counted: zero when it was declined or taken back.
    public var minorUnits: Int64
    /// Alphabetic code of the currency.
    public var currency: String
    /// DE 39; nil when there is only a reversal of what never came.
    public var responseCode: String?
    public var isReversed: Bool
}
