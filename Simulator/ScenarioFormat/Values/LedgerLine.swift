/// A line of the issuer's book; what is nil may be anything.
public struct LedgerLine: Hashable, Sendable {
    public var kind: String?
    public var minorUnits: Int64?
    public var currency: String?
    public var response: String?
    public var reason: String?
    public var rule: String?

    public init(
        kind: String? = nil, minorUnits: Int64? = nil, currency: String? = nil, response: String? = nil,
        reason: String? = nil, rule: String? = nil
    ) {
        (self.kind, self.minorUnits, self.currency) = (kind, minorUnits, currency)
        (self.response, self.reason, self.rule) = (response, reason, rule)
    }
}
