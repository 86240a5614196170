/// What the store must know; what is nil may be anything.
public struct SiteExpectation: Hashable, Sendable {
    /// Charges that the store was told of.
    public var charges: Int?
    /// The status of the order that was paid last.
    public var order: String?
    /// How often the store was asked what.
    public var requests: [RequestCount]

    public init(charges: Int? = nil, order: String? = nil, requests: [RequestCount] = []) {
        (self.charges, self.order, self.requests) = (charges, order, requests)
    }
}
