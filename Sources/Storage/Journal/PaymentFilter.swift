public import Determinism

/// Which payments a list shows. What is nil does not matter.
public struct PaymentFilter: Hashable, Sendable {
    public var siteID: Int64?
    public var orderID: Int64?
    public var state: PaymentState?
    /// Payments that began at this moment or later.
    public var since: Timestamp?
    /// Payments older than this one, to go on where a list ended.
    public var before: PaymentID?

    public init(
        siteID: Int64? = nil, orderID: Int64? = nil, state: PaymentState? = nil, since: Timestamp? = nil,
        before: PaymentID? = nil
    ) {
        (self.siteID, self.orderID, self.state) = (siteID, orderID, state)
        (self.since, self.before) = (since, before)
    }

    var predicate: StoragePredicate? {
        let conditions = [
            siteID.map { StoragePredicate("siteID = ?", $0) },
            orderID.map { StoragePredicate("orderID = ?", $0) },
            state.map { StoragePredicate("state = ?", $0) },
            since.map { StoragePredicate("createdAt >= ?", $0.milliseconds) },
            before.map { StoragePredicate("id < ?", $0) },
        ].compactMap(\.self)
        guard let first = conditions.first else { return nil }
        return conditions.dropFirst().reduce(first) { $0.and($1) }
    }
}
