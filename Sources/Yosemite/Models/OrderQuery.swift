public import Determinism
public import Networking

/// Which of the stored orders are wanted; what is nil says nothing.
public struct OrderQuery: Hashable, Sendable {
    public var statuses: [OrderStatusEnum]?
    /// Created then or later.
    public var since: Timestamp?
    public var customerID: Int64?
    /// A part of the number, or of the name, company or e-mail address that is billed, in any letter case.
    public var text: String?
    public var limit: Int?

    public init(
        statuses: [OrderStatusEnum]? = nil, since: Timestamp? = nil, customerID: Int64? = nil, text: String? = nil,
        limit: Int? = nil
    ) {
        (self.statuses, self.since, self.customerID) = (statuses, since, customerID)
        (self.text, self.limit) = (text, limit)
    }
}
