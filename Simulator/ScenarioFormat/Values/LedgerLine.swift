/// A line of the issuer's book; what is nil may be anything.
public struct LedgerLine: Hashable, Sendable {
    public var kind: String?
    public var minorUnits: Int64?
    public var currency: String?
    public var response: String?
    public var reason: String?
    public var rule: String?
}
