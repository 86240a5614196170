/// A line of the issuer's book; what is nil may be anything.
public struct LedgerLine: Hashable, Sendable {
    /// What kind of message it answers: `authorisation`.
    public var kind: String?
    /// What it is about, in minor units.
    public var minorUnits: Int64?
    /// ISO 4217 code.
    public var currency: String?
    /// Response code, DE 39.
    public var response: String?
    /// Why it was declined.
    public var reason: String?
    /// The rule of the issuer that held for it.
    public var rule: String?

    /// What is left out may be anything.
    public init(
        kind: String? = nil, minorUnits: Int64? = nil, currency: String? = nil, response: String? = nil,
        reason: String? = nil, rule: String? = nil
    ) {
        (self.kind, self.minorUnits, self.currency) = (kind, minorUnits, currency)
        (self.response, self.reason, self.rule) = (response, reason, rule)
    }
}
